/// VMs that are cast from a mould do what the one did that it was made of, each for itself, also when the
/// mould has been let go; and what belongs to one VM alone is in no mould.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "language/language.h"

static int checks, faults;

static void check(bool fine, const char *what, int line) {
  checks++;
  if (fine) return;
  faults++;
  fprintf(stderr, "mould_test.c:%d: %s\n", line, what);
}
#define CHECK(condition) check(condition, #condition, __LINE__)

static const latch_run LOADING = {LATCH_LOADING, 10000000}, REDUCER = {LATCH_REDUCER, 10000000};

static const char FLOW[] =
  "state { total = 0, rows = list {}, names = map { first = 'one' }, when_it_began = 'never', "
  "  a_field_whose_name_is_longer_than_any_short_string = 1.5 }\n"
  "local count, made = 140737488355328, { 1, 2, 'three', { deep = true } }\n"
  "local text = ('long '):rep(30)\n"
  "local function add(s, amount) s.total = s.total + amount; return #made + #text end\n"
  "local class = setmetatable({}, { __index = function(_, key) return key .. '!' end })\n"
  "machine.door { initial = 'closed', closed = { open = 'opened' }, opened = { close = 'closed' } }\n"
  "function reduce.add(s, a)\n"
  "  count = count + 1\n"
  "  s.rows[#s.rows + 1] = { number = add(s, 5), name = 'row ' .. #s.rows, long = text }\n"
  "  s.names['name ' .. s.total] = class.wow\n"
  "  assert(count > 140737488355328)\n"
  "end\n"
  "function reduce.fill(s) for i = 1, 3000 do s.rows[#s.rows + 1] = { number = i } end end\n"
  "function reduce.spoil(s) local wrong = s.total\n\n  return wrong.field.other end\n"
  "function reduce.move(s) s.door = 'opened' end\n"
  "function reduce.churn(s)\n"
  "  local kept = {}\n"
  "  for i = 1, 20000 do kept[i % 97] = { i, tostring(i), function() return i end } end\n"
  "  add, class, text, made = nil, nil, nil, nil\n"
  "end\n"
  "function view.total(s) return s.total + #s.rows end\n";

/// The functions are kept in the order of their declarations.
enum { ADD = -1, FILL = -2, SPOIL = -3, MOVE = -4, CHURN = -5, VIEW = -6 };

static latch_reply_kind answer(
  void *context, int32_t function, const uint8_t *arguments, size_t length) {
  (void)context, (void)function, (void)arguments, (void)length;
  return LATCH_REPLY;
}

/// The machine's field, as a host says it.
static latch_status declare_door(latch_vm *vm) {
  latch_bytes field = {(const uint8_t *)"door", 4}, value = {(const uint8_t *)"closed", 6};
  return latch_declare_region(vm, field, value);
}

static latch_status load(latch_vm *vm, const char *flow) {
  latch_ref chunk;
  latch_set_callback(vm, answer, NULL);
  latch_status status = latch_open_flow_library(vm);
  if (status == LATCH_OK) status = latch_open_declarators(vm);
  if (status == LATCH_OK)
    status = latch_load(vm, (const uint8_t *)flow, strlen(flow), "flow.lua", false, &chunk);
  if (status == LATCH_OK) status = latch_call(vm, chunk, (latch_bytes){0}, LOADING, NULL);
  if (status == LATCH_OK) latch_release(vm, chunk);
  if (status == LATCH_OK) status = declare_door(vm);
  if (status == LATCH_OK) status = latch_finish_loading(vm, LOADING);
  return status;
}

static latch_template *mould_of(const char *flow) {
  latch_vm *vm = latch_open_noted(0);
  CHECK(load(vm, flow) == LATCH_OK);
  int32_t reader;
  if (latch_kept(vm) == -VIEW) CHECK(latch_reader_add(vm, VIEW, &reader) == LATCH_OK);
  latch_collect_garbage(vm);
  latch_template *vm_template = latch_make_template(vm);
  latch_close(vm);
  return vm_template;
}

static latch_status reduce(latch_vm *vm, latch_ref function) {
  latch_bytes patch;
  latch_begin(vm);
  latch_status status = latch_call_reducer(vm, function, REDUCER);
  if (status == LATCH_OK) status = latch_promote(vm);
  if (status == LATCH_OK) status = latch_end_transaction(vm, &patch);
  else latch_rollback(vm);
  return status;
}

static bool failed_at(latch_vm *vm, int line, const char *part) {
  latch_failure failure = latch_last_failure(vm);
  char message[300];
  snprintf(message, sizeof message, "%.*s", (int)failure.message.length, failure.message.bytes);
  return failure.line == line && strstr(message, part) != NULL;
}

/// Plays the VM's flow, and returns its state as bytes that the caller frees.
static latch_bytes play(latch_vm *vm) {
  latch_bytes state = {0};
  latch_set_payload(vm, NULL, 0, 0);
  for (int i = 0; i < 5; i++) CHECK(reduce(vm, ADD) == LATCH_OK);
  CHECK(reduce(vm, SPOIL) == LATCH_RUNTIME && failed_at(vm, 16, "local 'wrong'"));
  CHECK(reduce(vm, MOVE) == LATCH_RUNTIME && failed_at(vm, 17, "only its machine"));
  CHECK(reduce(vm, FILL) == LATCH_OK);
  CHECK(reduce(vm, CHURN) == LATCH_OK);
  latch_collect_garbage(vm);
  CHECK(reduce(vm, ADD) == LATCH_RUNTIME && failed_at(vm, 9, "upvalue 'add'"));
  CHECK(latch_state_get(vm, &state) == LATCH_OK);
  uint8_t *copy = malloc(state.length);
  memcpy(copy, state.bytes, state.length);
  return (latch_bytes){copy, state.length};
}

static latch_bytes expected;

static void play_as_expected(latch_vm *vm) {
  latch_bytes found = play(vm);
  CHECK(found.length == expected.length && memcmp(found.bytes, expected.bytes, found.length) == 0);
  free((void *)(uintptr_t)found.bytes);
}

// MARK: Casts

static void casts_do_what_was_loaded(void) {
  latch_vm *loaded = latch_open(0), *casts[20];
  CHECK(load(loaded, FLOW) == LATCH_OK);
  expected = play(loaded);
  latch_template *vm_template = mould_of(FLOW);
  CHECK(vm_template != NULL);
  if (vm_template == NULL) return;
  for (int i = 0; i < 20; i++) casts[i] = latch_clone(vm_template);
  latch_drop_template(vm_template);
  for (int i = 0; i < 20; i++) {
    CHECK(latch_number(casts[i]) > 0 && latch_instructions_total(casts[i]) == 0);
    if (i % 3 != 0) play_as_expected(casts[i]);
    if (i % 2 == 0) latch_close(casts[i]);
  }
  for (int i = 1; i < 20; i += 2) latch_close(casts[i]);
  latch_close(loaded);
}

static void readers_are_cast(void) {
  latch_template *vm_template = mould_of(FLOW);
  latch_vm *vm = latch_clone(vm_template);
  latch_bytes first, second;
  CHECK(latch_view_value(vm, 0, 100000, &first) == LATCH_OK && latch_reader_runs(vm, 0) == 1);
  CHECK(latch_view_value(vm, 0, 100000, &first) == LATCH_OK && latch_reader_runs(vm, 0) == 1);
  CHECK(reduce(vm, ADD) == LATCH_OK && latch_reader_is_stale(vm, 0));
  CHECK(latch_view_value(vm, 0, 100000, &second) == LATCH_OK && latch_reader_runs(vm, 0) == 2);
  latch_close(vm);
  latch_drop_template(vm_template);
}

static void casts_have_images(void) {
  latch_template *vm_template = mould_of(FLOW);
  latch_vm *vm = latch_clone(vm_template);
  latch_drop_template(vm_template);
  CHECK(latch_prepare_delta(vm) && latch_keep_image(vm));
  play_as_expected(vm);
  CHECK(latch_go_back(vm));
  CHECK(reduce(vm, ADD) == LATCH_OK);
  latch_delta *aside = latch_save_delta(vm, SIZE_MAX);
  CHECK(aside != NULL);
  play_as_expected(vm);
  CHECK(latch_go_back(vm));
  latch_take_up(vm, aside);
  CHECK(latch_go_back(vm));
  play_as_expected(vm);
  latch_close(vm);
}

static void limits_are_cast(void) {
  latch_vm *vm = latch_open_noted(1 << 20);
  CHECK(load(vm, FLOW) == LATCH_OK);
  latch_collect_garbage(vm);
  latch_template *vm_template = latch_make_template(vm);
  latch_close(vm);
  vm = latch_clone(vm_template);
  latch_status status = LATCH_OK;
  for (int i = 0; i < 10 && status == LATCH_OK; i++) status = reduce(vm, FILL);
  CHECK(status == LATCH_MEMORY);
  CHECK(reduce(vm, ADD) == LATCH_OK);
  latch_close(vm);
  latch_drop_template(vm_template);
}

static void *play_some(void *vm_template) {
  for (int i = 0; i < 10; i++) {
    latch_vm *vm = latch_clone(vm_template);
    latch_bytes state;
    for (int j = 0; j < 5; j++) {
      if (reduce(vm, ADD) != LATCH_OK) return NULL;
    }
    latch_collect_garbage(vm);
    if (reduce(vm, CHURN) != LATCH_OK || latch_state_get(vm, &state) != LATCH_OK) return NULL;
    latch_close(vm);
  }
  return vm_template;
}

static void threads_cast_at_once(void) {
  latch_template *vm_template = mould_of(FLOW);
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) CHECK(pthread_create(&threads[i], NULL, play_some, vm_template) == 0);
  for (int i = 0; i < 4; i++) {
    void *answer = NULL;
    CHECK(pthread_join(threads[i], &answer) == 0 && answer == vm_template);
  }
  latch_drop_template(vm_template);
}

// MARK: What cannot be cast

static void what_belongs_to_one_vm_is_in_no_mould(void) {
  static const char *const flows[] = {
    "local t = {} state { n = 0 } local keyed = { [t] = 1 } function reduce.a() return keyed end",
    "state { n = 0 } local keyed = { [print] = 1, [function() end] = 2 }\n"
    "function reduce.a() return keyed end",
    "state { n = 0 } local waits = coroutine.wrap(function() coroutine.yield() end) waits()\n"
    "function reduce.a() waits() end",
  };
  for (size_t i = 0; i < sizeof flows / sizeof *flows; i++) CHECK(mould_of(flows[i]) == NULL);
  latch_template *vm_template = mould_of("state { n = 0 } local f = { [print] = 1 } function reduce.a() f[1] = 2 end");
  CHECK(vm_template != NULL);  // a function of C's is where it is
  latch_drop_template(vm_template);
  latch_vm *vm = latch_open(0);
  CHECK(latch_make_template(vm) == NULL);
  latch_close(vm);
  vm = latch_open_noted(0);
  latch_begin_work(vm, LATCH_LOADING, 1000, false);
  CHECK(latch_make_template(vm) == NULL);
  latch_end_work(vm);
  latch_close(vm);
}

static void what_is_too_large_is_in_no_mould(void) {
  CHECK(mould_of("local all = {} for i = 1, 70000 do all[i] = {} end state { n = 0 }\n"
                 "function reduce.a() return all end") == NULL);
  latch_template *vm_template = mould_of("for i = 1, 300000 do local t = { i } end state { n = 0 }");
  CHECK(vm_template != NULL);  // what was garbage is no part of it
  latch_drop_template(vm_template);
}

int main(void) {
  casts_do_what_was_loaded();
  readers_are_cast();
  casts_have_images();
  limits_are_cast();
  threads_cast_at_once();
  what_belongs_to_one_vm_is_in_no_mould();
  what_is_too_large_is_in_no_mould();
  free((void *)(uintptr_t)expected.bytes);
  printf("mould: %d checks, %d failed\n", checks, faults);
  return faults == 0 ? 0 : 1;
}
