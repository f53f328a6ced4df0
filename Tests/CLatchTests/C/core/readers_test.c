/// Reads of views and invariants, and the readers that a transaction touches.

#include "core.h"

/// Takes the readers that were touched: it was this one alone.
static bool took_only(latch_vm *vm, int32_t reader) {
  return latch_take_touched_reader(vm) == reader &&
         latch_take_touched_reader(vm) == LATCH_NO_READER;
}

static void many_failures_touch_readers(void) {
  latch_vm *vm =
    open_flow("host.declare_state { x = 0, y = 0 }\n"
              "function host.view(s) return s.x end\n"
              "function host.broken(s) if s.y == 1 then error('broken') end return s.y end\n"
              "function host.fail(s) s.x = s.x + 1 error('no') end\n"
              "function host.step(s) s.x = s.x + 1 end\n"
              "function host.flip(s) s.y = s.y + 1 end\n",
      0);
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
  CHECK(latch_call_reducer(vm, step, REDUCER) == LATCH_OK && latch_promote(vm) == LATCH_OK);
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

/// How many reads LATCH_R_DEPENDENTS, the table on top of the stack, tells of for one key, and
/// whether the list of each reader has them at the same place; -1 where one has not.
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
    bool there =
      place < vm->readers[reader].reads && lua_rawequal(L, -2, node) && lua_rawequal(L, -1, key);
    lua_pop(L, 5);
    if (!there) return -1;
    count++;
    if (!several) return count;
  }
  return count;
}

/// Returns true if both indexes list the same reads, and no others.
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
  int64_t reads = -1;
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
    if (reads < 0) reads = vm->readers[view].reads;
    CHECK(vm->readers[view].reads == reads);
    CHECK(dispatch(vm, "step") == LATCH_OK);
    CHECK(latch_reader_is_stale(vm, view));
    latch_close(vm);
  }
  CHECK(used_up && n > 2);
}

static const char NESTED[] =
  "local list = host.set_mark({}, 'list')\n"
  "for i = 1, 100 do list[i] = { n = i, sub = { x = i, deep = { y = 1 } } } end\n"
  "host.declare_state { at = 1, list = list, other = { sub = { x = 1 } } }\n"
  "function host.walk(s) local n = 0 for _, e in ipairs(s.list) do n = n + e.sub.x end return n end\n"
  "function host.count(s)\n"
  "  local n = 0\n"
  "  for i = 1, #s.list do n = n + s.list[i].sub.deep.y end\n"
  "  return n\n"
  "end\n"
  "function host.one(s) return s.list[s.at].sub.x + s.other.sub.x end\n"
  "function host.same(s)\n"
  "  local one, seen, found = s.list[s.at], {}, 0\n"
  "  seen[one] = true\n"
  "  for _, e in ipairs(s.list) do if seen[e] and e == one then found = found + 1 end end\n"
  "  return found\n"
  "end\n"
  "function host.write(s) for _, e in ipairs(s.list) do e.sub.x = 0 end end\n"
  "function host.x(s) s.list[2].sub.x = s.list[2].sub.x + 1 end\n"
  "function host.y(s) s.list[1].sub.deep.y = s.list[1].sub.deep.y + 1 end\n"
  "function host.elsewhere(s) s.other.sub.x = s.other.sub.x + 1 end\n";

/// A loop over a list depends on all that is below it, with one read; a read of a few fields does
/// not.
static void a_loop_reads_what_is_below(void) {
  latch_vm *vm = open_flow(NESTED, 0);
  static const char *const NAMES[] = {"walk", "count", "one", "same"};
  int32_t readers[4], write;
  latch_bytes value;
  for (int i = 0; i < 4; i++) {
    CHECK(latch_reader_add(vm, function(vm, NAMES[i]), &readers[i]) == LATCH_OK);
    CHECK(latch_view_value(vm, readers[i], 100000, &value) == LATCH_OK);
  }
  uint8_t found[9] = {LATCH_TAG_INTEGER, 1};
  CHECK(same(value, (latch_bytes){found, sizeof found}));  // there is one node for both reads
  CHECK(vm->readers[readers[0]].reads == 2);
  static const struct {
    const char *action;
    bool touches[4];
  } STEPS[] = {{"x", {true, true, false, true}}, {"y", {true, true, false, true}},
    {"elsewhere", {false, false, true, false}}};
  for (int step = 0; step < 3; step++) {
    CHECK(dispatch(vm, STEPS[step].action) == LATCH_OK);
    for (int i = 0; i < 4; i++) {
      CHECK(latch_reader_is_stale(vm, readers[i]) == STEPS[step].touches[i]);
      CHECK(latch_view_value(vm, readers[i], 100000, &value) == LATCH_OK);
    }
    CHECK(reads_agree(vm));
  }
  CHECK(latch_reader_add(vm, function(vm, "write"), &write) == LATCH_OK);
  CHECK(latch_view_value(vm, write, 100000, &value) == LATCH_RUNTIME);
  CHECK(failed_with(vm, "cannot change the state; only a reducer can"));
  CHECK(vm->recorded.count == 0);
  latch_close(vm);
}

static const char KEPT[] =
  "host.declare_state { a = 1, box = { m = 1, rows = { x = { y = { z = 1 } } } } }\n"
  "local step, over\n"
  "function host.keep(s)\n"
  "  if s.a == 1 then step, over = pairs(s.box) end\n"
  "  return s.a\n"
  "end\n"
  "function host.go_on(s)\n"
  "  local key = step(over)\n"
  "  step(over, key)\n"
  "  step, over = nil, nil\n"
  "  for i = 1, 50000 do local garbage = { { i } } end\n"
  "  return s.a\n"
  "end\n"
  "function host.replace(s)\n"
  "  s.a = s.a + 1\n"
  "  s.box = { m = 2, rows = { x = { y = { z = 2 } } } }\n"
  "end\n";

/// A view steps through a table that has left the state, and lets go of it: the collector frees it
/// while the view runs.
static void a_kept_iterator_records_nothing(void) {
  latch_vm *vm = open_flow(KEPT, 0);
  int32_t keep, go_on;
  latch_bytes value;
  CHECK(latch_reader_add(vm, function(vm, "keep"), &keep) == LATCH_OK);
  CHECK(latch_reader_add(vm, function(vm, "go_on"), &go_on) == LATCH_OK);
  CHECK(latch_view_value(vm, keep, 1000, &value) == LATCH_OK);
  CHECK(dispatch(vm, "replace") == LATCH_OK);
  CHECK(latch_view_value(vm, keep, 1000, &value) == LATCH_OK);
  latch_collect_garbage(vm);
  CHECK(latch_view_value(vm, go_on, 10000000, &value) == LATCH_OK);
  CHECK(vm->recorded.count == 0 && vm->readers[go_on].reads == 1);
  latch_close(vm);
}

static const char KEEPING[] =
  "host.declare_state { a = 1, rows = { { sub = { x = 1 } } }, other = { y = 1 } }\n"
  "local kept\n"
  "local cache = {}\n"
  "function host.by_local(s) kept = kept or s.rows[1] return kept.sub.x end\n"
  "function host.by_table(s)\n"
  "  if not cache.row then cache.row = s.rows[1] end\n"
  "  return cache.row.sub.x\n"
  "end\n"
  "local function row(s) kept = kept or s.rows[1] return kept end\n"
  "function host.by_function(s) return row(s).sub.x end\n"
  "local factors = { 2, 3 }\n"
  "function host.plain(s) return s.rows[1].sub.x * factors[1] end\n"
  "function host.change(s) s.rows[1].sub.x = s.rows[1].sub.x + 1 end\n"
  "function host.aside(s) s.other.y = s.other.y + 1 end\n";

/// A view that may keep a table of the state depends on everything: the next run reads it without
/// asking for it.
static void a_view_that_keeps_a_table_depends_on_all(void) {
  const char *names[] = {"by_local", "by_table", "by_function", "plain"};
  latch_vm *vm = open_flow(KEEPING, 0);
  latch_bytes value;
  int32_t views[4];
  for (int i = 0; i < 4; i++) {
    CHECK(latch_reader_add(vm, function(vm, names[i]), &views[i]) == LATCH_OK);
  }
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < 4; i++) {
      CHECK(latch_view_value(vm, views[i], 10000, &value) == LATCH_OK);
      CHECK(!latch_reader_is_stale(vm, views[i]));
    }
    CHECK(dispatch(vm, "aside") == LATCH_OK);
    for (int i = 0; i < 4; i++) CHECK(latch_reader_is_stale(vm, views[i]) == (i < 3));
    CHECK(dispatch(vm, "change") == LATCH_OK);
    for (int i = 0; i < 4; i++) CHECK(latch_reader_is_stale(vm, views[i]));
  }
  latch_close(vm);
}

int main(void) {
  RUN(many_failures_touch_readers());
  RUN(reads_stand_in_both_places());
  RUN(reads_survive_every_failure());
  RUN(a_loop_reads_what_is_below());
  RUN(a_kept_iterator_records_nothing());
  RUN(a_view_that_keeps_a_table_depends_on_all());
  return finish("readers");
}
