/// The number of records at each leaf: counted at the first question, and updated from then on.

#include <string.h>

#include "state/state.h"

/// Adds one record at a position to the counts of the walk.
static void count_record(lua_State *L, int node, int position, void *context) {
  const int *on = context;  // the machine and its counts, as stack indices
  if (!latch_push_machines_at(L, position)) return;
  int machines = lua_gettop(L);
  lua_Integer count = (lua_Integer)lua_rawlen(L, machines);
  bool has_it = false;
  for (lua_Integer i = 1; i <= count && !has_it; i++) {
    lua_rawgeti(L, machines, i);
    has_it = lua_rawequal(L, -1, on[0]);
    lua_pop(L, 1);
  }
  if (!has_it) return;
  latch_push_node_data(L, node);
  lua_rawgeti(L, on[0], LATCH_MACHINE_REGION_COUNT);
  int regions = (int)lua_tointeger(L, -1);
  for (int region = -1; region < regions; region++) {
    int stop = region < 0 ? -1 : latch_stop_of_region(L, on[0], machines + 1, region);
    if (region >= 0 && stop < 0) continue;
    lua_rawgeti(L, on[1], stop + 1);
    lua_pushinteger(L, lua_tointeger(L, -1) + 1);
    lua_rawseti(L, on[1], stop + 1);
    lua_pop(L, 1);
  }
}

/// Pushes the counts of the machine at that index: leaf + 1 -> number; 0 -> number of all records.
static void push_counts(lua_State *L, int machine) {
  latch_vm *vm = latch_of(L);
  int top = lua_gettop(L);
  // While records have been added or removed and not been processed, the counts are not correct.
  bool is_true = !vm->records.is_noted;
  if (is_true && lua_rawgeti(L, machine, LATCH_MACHINE_COUNTS) == LUA_TTABLE) return;
  lua_settop(L, top);
  lua_newtable(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_RECORD_MACHINES);
  lua_rawgeti(L, -1, LATCH_ROOT_POSITION);
  int on[] = {machine, top + 1};
  latch_walk_positions(L, top + 2, top + 4, machine, count_record, on);
  lua_settop(L, top + 1);
  if (!is_true) return;
  lua_pushvalue(L, top + 1);
  lua_rawseti(L, machine, LATCH_MACHINE_COUNTS);
}

/// Pushes the table of the region with that field: from names of states to leaves.
static bool push_stops(lua_State *L, int machine, int field) {
  lua_rawgeti(L, machine, LATCH_MACHINE_REGION_COUNT);
  int regions = (int)lua_tointeger(L, -1);
  lua_pop(L, 1);
  for (int region = 0; region < regions; region++) {
    int first = LATCH_MACHINE_REGIONS + LATCH_REGION_WIDTH * region;
    lua_rawgeti(L, machine, first + LATCH_REGION_FIELD);
    bool is_it = lua_rawequal(L, -1, field);
    lua_pop(L, 1);
    if (!is_it) continue;
    lua_rawgeti(L, machine, first + LATCH_REGION_STOPS);
    return true;
  }
  return false;
}

static bool is_inside(lua_State *L, int text, int path) {
  size_t length, wanted;
  const char *said = lua_tolstring(L, text, &length), *outer = lua_tolstring(L, path, &wanted);
  return length >= wanted && memcmp(said, outer, wanted) == 0 &&
         (length == wanted || said[wanted] == '.');
}

/// Adds up the records at the leaves for which the field has the path, or a path inside it.
static lua_Integer add_up(lua_State *L, int machine, int counts, int stops, int path) {
  int top = lua_gettop(L);
  lua_Integer sum = 0;
  lua_rawgeti(L, machine, LATCH_MACHINE_TEXTS);
  lua_pushnil(L);
  while (lua_next(L, stops)) {
    int text = top + 2, stop = top + 3;
    latch_charge(L, 1);
    // A state with states inside has the number of another leaf.
    lua_rawgeti(L, top + 1, lua_tointeger(L, stop) + 1);
    if (lua_rawequal(L, -1, text) && (lua_isnil(L, path) || is_inside(L, text, path))) {
      lua_rawgeti(L, counts, lua_tointeger(L, stop) + 1);
      sum += lua_tointeger(L, -1);
    }
    lua_settop(L, text);
  }
  lua_settop(L, top);
  return sum;
}

lua_Integer latch_count_records(
  lua_State *L, lua_Integer number, int field, int path, lua_Integer *all) {
  latch_vm *vm = latch_of(L);
  int top = lua_gettop(L);
  *all = 0;
  latch_check_stack(L, 24, "too much at once");
  if (!latch_push_machine(L, number)) return 0;
  if (vm->trace != NULL) latch_trace_records(vm);
  if (vm->recording >= 0) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_PRELUDE);
    lua_pushinteger(L, number);
    latch_remember(L, top + 2, top + 3);
    lua_settop(L, top + 1);
  }
  push_counts(L, top + 1);
  lua_rawgeti(L, top + 2, 0);
  *all = lua_tointeger(L, -1);
  lua_pop(L, 1);
  lua_Integer found = *all;
  if (push_stops(L, top + 1, field)) found = add_up(L, top + 1, top + 2, top + 3, path);
  lua_settop(L, top);
  return found;
}
