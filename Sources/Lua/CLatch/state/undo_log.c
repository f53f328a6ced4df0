/// The undo log of the current transaction: for each write that adds, removes or moves a table it
/// has the node, the key, the old value, the operation and the table that is put there, as values
/// of Lua. The log (log.c) has their order among all writes; undoing them from the last one on
/// restores the state.

#include "state/state.h"

enum { WIDTH = 5, KEEP_AT_MOST = 4096 };

static void push_slot(lua_State *L, int undo_log, lua_Integer slot) {
  const latch_cell *cell = latch_element_cell(lua_topointer(L, undo_log), slot);
  if (cell != NULL) latch_push_cell(L, cell);
  else lua_rawgeti(L, undo_log, slot);
}

/// Puts a value there that is never collected.
static void set_slot(lua_State *L, int undo_log, lua_Integer slot) {
  latch_cell *cell = latch_element_cell(lua_topointer(L, undo_log), slot);
  if (cell != NULL) {
    latch_put_in_cell(cell, latch_top_cells(L, 1));
    lua_pop(L, 1);
  } else {
    lua_rawseti(L, undo_log, slot);
  }
}

void latch_undo_log(lua_State *L, latch_place at, latch_operation operation, latch_piece piece) {
  latch_vm *vm = latch_of(L);
  lua_Integer slot = vm->undo_log_count * WIDTH;
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_UNDO_LOG);
  int undo_log = lua_gettop(L);
  lua_pushvalue(L, at.node);
  lua_rawseti(L, undo_log, slot + 1);
  lua_pushvalue(L, at.key);
  lua_rawseti(L, undo_log, slot + 2);
  lua_pushvalue(L, at.old);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_pushlightuserdata(L, latch_none());  // no holes: the undo log stays an array
  }
  lua_rawseti(L, undo_log, slot + 3);
  lua_pushinteger(L, operation);
  set_slot(L, undo_log, slot + 4);
  if (at.put != 0) lua_pushvalue(L, at.put);
  else lua_pushboolean(L, 0);
  lua_rawseti(L, undo_log, slot + 5);
  lua_pop(L, 1);
  latch_log_entry(L, vm, (uint32_t)vm->undo_log_count + 1, piece);
  vm->undo_log_count++;
}

void latch_push_place_of_entry(lua_State *L, lua_Integer entry) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_UNDO_LOG);
  int undo_log = lua_gettop(L);
  push_slot(L, undo_log, (entry - 1) * WIDTH + 1);
  push_slot(L, undo_log, (entry - 1) * WIDTH + 2);
  lua_remove(L, undo_log);
}

void latch_push_entry(lua_State *L, lua_Integer entry) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_UNDO_LOG);
  int undo_log = lua_gettop(L);
  for (int i = 1; i <= WIDTH; i++) push_slot(L, undo_log, (entry - 1) * WIDTH + i);
  lua_remove(L, undo_log);
  if (lua_touserdata(L, -3) == latch_none()) {
    lua_pushnil(L);
    lua_replace(L, -4);
  }
}

// MARK: Taking back

static void put_contents_back(lua_State *L, int node, int data, int old) {
  lua_Integer length = (lua_Integer)lua_rawlen(L, data);
  for (lua_Integer i = 1; i <= length; i++) {
    lua_rawgeti(L, old, i);
    lua_rawseti(L, data, i);
  }
  latch_place_elements(L, node, data);
}

void latch_undo_entry(lua_State *L, lua_Integer entry) {
  enum { NODE = 1, KEY, OLD, OPERATION, PUT, DATA };
  latch_check_stack(L, 16, "too much at once");
  lua_settop(L, 0);
  latch_push_entry(L, entry);
  latch_operation operation = (latch_operation)lua_tointeger(L, OPERATION);
  latch_push_node_data(L, NODE);
  bool doubled = latch_of(L)->doubled;
  lua_Integer position = lua_tointeger(L, KEY);
  switch (operation) {
    case LATCH_J_SET:
      lua_pushvalue(L, KEY);
      lua_pushvalue(L, OLD);
      lua_rawset(L, DATA);
      break;
    case LATCH_J_REPLACE: put_contents_back(L, NODE, DATA, OLD); break;
    case LATCH_J_KIND: latch_set_mark(L, DATA, (int)lua_tointeger(L, OLD)); break;
    case LATCH_J_INSERT:
      if (doubled) latch_shift_elements(L, NODE, DATA, position, -1);
      latch_raw_remove(L, DATA, position);
      break;
    case LATCH_J_REMOVE:
      if (doubled) latch_shift_elements(L, NODE, DATA, position, 1);
      lua_pushvalue(L, OLD);
      latch_raw_insert(L, DATA, position);
      break;
  }
}

static void clear_slots(lua_State *L, latch_vm *vm) {
  if (vm->undo_log_count > KEEP_AT_MOST) {
    lua_newtable(L);
    lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_UNDO_LOG);
    return;
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_UNDO_LOG);
  int undo_log = lua_gettop(L);
  for (lua_Integer slot = vm->undo_log_count * WIDTH; slot >= 1; slot--) {
    lua_pushboolean(L, 0);
    set_slot(L, undo_log, slot);
  }
  lua_pop(L, 1);
}

void latch_clear_undo_log(lua_State *L) {
  latch_vm *vm = latch_of(L);
  if (vm->undo_log_count > 0) clear_slots(L, vm);
  latch_log_end(L, vm);
  latch_forget_puts(L);
  vm->undo_log_count = 0;
  vm->structural = vm->aliased = vm->spliced = vm->doubled = false;
}
