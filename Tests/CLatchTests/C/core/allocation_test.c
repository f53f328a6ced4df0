/// Memory that runs out: at every single allocation, and at every limit.

#include <stdio.h>
#include <stdlib.h>

#include "core.h"

static void tiny_limits_open_nothing(void) {
  for (size_t limit = 1; limit < 60000; limit += 997) {
    latch_vm *vm = latch_open(limit);
    if (vm != NULL) CHECK(latch_memory_used(vm) <= limit);
    latch_close(vm);
  }
  CHECK(latch_open(1) == NULL);
  CHECK(latch_open(4000) == NULL);
}

static const char STRUCTURAL[] =
  "host.declare_state {\n"
  "  x = 0, name = 'a', user = { name = 'u', tags = host.set_mark({}, 'list') },\n"
  "  list = { { n = 1 }, { n = 2 }, { n = 3 } }, map = host.set_mark({ a = { b = 1 } }, 'map'),\n"
  "}\n"
  "function host.step(s)\n"
  "  s.x = s.x + 1\n"
  "  s.name = s.name .. 'b'\n"
  "  s.user.name = 'w' .. s.x\n"
  "  s.list[2].n = 2.5\n"
  "  s.map.a.b = s.map.a.b + 0.5\n"
  "  s.user = { name = 'v', tags = { 'one', 'two' } }\n"
  "  table.insert(s.list, 1, { n = 0 })\n"
  "  local moved = table.remove(s.list, 2)\n"
  "  s.map.moved = moved\n"
  "  s.map.alias = s.list[1]\n"
  "  s.list[1], s.list[2] = s.list[2], s.list[1]\n"
  "  table.sort(s.list, function(a, b) return a.n > b.n end)\n"
  "  for i = 1, 40 do s.map['k' .. i] = { i } end\n"
  "end\n"
  "function host.fail(s) host.step(s) error('late') end\n"
  "function host.view(s) local t = {} for i, e in ipairs(s.list) do t[i] = e.n end return t end\n"
  "function host.invariant(s) return s.x >= 0 and #s.list > 0 end\n";

static void opening_survives_every_failure(bool only_one) {
  for (long n = 0; n < 100000; n++) {
    countdown = n;
    once = only_one;
    hard = true;
    victim = NULL;
    latch_vm *vm = open_flow(STRUCTURAL, 0);
    bool reached = countdown < 0 || countdown == 0;
    bool succeeded = vm != NULL && countdown > 0;
    countdown = -1;
    latch_close(vm);
    if (succeeded || !reached) break;
  }
  CHECK(true);
}

/// Dispatches with the Nth allocation failing, for N = 0, 1, ... until none fails.
static void dispatch_survives_every_failure(const char *action, bool only_one) {
  long n = 0;
  for (; n < 200000; n++) {
    latch_vm *vm = open_flow(STRUCTURAL, 0);
    int32_t view, invariant;
    latch_bytes value;
    latch_reader_add(vm, function(vm, "view"), &view);
    latch_reader_add(vm, function(vm, "invariant"), &invariant);
    latch_view_value(vm, view, 100000, &value);
    latch_bytes before = state(vm);
    latch_ref reducer = function(vm, action);
    victim = vm;
    once = only_one;
    hard = false;
    countdown = n;
    latch_begin(vm);
    latch_bytes patch;
    latch_status status = latch_call_reducer(vm, reducer, REDUCER);
    if (status == LATCH_OK) status = latch_promote(vm);
    if (status == LATCH_OK && latch_check_invariant(vm, invariant, 100000) != LATCH_RULE_PASSED) {
      status = LATCH_RUNTIME;
    }
    if (status == LATCH_OK) status = latch_end_transaction(vm, &patch);
    if (status != LATCH_OK) latch_rollback(vm);
    bool used_up = countdown > 0;
    countdown = -1;
    victim = NULL;
    latch_bytes after = state(vm);
    if (status != LATCH_OK && !CHECK(same(before, after))) fprintf(stderr, "  allocation %ld\n", n);
    // Whatever happened, the VM goes on.
    CHECK(dispatch(vm, "step") == LATCH_OK);
    CHECK(latch_view_value(vm, view, 100000, &value) == LATCH_OK);
    free((void *)before.bytes);
    free((void *)after.bytes);
    latch_close(vm);
    if (used_up) break;
  }
  CHECK(n > 20 && n < 200000);
}

/// The same with a real limit, a little higher each time.
static void dispatch_survives_every_limit(void) {
  latch_vm *probe = open_flow(STRUCTURAL, 0);
  size_t needed = latch_memory_used(probe);
  latch_close(probe);
  int passed = 0, refused = 0;
  for (size_t extra = 0; extra < 60000; extra += 211) {
    latch_vm *vm = open_flow(STRUCTURAL, 0);
    latch_collect_garbage(vm);
    latch_bytes before = state(vm);
    latch_set_memory_limit(vm, needed + extra);
    latch_status status = dispatch(vm, "step");
    latch_set_memory_limit(vm, 0);
    latch_bytes after = state(vm);
    // Lua reports a stack overflow if a stack cannot grow, whatever the reason.
    CHECK(status == LATCH_OK || status == LATCH_MEMORY || failed_with(vm, "stack overflow"));
    CHECK((status == LATCH_OK) != same(before, after));
    *(status == LATCH_OK ? &passed : &refused) += 1;
    free((void *)before.bytes);
    free((void *)after.bytes);
    latch_close(vm);
  }
  CHECK(passed > 0 && refused > 0);
}

int main(void) {
  RUN(tiny_limits_open_nothing());
  RUN(opening_survives_every_failure(true));
  RUN(opening_survives_every_failure(false));
  RUN(dispatch_survives_every_failure("step", true));
  RUN(dispatch_survives_every_failure("step", false));
  RUN(dispatch_survives_every_failure("fail", true));
  RUN(dispatch_survives_every_limit());
  return finish("allocation");
}
