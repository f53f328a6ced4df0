/// The words of a flow: what they keep, and loading with memory that runs out.

#include <stdio.h>
#include <string.h>

#include "core.h"

static const char FLOW[] =
  "local m = require 'part'\n"
  "state { n = 0, rows = list {}, to = none }\n"
  "action.go { n = integer { min = 1 }, kind = one_of { 'a' }, text = string { pattern = 'x' } }\n"
  "function gate.go(s, a) return s.n >= 0 end\n"
  "gate('all', '*', function(s) return gatekeeper.busy:may_pass('go') ~= nil end)\n"
  "function reduce.go(s, a) s.n = s.n + random(1, 6) + now() + m.one end\n"
  "reduce['go again'] = reduce.go\n"
  "function view.rows(s) return s.rows end\n"
  "function invariant.sane(s) return s.n >= 0 end\n"
  "gatekeeper.busy { go = { attempt = function() return 'go' end } }\n"
  "machine.door { initial = 'shut', shut = { go = { { to = 'open', when = function() end } } },\n"
  "  open = { after = { go = function() return 1 end }, on_enter = function() end } }\n"
  "scope.user { key = function(s) return s.to end, make = { thing = function() end } }\n"
  "effect.go = function(self) dispatch.go { n = 1 } end\n"
  "effect('all', '*', function(self) print(view.rows(), may('go'), sleep(1)) end)\n";

/// The numbers of what the flow has the host keep, in the order in which checking it keeps them.
enum { GATE = -1, SHARED_GATE = -2, REDUCE = -3, EFFECT = -12, SHARED_EFFECT = -13, KEPT = 13 };

static latch_ref module;

/// Answers everything with 1, a module with its chunk.
static latch_reply_kind answer(
  void *context, int32_t function, const uint8_t *arguments, size_t length) {
  (void)arguments, (void)length;
  uint8_t bytes[9] = {LATCH_TAG_INTEGER};
  int64_t value = function == LATCH_HOST_LOAD_MODULE ? module : 1;
  memcpy(bytes + 1, &value, sizeof value);
  latch_reply(context, bytes, sizeof bytes);
  return LATCH_REPLY;
}

/// The machine's field, as a host says it.
static latch_status declare_door(latch_vm *vm) {
  latch_bytes field = {(const uint8_t *)"door", 4}, value = {(const uint8_t *)"shut", 4};
  return latch_declare_region(vm, field, value);
}

static latch_status load_words(latch_vm *vm) {
  static const char MODULE[] = "return { one = 1 }";
  latch_run run = {LATCH_LOADING, 1000000};
  latch_ref file;
  latch_status status = latch_open_flow_library(vm);
  if (status == LATCH_OK) status = latch_open_declarators(vm);
  if (status == LATCH_OK) {
    status = latch_load(vm, (const uint8_t *)MODULE, strlen(MODULE), "part.lua", false, &module);
  }
  if (status == LATCH_OK) {
    status = latch_load(vm, (const uint8_t *)FLOW, strlen(FLOW), "flow.lua", false, &file);
  }
  if (status == LATCH_OK) status = latch_call(vm, file, (latch_bytes){0}, run, NULL);
  if (status == LATCH_OK) status = declare_door(vm);
  return status == LATCH_OK ? latch_finish_loading(vm, run) : status;
}

static void words_keep_what_they_declare(void) {
  latch_vm *vm = latch_open(0);
  latch_set_callback(vm, answer, vm);
  if (!CHECK(load_words(vm) == LATCH_OK)) {
    latch_bytes message = latch_last_failure(vm).message;
    fprintf(stderr, "  %.*s\n", (int)message.length, (const char *)message.bytes);
  }
  CHECK(latch_kept(vm) == KEPT);
  CHECK(latch_call_rule(vm, GATE, LATCH_NO_REF, RULE) == LATCH_RULE_PASSED);
  CHECK(latch_call_rule(vm, SHARED_GATE, LATCH_NO_REF, RULE) == LATCH_RULE_PASSED);
  latch_begin(vm);
  latch_bytes patch;
  CHECK(latch_call_reducer(vm, REDUCE, REDUCER) == LATCH_OK);
  CHECK(latch_promote(vm) == LATCH_OK && latch_end_transaction(vm, &patch) == LATCH_OK && patch.length > 0);
  latch_run effect = {LATCH_EFFECT, 1000000};
  CHECK(latch_call(vm, EFFECT, (latch_bytes){0}, effect, NULL) == LATCH_OK);
  CHECK(latch_call(vm, SHARED_EFFECT, (latch_bytes){0}, effect, NULL) == LATCH_RUNTIME);
  CHECK(failed_with(vm, "no such view"));
  latch_close(vm);
}

/// Loads the flow with the Nth allocation failing, for N = 0, 1, ... until none fails.
static void loading_survives_every_failure(bool only_one) {
  long n = 0;
  for (; n < 100000; n++) {
    latch_vm *vm = latch_open(0);
    latch_set_callback(vm, answer, vm);
    victim = vm;
    once = only_one;
    hard = true;
    countdown = n;
    latch_status status = load_words(vm);
    bool used_up = countdown > 0;
    countdown = -1;
    victim = NULL;
    CHECK(status == LATCH_OK || status == LATCH_MEMORY || failed_with(vm, "not enough memory"));
    latch_close(vm);
    if (used_up) break;
  }
  CHECK(n > 100 && n < 100000);
}

int main(void) {
  RUN(words_keep_what_they_declare());
  RUN(loading_survives_every_failure(true));
  RUN(loading_survives_every_failure(false));
  return finish("language");
}
