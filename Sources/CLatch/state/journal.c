/// The journal of the transition under way: for each write the node, the key, the old value and the
/// operation. Played backwards it restores the state; while it is undone, it keeps the new values,
/// so that it can be played forwards again.

#include "state/state.h"

enum { WIDTH = 4, KEEP_AT_MOST = 4096, KEEP_FEW = 8 };

void latch_append_entry(lua_State *L, int node, int key, int old, latch_operation operation) {
  latch_vm *vm = latch_of(L);
  node = lua_absindex(L, node);
  key = lua_absindex(L, key);
  old = lua_absindex(L, old);
  lua_Integer slot = vm->journal_count * WIDTH;
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_JOURNAL);
  lua_pushvalue(L, node);
  lua_rawseti(L, -2, slot + 1);
  lua_pushvalue(L, key);
  lua_rawseti(L, -2, slot + 2);
  lua_pushvalue(L, old);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_pushlightuserdata(L, latch_none());  // no holes: the journal stays an array
  }
  lua_rawseti(L, -2, slot + 3);
  lua_pushinteger(L, operation);
  lua_rawseti(L, -2, slot + 4);
  lua_pop(L, 1);
  vm->journal_count++;
}

/// Pushes node, key, value (nil where there was none) and operation of an entry (1, 2, ...).
void latch_push_entry(lua_State *L, lua_Integer entry) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_JOURNAL);
  int journal = lua_gettop(L);
  for (int i = 1; i <= WIDTH; i++) lua_rawgeti(L, journal, (entry - 1) * WIDTH + i);
  lua_remove(L, journal);
  if (lua_touserdata(L, -2) == latch_none()) {
    lua_pushnil(L);
    lua_replace(L, -3);
  }
}

/// Pops the value on top of the stack into the entry.
static void keep_value(lua_State *L, lua_Integer entry) {
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_pushlightuserdata(L, latch_none());
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_JOURNAL);
  lua_insert(L, -2);
  lua_rawseti(L, -2, (entry - 1) * WIDTH + 3);
  lua_pop(L, 1);
}

static void swap_field(lua_State *L, int data, int key, int value) {
  lua_pushvalue(L, key);
  lua_rawget(L, data);
  lua_pushvalue(L, key);
  lua_pushvalue(L, value);
  lua_rawset(L, data);
}

/// Of a place the entry keeps both parts: parent as the value, the key in the key's slot.
static void swap_place(lua_State *L, lua_Integer entry, int node, int key, int parent) {
  lua_getmetatable(L, node);
  int place = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_JOURNAL);
  lua_rawgeti(L, place, 2);
  lua_rawseti(L, place + 1, (entry - 1) * WIDTH + 2);
  lua_rawgeti(L, place, 1);
  lua_pushvalue(L, parent);
  lua_rawseti(L, place, 1);
  lua_pushvalue(L, key);
  lua_rawseti(L, place, 2);
}

static void swap_contents(lua_State *L, int node, int data, int other) {
  lua_Integer length = (lua_Integer)lua_rawlen(L, data);
  for (lua_Integer i = 1; i <= length; i++) {
    lua_rawgeti(L, data, i);
    lua_rawgeti(L, other, i);
    lua_rawseti(L, data, i);
    lua_rawseti(L, other, i);
  }
  latch_place_elements(L, node, data);
  lua_pushvalue(L, other);
}

void latch_swap_entry(lua_State *L, lua_Integer entry, bool undo) {
  latch_check_stack(L, 16, "too much at once");
  int top = lua_gettop(L);
  latch_push_entry(L, entry);
  int node = top + 1, key = top + 2, value = top + 3;
  latch_operation operation = (latch_operation)lua_tointeger(L, top + 4);
  latch_push_node_data(L, node);
  int data = top + 5;
  switch (operation) {
    case LATCH_J_SET: swap_field(L, data, key, value); break;
    case LATCH_J_PLACE: swap_place(L, entry, node, key, value); break;
    case LATCH_J_REPLACE: swap_contents(L, node, data, value); break;
    case LATCH_J_KIND:
      lua_pushinteger(L, latch_data_mark(L, data));
      latch_set_mark(L, data, (int)lua_tointeger(L, value));
      break;
    case LATCH_J_INSERT:
    case LATCH_J_REMOVE:
      if (latch_of(L)->doubled) {
        int by = (operation == LATCH_J_INSERT) == undo ? -1 : 1;
        latch_shift_elements(L, node, data, lua_tointeger(L, key), by);
      }
      if ((operation == LATCH_J_INSERT) == undo) {
        latch_raw_remove(L, data, lua_tointeger(L, key));
      } else {
        lua_pushvalue(L, value);
        latch_raw_insert(L, data, lua_tointeger(L, key));
        lua_pushvalue(L, value);
      }
      break;
  }
  keep_value(L, entry);
  lua_settop(L, top);
}

static void clear_slots(lua_State *L, latch_vm *vm) {
  if (vm->journal_count > KEEP_AT_MOST) {
    lua_newtable(L);
    lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_JOURNAL);
    return;
  }
  // A few scalars and nodes that are in the state anyway may stay until they are written over.
  if (!vm->structural && vm->journal_count <= KEEP_FEW) return;
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_JOURNAL);
  for (lua_Integer slot = vm->journal_count * WIDTH; slot >= 1; slot--) {
    lua_pushboolean(L, 0);
    lua_rawseti(L, -2, slot);
  }
  lua_pop(L, 1);
}

void latch_clear_journal(lua_State *L) {
  latch_vm *vm = latch_of(L);
  clear_slots(L, vm);
  vm->journal_count = vm->undone = 0;
  vm->structural = vm->aliased = vm->spliced = vm->doubled = false;
}
