/// Read-only tables: payloads, libraries, the values of views, and what modules return.

#include "value/value.h"

static int length(lua_State *L) {
  lua_pushinteger(L, latch_length(L, 1));
  return 1;
}

void latch_give_equality(lua_State *L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_EQUALITY);
  lua_setfield(L, -2, "__eq");
}

void latch_set_proxy_events(lua_State *L, lua_CFunction guard, bool has_length) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STRING_INDEX);
  lua_insert(L, -2);
  lua_rawset(L, -3);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STRING_NEWINDEX);
  lua_pushcfunction(L, guard);
  lua_rawset(L, -3);
  if (latch_of(L)->compares_contents) latch_give_equality(L);
  if (!has_length) return;
  lua_pushcfunction(L, length);
  lua_setfield(L, -2, "__len");
}

/// Pushes the metatable that makes an empty table a proxy for the table at `data`. `has_length`:
/// the proxy has a length.
static void push_metatable(lua_State *L, int data, bool has_length) {
  data = lua_absindex(L, data);
  lua_createtable(L, 0, has_length ? 3 : 2);
  lua_pushvalue(L, data);
  latch_set_proxy_events(L, latch_refuse_write, has_length);
}

static void freeze_top(lua_State *L, bool has_length) {
  int data = lua_gettop(L);
  lua_createtable(L, 0, 0);
  push_metatable(L, data, has_length);
  lua_setmetatable(L, -2);
  lua_replace(L, data);
}

/// Puts the key and value on top of the stack into a table, and pops only the value: for use during
/// a traversal.
static void put_pair(lua_State *L, int table) {
  lua_pushvalue(L, -2);
  lua_insert(L, -2);
  lua_rawset(L, table);
}

void latch_freeze(lua_State *L) {
  latch_check_stack(L, 8, "values are nested too deeply");
  int data = lua_gettop(L);
  bool has_length = false;
  lua_pushnil(L);
  while (lua_next(L, data)) {
    has_length = has_length || lua_type(L, -2) != LUA_TSTRING;
    if (lua_type(L, -1) == LUA_TTABLE && latch_kind(L, -1) == LATCH_PLAIN) {
      latch_freeze(L);
      put_pair(L, data);  // assigning to an existing key does not disturb the traversal
    } else {
      lua_pop(L, 1);
    }
  }
  freeze_top(L, has_length);
}

void latch_freeze_shallow(lua_State *L) { freeze_top(L, true); }

void latch_push_frozen_payload(lua_State *L) {
  latch_vm *vm = latch_of(L);
  if (!vm->payload_is_frozen) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_PAYLOAD_FIELDS);
    freeze_top(L, false);
    lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_PAYLOAD);
    vm->payload_is_frozen = true;
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_PAYLOAD);
}

/// Copies the metamethods of the script's own metatable, below `data` on the stack, so that an
/// object still behaves as one.
static void keep_metamethods(lua_State *L, int old, int metatable) {
  lua_pushnil(L);
  while (lua_next(L, old)) {
    bool ours = false;
    if (lua_type(L, -2) == LUA_TSTRING) {
      const char *name = lua_tostring(L, -2);
      ours = __builtin_strcmp(name, "__index") == 0 || __builtin_strcmp(name, "__newindex") == 0;
    }
    if (ours) {
      lua_pop(L, 1);
      continue;
    }
    put_pair(L, metatable);
  }
}

/// Moves the contents of the plain table at `table` to a new table, which is pushed.
static void move_contents(lua_State *L, int table) {
  lua_newtable(L);
  int data = lua_gettop(L);
  lua_pushnil(L);
  while (lua_next(L, table)) {
    put_pair(L, data);
  }
  lua_pushnil(L);
  while (lua_next(L, data)) {
    lua_pop(L, 1);
    // Keys that make a table a class stay, so that objects created before keep their methods.
    size_t length = 0;
    const char *name = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &length) : "";
    if (length > 2 && name[0] == '_' && name[1] == '_') continue;
    lua_pushvalue(L, -1);
    lua_pushnil(L);
    lua_rawset(L, table);
  }
}

bool latch_is_declarator(lua_State *L, int index) {
  const latch_vm *vm = latch_of(L);
  const void *table = lua_topointer(L, index);
  for (int i = 0; i < LATCH_DECLARATORS; i++) {
    if (vm->declarators[i] == table && table != NULL) return true;
  }
  return false;
}

/// Makes one table read-only and adds the tables in it to the list at `waiting`.
static void freeze_one(lua_State *L, int table, int waiting) {
  if (latch_kind(L, table) != LATCH_PLAIN || latch_is_declarator(L, table)) return;
  move_contents(L, table);
  int data = lua_gettop(L);
  push_metatable(L, data, true);
  int metatable = lua_gettop(L);
  if (lua_getmetatable(L, table)) {
    keep_metamethods(L, metatable + 1, metatable);
    lua_pushvalue(L, metatable + 1);
    lua_setmetatable(L, data);  // keys that the table lacks are looked up where they were before
  }
  lua_pushvalue(L, metatable);
  lua_setmetatable(L, table);
  lua_settop(L, data);
  lua_Integer count = (lua_Integer)lua_rawlen(L, waiting);
  lua_pushnil(L);
  while (lua_next(L, data)) {
    if (lua_type(L, -1) == LUA_TTABLE) lua_rawseti(L, waiting, ++count);
    else lua_pop(L, 1);
  }
}

void latch_freeze_in_place(lua_State *L) {
  latch_check_stack(L, 16, NULL);
  int table = lua_gettop(L);
  lua_newtable(L);  // a list of the remaining tables: the tables of a script may be nested without
                    // end
  int waiting = table + 1;
  lua_pushvalue(L, table);
  lua_rawseti(L, waiting, 1);
  for (lua_Integer count = 1; count > 0; count = (lua_Integer)lua_rawlen(L, waiting)) {
    lua_rawgeti(L, waiting, count);
    lua_pushnil(L);
    lua_rawseti(L, waiting, count);
    freeze_one(L, waiting + 1, waiting);
    lua_settop(L, waiting);
  }
  lua_settop(L, table);
}
