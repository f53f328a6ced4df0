/// The end of a block of a document: the values that it has put into the state are checked again,
/// since a script may have changed a table after assigning it.

#include "state/state.h"

/// The stack: the first error of a write that is undone, all errors by entry, and an entry of the
/// undo log.
enum { FAULT = 1, FAULTY, NODE, KEY, OLD, OPERATION, PUT, DATA };

/// (value, node, key): raises if the value cannot be in the state.
static int check_one(lua_State *L) {
  latch_check_value(L, 1, 2, 3);
  return 0;
}

/// Empties a table of the script, so that the patch needs no space for its contents.
static void empty(lua_State *L, int table) {
  lua_pushnil(L);
  while (lua_next(L, table)) {
    lua_pop(L, 1);
    lua_pushvalue(L, -1);
    lua_pushnil(L);
    lua_rawset(L, table);
  }
}

/// Calls the function on the stack with so many arguments, as a reducer would.
static void call_as_reducer(lua_State *L, int arguments) {
  latch_vm *vm = latch_of(L);
  latch_phase phase = vm->phase;
  vm->phase = LATCH_REDUCER;
  int status = lua_pcall(L, arguments, 0, 0);
  vm->phase = phase;
  if (status != LUA_OK) lua_error(L);
}

/// (list, position)
static int remove_element(lua_State *L) {
  latch_node_remove(L, 1, lua_tointeger(L, 2));
  return 0;
}

/// Pushes an entry that has put a table of the script somewhere. False: it is another entry.
static bool push_put(lua_State *L, lua_Integer entry) {
  lua_settop(L, FAULTY);
  latch_push_entry(L, entry);
  if (!lua_istable(L, PUT) || latch_is_node(L, PUT)) return false;
  lua_Integer operation = lua_tointeger(L, OPERATION);
  return operation == LATCH_J_SET || operation == LATCH_J_INSERT;
}

/// Stores the error of an entry that has put a table which cannot be in the state.
static void check_put(lua_State *L, lua_Integer entry) {
  if (!push_put(L, entry)) return;
  lua_pushcfunction(L, check_one);
  lua_pushvalue(L, PUT);
  lua_pushvalue(L, NODE);
  lua_pushvalue(L, KEY);
  int status = lua_pcall(L, 3, 0, 0);
  if (status == LUA_OK) return;
  if (latch_must_pass_on(L, status)) latch_rekill(L);
  lua_rawseti(L, FAULTY, entry);
}

/// Removes the element that was inserted into a list, wherever in the list it is now. False: it is
/// no longer in the list.
static bool take_out(lua_State *L) {
  lua_Integer length = (lua_Integer)lua_rawlen(L, DATA);
  for (lua_Integer position = 1; position <= length; position++) {
    lua_rawgeti(L, DATA, position);
    bool is_it = lua_rawequal(L, -1, PUT);
    lua_pop(L, 1);
    if (!is_it) continue;
    empty(L, PUT);
    lua_pushcfunction(L, remove_element);
    lua_pushvalue(L, NODE);
    lua_pushinteger(L, position);
    call_as_reducer(L, 2);
    return true;
  }
  return false;
}

/// Restores the previous value of a variable that holds such a table.
static void take_back(lua_State *L, lua_Integer entry) {
  lua_settop(L, FAULTY);
  if (lua_rawgeti(L, FAULTY, entry) == LUA_TNIL) return;
  if (!push_put(L, entry)) return;
  latch_push_node_data(L, NODE);
  if (lua_tointeger(L, OPERATION) == LATCH_J_INSERT) {
    if (!take_out(L)) return;
  } else {
    lua_pushvalue(L, KEY);
    lua_rawget(L, DATA);
    if (!lua_rawequal(L, -1, PUT)) return;
    empty(L, PUT);
    lua_pushcfunction(L, latch_node_write);
    lua_pushvalue(L, NODE);
    lua_pushvalue(L, KEY);
    lua_pushvalue(L, OLD);
    call_as_reducer(L, 3);
  }
  lua_rawgeti(L, FAULTY, entry);
  lua_replace(L, FAULT);
}

/// Undoes the latest entry first, since the table that an entry restores may have an error too.
static int end_block(lua_State *L) {
  latch_vm *vm = latch_of(L);
  lua_settop(L, 0);
  lua_pushnil(L);
  lua_newtable(L);
  lua_Integer count = vm->undo_log_count;
  for (lua_Integer entry = vm->promoted + 1; entry <= count; entry++) check_put(L, entry);
  lua_settop(L, FAULTY);
  lua_pushnil(L);
  bool is_faulty = lua_next(L, FAULTY);
  for (lua_Integer entry = count; is_faulty && entry > vm->promoted; entry--) take_back(L, entry);
  lua_settop(L, FAULT);
  lua_pushcfunction(L, latch_adopt_writes);
  lua_call(L, 0, 0);
  if (!lua_isnil(L, FAULT)) lua_error(L);
  return 0;
}

latch_status latch_end_block(latch_vm *vm) {
  if (!vm->compares_contents || vm->undo_log_count == vm->promoted) return LATCH_OK;
  return latch_protect(vm, end_block, NULL, 0);
}
