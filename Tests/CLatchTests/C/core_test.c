/// The core of CLatch on its own: the barrier, the journal, adoption, readers, failures, and memory
/// that runs out at every single allocation. `run.sh` builds and runs it, with `--sanitize` under the
/// address and leak sanitizers.
///
/// Flows are trusted chunks that declare their state and leave functions in `host`.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "language/language.h"

// MARK: Allocations that fail

static latch_vm *victim;       ///< the VM whose allocations fail, or NULL
static long countdown = -1;    ///< allocations that still succeed; negative: all of them
static bool once;              ///< only one allocation fails
static bool hard;              ///< also those that the host may not be refused

void *__real_malloc(size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_calloc(size_t count, size_t size);

static bool fails(void) {
  if (countdown < 0) return false;
  if (!hard && victim != NULL && victim->unlimited > 0) return false;
  if (countdown > 0) {
    countdown--;
    return false;
  }
  if (once) countdown = -1;
  return true;
}

void *__wrap_malloc(size_t size) { return fails() ? NULL : __real_malloc(size); }
void *__wrap_realloc(void *block, size_t size) { return fails() ? NULL : __real_realloc(block, size); }
void *__wrap_calloc(size_t count, size_t size) {
  return fails() ? NULL : __real_calloc(count, size);
}

// MARK: Checks

static int checks, faults;
static const char *current = "";

static bool check(bool fine, const char *what, int line) {
  checks++;
  if (!fine) {
    faults++;
    fprintf(stderr, "core_test.c:%d: %s: %s\n", line, current, what);
  }
  return fine;
}
#define CHECK(condition) check(condition, #condition, __LINE__)

// MARK: A flow

static const latch_run REDUCER = {LATCH_REDUCER, 1000000};
static const latch_run RULE = {LATCH_RULE, 1000000};

static latch_vm *open_flow(const char *source, size_t limit) {
  latch_vm *vm = latch_open(limit);
  if (vm == NULL) return NULL;
  latch_ref chunk;
  latch_bytes none = {0};
  latch_status status =
    latch_load(vm, (const uint8_t *)source, strlen(source), "=[moonlatch]", true, &chunk);
  if (status == LATCH_OK) {
    status = latch_call(vm, chunk, none, (latch_run){LATCH_LOADING, 1000000}, NULL);
  }
  if (status == LATCH_OK) return vm;
  latch_failure failure = latch_last_failure(vm);
  if (countdown < 0 && limit == 0) {
    fprintf(stderr, "%s: %.*s\n", current, (int)failure.message.length,
            (const char *)failure.message.bytes);
  }
  latch_close(vm);
  return NULL;
}

static latch_ref function(latch_vm *vm, const char *name) {
  latch_ref reference = LATCH_NO_REF;
  latch_prelude_function(vm, name, &reference);
  return reference;
}

static latch_status dispatch(latch_vm *vm, const char *name) {
  latch_ref reducer = function(vm, name);
  if (reducer == LATCH_NO_REF) return latch_last_failure(vm).status;
  latch_bytes patch;
  latch_begin(vm);
  latch_status status = latch_call_reducer(vm, reducer, REDUCER);
  if (status == LATCH_OK) status = latch_adopt(vm);
  if (status == LATCH_OK) status = latch_commit(vm, &patch);
  if (status != LATCH_OK) latch_rollback(vm);
  latch_release(vm, reducer);
  return status;
}

/// The encoded state; the caller frees it.
static latch_bytes state(latch_vm *vm) {
  latch_bytes value = {0};
  if (latch_state_get(vm, &value) != LATCH_OK) return (latch_bytes){0};
  uint8_t *copy = malloc(value.length);
  memcpy(copy, value.bytes, value.length);
  return (latch_bytes){copy, value.length};
}

static bool same(latch_bytes a, latch_bytes b) {
  return a.length == b.length && a.length > 0 && memcmp(a.bytes, b.bytes, a.length) == 0;
}

static bool failed_with(latch_vm *vm, const char *part) {
  latch_bytes message = latch_last_failure(vm).message;
  char text[2048];
  snprintf(text, sizeof text, "%.*s", (int)message.length, (const char *)message.bytes);
  if (strstr(text, part) != NULL) return true;
  fprintf(stderr, "  the message is: %s\n", text);
  return false;
}

/// The trusted function gives what it should.
static bool is_true(latch_vm *vm, const char *name) {
  latch_ref rule = function(vm, name);
  bool passed = latch_call_rule(vm, rule, LATCH_NO_REF, RULE) == LATCH_RULE_PASSED;
  latch_release(vm, rule);
  return passed;
}

// MARK: Tests

static void references_survive_runs(void) {
  latch_vm *vm = open_flow(
    "host.declare_state { x = 0 }\n"
    "function host.fail() error('no') end\n"
    "function host.fine(s) return s.x == 0 end\n", 0);
  enum { MANY = 400 };
  latch_ref kept[MANY], fail = function(vm, "fail"), fine = function(vm, "fine");
  for (int i = 0; i < MANY; i++) {
    latch_begin(vm);
    CHECK(latch_call_reducer(vm, fail, REDUCER) == LATCH_RUNTIME);  // its coroutine is dropped
    latch_rollback(vm);
    CHECK(latch_keep_string(vm, "name", 4, &kept[i]) == LATCH_OK);
    CHECK(latch_call_rule(vm, fine, LATCH_NO_REF, RULE) == LATCH_RULE_PASSED);
  }
  for (int i = 0; i < MANY; i++) {
    lua_rawgeti(vm->L, LUA_REGISTRYINDEX, kept[i]);
    CHECK(lua_type(vm->L, -1) == LUA_TSTRING);
    lua_pop(vm->L, 1);
  }
  latch_close(vm);
}

/// Takes the readers that were touched: it was this one alone.
static bool took_only(latch_vm *vm, int32_t reader) {
  return latch_take_touched_reader(vm) == reader && latch_take_touched_reader(vm) == LATCH_NO_READER;
}

static void many_failures_touch_readers(void) {
  latch_vm *vm = open_flow(
    "host.declare_state { x = 0, y = 0 }\n"
    "function host.view(s) return s.x end\n"
    "function host.broken(s) if s.y == 1 then error('broken') end return s.y end\n"
    "function host.fail(s) s.x = s.x + 1 error('no') end\n"
    "function host.step(s) s.x = s.x + 1 end\n"
    "function host.flip(s) s.y = s.y + 1 end\n", 0);
  int32_t view, broken;
  latch_bytes value;
  CHECK(latch_reader_add(vm, function(vm, "view"), &view) == LATCH_OK);
  CHECK(latch_reader_add(vm, function(vm, "broken"), &broken) == LATCH_OK);
  CHECK(latch_view_value(vm, view, 1000, &value) == LATCH_OK);
  CHECK(latch_view_value(vm, broken, 1000, &value) == LATCH_OK);
  for (int i = 0; i < 100; i++) {
    CHECK(dispatch(vm, "fail") == LATCH_RUNTIME);
    CHECK(!latch_reader_is_stale(vm, view));
    CHECK(latch_view_value(vm, view, 1000, &value) == LATCH_OK);
  }
  latch_ref step = function(vm, "step");
  latch_begin(vm);
  CHECK(latch_call_reducer(vm, step, REDUCER) == LATCH_OK && latch_adopt(vm) == LATCH_OK);
  CHECK(latch_reader_is_stale(vm, view));
  latch_rollback(vm);
  CHECK(!latch_reader_is_stale(vm, view));
  CHECK(latch_take_touched_reader(vm) == LATCH_NO_READER);
  CHECK(latch_reader_runs(vm, view) == 1);
  for (int i = 0; i < 100; i++) {
    CHECK(dispatch(vm, "step") == LATCH_OK);
    CHECK(latch_view_value(vm, view, 1000, &value) == LATCH_OK);
  }
  CHECK(took_only(vm, view));
  // A view that failed is told of again.
  CHECK(dispatch(vm, "flip") == LATCH_OK);
  CHECK(took_only(vm, broken));
  CHECK(latch_view_value(vm, broken, 1000, &value) == LATCH_RUNTIME);
  CHECK(dispatch(vm, "flip") == LATCH_OK);
  CHECK(took_only(vm, broken));
  CHECK(latch_view_value(vm, broken, 1000, &value) == LATCH_OK);
  latch_close(vm);
}

/// How many reads LATCH_R_DEPENDENTS, the table on top of the stack, tells of for one key, and whether
/// the list of each reader has them at the same place; -1 where one has not.
static lua_Integer reads_of_key(latch_vm *vm, int node, int key, int entry) {
  lua_State *L = vm->L;
  bool several = lua_istable(L, entry);
  lua_Integer count = 0;
  lua_pushnil(L);
  while (several ? lua_next(L, entry) : count == 0) {
    lua_Integer one = several ? lua_tointeger(L, -1) : lua_tointeger(L, entry);
    lua_Integer reader = several ? lua_tointeger(L, -2) : one & 0x7fffffff;
    lua_Integer place = several ? one : one >> 32;
    lua_pop(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_READERS);
    lua_rawgeti(L, -1, reader + 1);
    lua_rawgeti(L, -1, LATCH_READER_READS);
    lua_rawgeti(L, -1, 2 * place + 1);
    lua_rawgeti(L, -2, 2 * place + 2);
    bool there = place < vm->readers[reader].reads && lua_rawequal(L, -2, node) && lua_rawequal(L, -1, key);
    lua_pop(L, 5);
    if (!there) return -1;
    count++;
    if (!several) return count;
  }
  return count;
}

/// Whether what readers have read stands in both places, and nothing else does.
static bool reads_agree(latch_vm *vm) {
  lua_State *L = vm->L;
  lua_Integer told = 0, listed = 0;
  for (int32_t reader = 0; reader < vm->reader_count; reader++) listed += vm->readers[reader].reads;
  int top = lua_gettop(L);
  lua_checkstack(L, 20);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_DEPENDENTS);
  lua_pushnil(L);
  while (lua_next(L, top + 1)) {
    lua_pushnil(L);
    while (lua_next(L, top + 3)) {
      lua_Integer count = reads_of_key(vm, top + 2, top + 4, top + 5);
      if (count < 0) return false;
      told += count;
      lua_settop(L, top + 4);
    }
    lua_settop(L, top + 2);
  }
  lua_settop(L, top);
  return told == listed;
}

static const char READING[] =
  "local list = host.set_mark({ { n = 1 }, { n = 2 }, { n = 3 } }, 'list')\n"
  "host.declare_state { which = 1, a = 1, b = 2, c = 3, list = list }\n"
  "local function rows(s) local n = 0 for _, e in ipairs(s.list) do n = n + e.n end return n end\n"
  "function host.view(s)\n"
  "  if s.which == 1 then return s.a + rows(s) + s.a + s.b end\n"
  "  if s.which == 2 then return s.b + s.a + s.list[2].n end\n"
  "  if s.which == 3 then error('three') end\n"
  "  while s.which == 4 do end\n"
  "  return s.c\n"
  "end\n"
  "function host.b(s) s.b = s.b + 1 end\n"
  "function host.other(s) return s.a + s.which + rows(s) end\n"
  "function host.step(s)\n"
  "  s.which = s.which % 5 + 1\n"
  "  s.a = s.a + 1\n"
  "  if s.which == 2 then table.insert(s.list, 2, { n = s.a }) end\n"
  "end\n";

static void reads_stand_in_both_places(void) {
  latch_vm *vm = open_flow(READING, 0);
  int32_t view, other;
  latch_bytes value;
  CHECK(latch_reader_add(vm, function(vm, "view"), &view) == LATCH_OK);
  CHECK(latch_reader_add(vm, function(vm, "other"), &other) == LATCH_OK);
  int64_t reads[5] = {0};
  for (int step = 0; step < 30; step++) {
    latch_status expected = step % 5 == 2 ? LATCH_RUNTIME : step % 5 == 3 ? LATCH_LIMIT : LATCH_OK;
    CHECK(latch_view_value(vm, view, 10000, &value) == expected);
    CHECK(reads_agree(vm));
    CHECK(latch_view_value(vm, other, 10000, &value) == LATCH_OK);
    CHECK(reads_agree(vm));
    // Six rows more or less are read, and the rest is the same each time.
    if (step % 5 > 1) CHECK(step < 5 || vm->readers[view].reads == reads[step % 5]);
    reads[step % 5] = vm->readers[view].reads;
    if (step % 5 == 1 || step % 5 == 4) {
      CHECK(dispatch(vm, "b") == LATCH_OK);
      CHECK(latch_reader_is_stale(vm, view) == (step % 5 == 1));
      CHECK(!latch_reader_is_stale(vm, other));
      CHECK(latch_view_value(vm, view, 10000, &value) == LATCH_OK);
    }
    CHECK(dispatch(vm, "step") == LATCH_OK);
  }
  CHECK(reads[2] == 1 && reads[3] == 1 && reads[4] == 2);
  latch_close(vm);
}

/// A view runs again with the Nth allocation failing, for N = 0, 1, ... until none fails.
static void reads_survive_every_failure(void) {
  long n = 0;
  bool used_up = false;
  for (; !used_up && n < 10000; n++) {
    latch_vm *vm = open_flow(READING, 0);
    int32_t view, other;
    latch_bytes value;
    latch_reader_add(vm, function(vm, "view"), &view);
    latch_reader_add(vm, function(vm, "other"), &other);
    CHECK(latch_view_value(vm, other, 10000, &value) == LATCH_OK);
    CHECK(latch_view_value(vm, view, 10000, &value) == LATCH_OK);
    CHECK(dispatch(vm, "step") == LATCH_OK);
    victim = vm;
    once = hard = false;
    countdown = n;
    latch_status status = latch_view_value(vm, view, 10000, &value);
    used_up = countdown > 0;
    countdown = -1;
    victim = NULL;
    CHECK(status == LATCH_OK || status == LATCH_MEMORY);
    CHECK(reads_agree(vm));
    CHECK(latch_view_value(vm, view, 10000, &value) == LATCH_OK);
    CHECK(reads_agree(vm));
    CHECK(dispatch(vm, "step") == LATCH_OK);
    CHECK(latch_reader_is_stale(vm, view));
    latch_close(vm);
  }
  CHECK(used_up && n > 2);
}

static void caught_faults_leave_places_alone(void) {
  latch_vm *vm = open_flow(
    "host.declare_state { map = host.set_mark({ a = { b = { c = 1 } }, z = { c = 2 } }, 'map') }\n"
    "function host.step(s)\n"
    "  local a, z = s.map.a, s.map.z\n"
    "  assert(not host.protect(function() a.b = a end))\n"  // a cycle; a.b stays where it is
    "  s.map.y = a.b\n"  // so this is an alias, and a copy when the transition ends
    "end\n"
    "function host.change(s) s.map.y.c = 5 end\n"
    "function host.apart(s) return s.map.y.c == 5 and s.map.a.b.c == 1 end\n", 0);
  CHECK(dispatch(vm, "step") == LATCH_OK);
  CHECK(dispatch(vm, "change") == LATCH_OK);
  CHECK(is_true(vm, "apart"));
  latch_close(vm);
}

static void splices_cost_what_they_move(void) {
  // Each of these took hours when every entry looked at its whole list.
  latch_vm *vm = open_flow(
    "local list, other = {}, {}\n"
    "for i = 1, 20000 do list[i] = { n = i } end\n"
    "host.declare_state { list = list, other = host.set_mark({}, 'list') }\n"
    "function host.write_all(s)\n"
    "  table.insert(s.list, 1, { n = 0 })\n"
    "  for i = 1, #s.list do s.list[i] = { n = -i } end\n"
    "end\n"
    "function host.back_and_forth(s)\n"
    "  for i = 1, 3000 do\n"
    "    local t = { n = i }\n"
    "    table.insert(s.list, t)\n"
    "    s.list[#s.list] = nil\n"
    "    table.insert(s.other, t)\n"
    "  end\n"
    "end\n"
    "function host.shuffle(s)\n"
    "  table.sort(s.list, function(a, b) return a.n % 101 < b.n % 101 end)\n"
    "  for i = 1, #s.list do s.list[i].n = i end\n"
    "end\n"
    "function host.right(s)\n"
    "  return #s.list == 20001 and s.list[20001].n == 20001 and #s.other == 3000\n"
    "    and s.other[7].n == 7\n"
    "end\n", 0);
  const latch_run LONG = {LATCH_REDUCER, 100000000};
  const char *const names[] = {"write_all", "back_and_forth", "shuffle"};
  for (int i = 0; i < 3; i++) {
    latch_bytes patch;
    latch_begin(vm);
    CHECK(latch_call_reducer(vm, function(vm, names[i]), LONG) == LATCH_OK);
    CHECK(latch_adopt(vm) == LATCH_OK);
    CHECK(latch_commit(vm, &patch) == LATCH_OK);
  }
  CHECK(is_true(vm, "right"));
  latch_close(vm);
}

static void a_patch_stays_inside_the_memory_limit(void) {
  latch_vm *vm = open_flow(
    "local big = {}\n"
    "for i = 1, 20000 do big[i] = i end\n"
    "host.declare_state { map = host.set_mark({ big = big }, 'map') }\n"
    "function host.toss(s)\n"
    "  local big = s.map.big\n"
    "  for i = 1, 10000 do s.map.big = nil s.map.big = big end\n"
    "end\n", 8 << 20);
  if (!CHECK(vm != NULL)) return;
  latch_bytes before = state(vm);
  CHECK(dispatch(vm, "toss") == LATCH_MEMORY);
  latch_bytes after = state(vm);
  CHECK(same(before, after));
  free((void *)before.bytes);
  free((void *)after.bytes);
  latch_close(vm);
}

static void the_state_is_never_deeper_than_its_bytes_can_be(void) {
  latch_vm *vm = open_flow(
    "host.declare_state { map = host.set_mark({ a = 1 }, 'map'), list = host.set_mark({}, 'list') }\n"
    "function host.deeper(s)\n"
    "  local n = s.map\n"
    "  while n.next do n = n.next end\n"
    "  n.next = {}\n"
    "end\n"
    "function host.nest(s)\n"  // a move, not a copy
    "  local inner = table.remove(s.list)\n"
    "  s.list[1] = { a = 1 }\n"
    "  s.map.inner = inner\n"
    "end\n"
    "function host.wrap(s)\n"
    "  local inner = s.map.inner or { a = 1 }\n"
    "  s.map.inner = nil\n"
    "  s.map.inner = { inner = inner }\n"
    "end\n", 0);
  const char *const names[] = {"deeper", "wrap"};
  for (int i = 0; i < 2; i++) {
    latch_status status = LATCH_OK;
    int steps = 0;
    while (status == LATCH_OK && steps < 300) {
      status = dispatch(vm, names[i]);
      steps++;
    }
    CHECK(status == LATCH_RUNTIME);
    CHECK(steps > 90 && steps < 105);
    CHECK(failed_with(vm, "nested more than 100 deep"));
    latch_bytes value;
    CHECK(latch_state_get(vm, &value) == LATCH_OK);
  }
  latch_close(vm);
}

static void deep_tables_freeze(void) {
  latch_vm *vm = open_flow(
    "local deep = {}\n"
    "for i = 1, 150000 do deep = { deep } end\n"
    "host.freeze(deep)\n"
    "host.declare_state { x = 1 }\n"
    "assert(host.kind(deep) == 'frozen' and host.kind(deep[1][1][1]) == 'frozen')\n", 0);
  CHECK(vm != NULL);
  latch_close(vm);
}

static void errors_leak_nothing(void) {
  latch_vm *vm = open_flow(
    "host.declare_state { x = 0, list = { 1, 2, 3 }, map = host.set_mark({ a = { b = 1 } }, 'map') }\n"
    "local kinds = {\n"
    "  function(s) error('text') end,\n"
    "  function(s) error({ code = 7, message = 'table' }) end,\n"
    "  function(s) s.x = s.x + 1 local t = nil + s.x end,\n"
    "  function(s) s.nothing = 1 end,\n"
    "  function(s) table.insert(s.list, 1, 9) s.map.a = nil error(nil) end,\n"
    "  function(s) s.map.b = s.map s.x = 2 end,\n"
    "  function(s) s.map.f = { f = tostring } end,\n"
    "  function(s) return 5 end,\n"
    "  function(s) local function f() return 1 + f() end f() end,\n"
    "  function(s) error(setmetatable({}, { __tostring = function() error('again') end })) end,\n"
    "}\n"
    "local turn = 0\n"
    "function host.fail(s) turn = turn % (#kinds - (turn % 500 == 0 and 0 or 2)) + 1 return kinds[turn](s) end\n",
    4 << 20);
  if (!CHECK(vm != NULL)) return;
  latch_bytes before = state(vm);
  latch_ref fail = function(vm, "fail");
  size_t settled = 0;
  for (int i = 0; i < 100000; i++) {
    latch_begin(vm);
    latch_status status = latch_call_reducer(vm, fail, REDUCER);
    if (status == LATCH_OK) status = latch_adopt(vm);
    latch_rollback(vm);
    CHECK(status != LATCH_OK);
    if (i % 10000 == 9999) {
      latch_collect_garbage(vm);
      if (i == 9999) settled = latch_memory_used(vm);
    }
  }
  CHECK(latch_memory_used(vm) < settled + 4096);
  latch_bytes after = state(vm);
  CHECK(same(before, after));
  free((void *)before.bytes);
  free((void *)after.bytes);
  latch_close(vm);
}

static void tiny_limits_open_nothing(void) {
  for (size_t limit = 1; limit < 60000; limit += 997) {
    latch_vm *vm = latch_open(limit);
    if (vm != NULL) CHECK(latch_memory_used(vm) <= limit);
    latch_close(vm);
  }
  CHECK(latch_open(1) == NULL);
  CHECK(latch_open(4000) == NULL);
}

// MARK: Memory that runs out at allocation N

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
    if (status == LATCH_OK) status = latch_adopt(vm);
    if (status == LATCH_OK && latch_check_invariant(vm, invariant, 100000) != LATCH_RULE_PASSED) {
      status = LATCH_RUNTIME;
    }
    if (status == LATCH_OK) status = latch_commit(vm, &patch);
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
    // Where a stack cannot grow Lua says so, whatever the reason.
    CHECK(status == LATCH_OK || status == LATCH_MEMORY || failed_with(vm, "stack overflow"));
    CHECK((status == LATCH_OK) != same(before, after));
    *(status == LATCH_OK ? &passed : &refused) += 1;
    free((void *)before.bytes);
    free((void *)after.bytes);
    latch_close(vm);
  }
  CHECK(passed > 0 && refused > 0);
}

// MARK: The words of a flow

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
  CHECK(latch_adopt(vm) == LATCH_OK && latch_commit(vm, &patch) == LATCH_OK && patch.length > 0);
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

// MARK: Functions that need no hook

static bool needs_no_hook(const char *body) {
  lua_State *L = luaL_newstate();
  lua_pushfstring(L, "local up, t = 1, {} return function(s, a) %s end", body);
  bool needs_none = luaL_dostring(L, lua_tostring(L, -1)) == LUA_OK && latch_runs_without_hook(L, -1);
  lua_close(L);
  return needs_none;
}

static void only_what_cannot_take_long_needs_no_hook(void) {
  static const char *const NO_HOOK[] = {
    "", "return true", "return s.count >= 0, 'the count is negative'", "s.count = s.count + 1",
    "local item = s.items[a.index] item.done = not item.done", "return s.items[a.index] ~= nil",
    "if s.n > a.n and (s.n < 3 or a.text == 'x') then s.n = a.n elseif s.n == 1.5 then s.n = -s.n end",
    "s.a, s.b = s.b, s.a return #s.list == s.n // 2 % 3 ~ 1", "s.n = nil return a.x and a.y or 7",
  };
  static const char *const OTHERS[] = {
    "f()", "s.f()", "s:f()", "return s.f()", "return up", "up = s.n", "return t.n", "return x", "x = s.n",
    "while s.n do s.n = 1 end", "repeat s.n = 1 until a.n", "for i = 1, 2 do s.n = i end",
    "for k in s.n, a do s.n = k end", "::again:: s.n = 1 goto again", "return s.a .. a.b",
    "s.n = {}", "s.n = { 1, 2 }", "s.n = function() end", "local x <close> = s.x",
  };
  for (size_t i = 0; i < sizeof NO_HOOK / sizeof *NO_HOOK; i++) {
    if (!CHECK(needs_no_hook(NO_HOOK[i]))) fprintf(stderr, "  %s\n", NO_HOOK[i]);
  }
  for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++) {
    if (!CHECK(!needs_no_hook(OTHERS[i]))) fprintf(stderr, "  %s\n", OTHERS[i]);
  }
  char many[20 * LATCH_MOST_WITHOUT_HOOK] = "";
  for (int i = 0; i < LATCH_MOST_WITHOUT_HOOK; i++) strcat(many, "s.n = a.n ");
  CHECK(!needs_no_hook(many));
  CHECK(!needs_no_hook("end, function(...) "));  // the last value: it takes any number of arguments
  lua_State *L = luaL_newstate();
  lua_pushcfunction(L, luaopen_base);
  CHECK(!latch_runs_without_hook(L, -1));
  lua_pushinteger(L, 1);
  CHECK(!latch_runs_without_hook(L, -1));
  lua_close(L);
}

// MARK: All of them

#define RUN(call) (current = #call, call)

int main(void) {
  RUN(references_survive_runs());
  RUN(only_what_cannot_take_long_needs_no_hook());
  RUN(many_failures_touch_readers());
  RUN(reads_stand_in_both_places());
  RUN(reads_survive_every_failure());
  RUN(caught_faults_leave_places_alone());
  RUN(splices_cost_what_they_move());
  RUN(a_patch_stays_inside_the_memory_limit());
  RUN(the_state_is_never_deeper_than_its_bytes_can_be());
  RUN(deep_tables_freeze());
  RUN(tiny_limits_open_nothing());
  RUN(errors_leak_nothing());
  RUN(opening_survives_every_failure(true));
  RUN(opening_survives_every_failure(false));
  RUN(dispatch_survives_every_failure("step", true));
  RUN(dispatch_survives_every_failure("step", false));
  RUN(dispatch_survives_every_failure("fail", true));
  RUN(dispatch_survives_every_limit());
  RUN(words_keep_what_they_declare());
  RUN(loading_survives_every_failure(true));
  RUN(loading_survives_every_failure(false));
  printf("core_test: %d checks, %d failed\n", checks, faults);
  return faults == 0 ? 0 : 1;
}
