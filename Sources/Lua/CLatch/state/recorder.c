/// Recording nodes: the state as views and invariants see it. `__index` is a function, so that each
/// read is recorded. A record without tables is returned as the node itself: its place was read,
/// and with it all its contents, so that its fields are read inside Lua's VM.

#include "state/state.h"

/// Reading so many elements of a list in sequence counts as a walk through it.
enum { WALK = 8 };

/// Decides whether the read of the node's element at that key must be recorded. A walk through a
/// list reads it with all contents of its records, and is recorded once.
static bool is_noteworthy(lua_State *L, latch_vm *vm, int node, int key) {
  const void *address = lua_topointer(L, node);
  if (address == vm->walk.walked) return false;
  if (!lua_isinteger(L, key)) return true;
  lua_Integer index = lua_tointeger(L, key);
  bool goes_on = address == vm->walk.node && index == vm->walk.index + 1;
  vm->walk.steps = goes_on ? vm->walk.steps + 1 : 0;
  vm->walk.node = address;
  vm->walk.index = index;
  if (vm->walk.steps < WALK) return true;
  latch_remember_walk(L, vm, node);
  return false;
}

void latch_push_seen(lua_State *L) {
  const latch_cell *value = latch_top_cells(L, 1);
  const void *data;
  if (value->type != LATCH_CELL_TABLE) return;
  if (latch_look_at(latch_of(L), value->object, &data) != LATCH_NODE) return;
  if (latch_metatable_of(data) == latch_of(L)->leaf_mark) return;
  latch_push_recorder(L, lua_gettop(L));
  lua_replace(L, -2);
}

static int recorder_read(lua_State *L) {
  latch_check_state_read(L);
  latch_vm *vm = latch_of(L);
  lua_settop(L, 2);
  lua_getmetatable(L, 1);
  lua_rawgeti(L, 3, 1);
  if (is_noteworthy(L, vm, 4, 2)) latch_remember(L, 4, 2);
  if (vm->trace != NULL) latch_trace_read(L, 4, 2);
  latch_push_node_data(L, 4);
  lua_pushvalue(L, 2);
  lua_gettable(L, 5);  // not raw: reading an undeclared field of a closed record raises
  latch_push_seen(L);
  return 1;
}

static void remember_whole(lua_State *L, int node) {
  lua_pushboolean(L, 1);
  latch_remember(L, node, -1);
  lua_pop(L, 1);
}

const void *latch_node_behind(lua_State *L, int index) {
  const void *data, *table = lua_topointer(L, index);
  if (latch_look_at(latch_of(L), table, &data) != LATCH_RECORDER) return table;
  const latch_cell *node = latch_element_cell(latch_metatable_of(table), 1);
  return node == NULL ? NULL : node->object;
}

latch_table_kind latch_push_walked(lua_State *L) {
  latch_vm *vm = latch_of(L);
  latch_table_kind kind = latch_kind(L, 1);
  if (kind == LATCH_PLAIN || kind == LATCH_FROZEN || (kind == LATCH_NODE && vm->trace == NULL))
    return latch_push_data(L, 1);
  latch_check_state_read(L);
  latch_push_table(L, latch_node_behind(L, 1));
  if (kind == LATCH_RECORDER) {
    latch_remember_walk(L, vm, 2);
    remember_whole(L, 2);
  }
  latch_push_node_data(L, 2);
  lua_replace(L, 2);
  return kind;
}

int latch_recorder_write(lua_State *L) {
  latch_vm *vm = latch_of(L);
  return luaL_error(L, "%s cannot change the state; only a reducer can", latch_who_runs(vm));
}

void latch_push_recorded_data(lua_State *L, int index, bool is_length) {
  lua_getmetatable(L, index);
  lua_rawgeti(L, -1, 1);
  latch_vm *vm = latch_of(L);
  if (vm->trace != NULL)
    (is_length ? latch_trace_length : latch_trace_whole)(vm, lua_topointer(L, -1));
  remember_whole(L, lua_gettop(L));
  latch_push_node_data(L, -1);
  lua_replace(L, -3);
  lua_pop(L, 1);
}

static void push_new_recorder(lua_State *L, int node) {
  lua_newtable(L);
  lua_createtable(L, 1, 3);
  lua_pushvalue(L, node);
  lua_rawseti(L, -2, 1);
  lua_pushcfunction(L, recorder_read);
  latch_set_proxy_events(L, latch_recorder_write, true);
  lua_setmetatable(L, -2);
}

void latch_push_recorder(lua_State *L, int node) {
  latch_check_stack(L, 10, "too deep");
  node = lua_absindex(L, node);
  int top = lua_gettop(L);
  if (!lua_getmetatable(L, node)) {  // a state without a declaration
    push_new_recorder(L, node);
    return;
  }
  if (lua_rawgeti(L, top + 1, LATCH_NODE_RECORDER) != LUA_TTABLE) {
    lua_pop(L, 1);
    push_new_recorder(L, node);
    lua_pushvalue(L, -1);
    lua_rawseti(L, top + 1, LATCH_NODE_RECORDER);
  }
  lua_replace(L, top + 1);
}
