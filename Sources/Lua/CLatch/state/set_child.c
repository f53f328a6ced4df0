/// The places of nodes that are added and removed during a transaction.

#include "state/state.h"

bool latch_is_home(lua_State *L, int index, int node, int key) {
  if (!latch_is_node(L, index)) return false;
  const latch_cell *above = latch_element_cell(latch_metatable_of(lua_topointer(L, index)), 1);
  bool here = above->type == LATCH_CELL_TABLE && above->object == lua_topointer(L, node);
  int top = lua_gettop(L);
  // If a node is in the state more than once, this may be another position than its place.
  if (here && latch_of(L)->aliased) {
    here = latch_push_place(L, index) && lua_rawequal(L, -1, key);
  }
  lua_settop(L, top);
  return here;
}

void latch_detach(lua_State *L, int index, int node, int key) {
  if (!latch_is_home(L, index, node, key)) return;
  latch_log_place(L, latch_of(L), lua_topointer(L, index));
  if (latch_of(L)->has_records) latch_note_leaving(L, index, node);
  lua_getmetatable(L, index);
  lua_pushboolean(L, 0);
  lua_rawseti(L, -2, 1);
  lua_pop(L, 1);
}

/// True if the node at `index` is `node` or above it. It is not looked for above the deepest
/// nesting: nothing is nested so deeply when the transaction ends.
static bool is_above(lua_State *L, int index, int node) {
  int top = lua_gettop(L);
  lua_pushvalue(L, node);
  for (int depth = 1; depth <= LATCH_DEEPEST_NESTING; depth++) {
    if (lua_rawequal(L, -1, index)) {
      lua_settop(L, top);
      return true;
    }
    lua_getmetatable(L, -1);
    lua_rawgeti(L, -1, 1);
    if (!lua_istable(L, -1)) break;
    lua_replace(L, top + 1);
    lua_settop(L, top + 1);
  }
  lua_settop(L, top);
  return false;
}

void latch_check_cycle(lua_State *L, int index, int node, int key) {
  if (latch_is_node(L, index) && is_above(L, index, node)) {
    latch_path_error(L, node, key, "a table cannot contain itself (a cycle)");
  }
}

bool latch_is_free(lua_State *L, int index, int node, int key) {
  if (!latch_is_node(L, index)) return false;
  index = lua_absindex(L, index);
  int top = lua_gettop(L);
  lua_getmetatable(L, index);
  lua_rawgeti(L, top + 1, 1);
  latch_push_node_data(L, index);
  latch_push_node_data(L, node);
  // A node is copied if it moves to another type, or to a record of which there is only one place.
  bool free = !lua_istable(L, top + 2) && !latch_is_taken_from(L, index) &&
              latch_takes_shape(L, top + 4, key, latch_metatable_of(lua_topointer(L, top + 3)));
  lua_settop(L, top);
  return free;
}

bool latch_is_taken_from(lua_State *L, int index) {
  lua_getmetatable(L, index);
  bool taken = lua_rawgeti(L, -1, LATCH_NODE_TAKEN_FROM) == LUA_TBOOLEAN;
  lua_pop(L, 2);
  return taken;
}

void latch_take_from_parents(lua_State *L, int index) {
  int top = lua_gettop(L);
  latch_check_stack(L, 6, "too much at once");
  lua_pushvalue(L, index);
  for (;;) {
    lua_getmetatable(L, top + 1);
    bool goes_on = lua_rawgeti(L, -1, 1) == LUA_TTABLE;
    lua_replace(L, top + 1);
    lua_settop(L, top + 1);
    if (!goes_on || latch_is_taken_from(L, top + 1)) break;
    lua_getmetatable(L, top + 1);
    lua_pushboolean(L, 1);
    lua_rawseti(L, -2, LATCH_NODE_TAKEN_FROM);
    lua_settop(L, top + 1);
  }
  lua_settop(L, top);
}

void latch_move_node(lua_State *L, int index, int node, int key) {
  latch_log_place(L, latch_of(L), lua_topointer(L, index));
  latch_set_place(L, index, node, key);
  if (latch_of(L)->has_records) latch_note_coming(L, index, node);
}

void latch_set_child(lua_State *L, int index, int node, int key) {
  latch_vm *vm = latch_of(L);
  if (!latch_is_node(L, index)) return;
  if (latch_is_free(L, index, node, key)) {
    latch_move_node(L, index, node, key);
  } else {
    vm->aliased = true;
    if (latch_push_place(L, index))
      lua_pop(L, 2);  // exact from now on, since the list may soon contain it twice
  }
  latch_push_node_data(L, node);
  if (vm->aliased && latch_data_mark(L, -1) == LATCH_R_LIST) vm->doubled = true;
  lua_pop(L, 1);
}
