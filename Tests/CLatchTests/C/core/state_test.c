/// The state: the barrier, the journal, adoption, and what failures leave behind.

#include <stdlib.h>

#include "core.h"

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
    CHECK(latch_promote(vm) == LATCH_OK);
    CHECK(latch_end_transaction(vm, &patch) == LATCH_OK);
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
    if (status == LATCH_OK) status = latch_promote(vm);
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

int main(void) {
  RUN(references_survive_runs());
  RUN(caught_faults_leave_places_alone());
  RUN(splices_cost_what_they_move());
  RUN(a_patch_stays_inside_the_memory_limit());
  RUN(the_state_is_never_deeper_than_its_bytes_can_be());
  RUN(deep_tables_freeze());
  RUN(errors_leak_nothing());
  return finish("state");
}
