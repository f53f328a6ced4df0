/// The globals of a module while the flow loads.
///
/// Before they do anything, libraries look at their environment: at `unpack or table.unpack`, at
/// `_G.jit`, at `debug and debug.traceback`. In a module such names of Lua are nil, and `_G` is a
/// table that can be asked for any name. In the file of a flow they are an error, and so they are
/// in a module once the flow has loaded, since nobody would notice that a rule reads nil.

#include <string.h>

#include "library/library.h"

void latch_add_module_source(lua_State *L, const char *source) {
  if (lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_MODULE_SOURCES) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_MODULE_SOURCES);
  }
  lua_pushboolean(L, 1);
  lua_setfield(L, -2, source);
  lua_pop(L, 1);
}

/// True if the function that reads the global is in the file of a module.
static bool is_read_by_module(lua_State *L) {
  if (latch_of(L)->flow.has_loaded) return false;
  lua_Debug reader;
  if (lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_MODULE_SOURCES) != LUA_TTABLE ||
      !lua_getstack(L, 1, &reader) || !lua_getinfo(L, "S", &reader)) {
    lua_pop(L, 1);
    return false;
  }
  bool is_module = lua_getfield(L, -1, reader.source) == LUA_TBOOLEAN;
  lua_pop(L, 2);
  return is_module;
}

/// The `__index` of a module's _G: (globals, name).
static int read_any_global(lua_State *L) {
  lua_settop(L, 2);
  if (lua_type(L, 2) == LUA_TSTRING && strcmp(lua_tostring(L, 2), "_G") == 0) {
    lua_settop(L, 1);
    return 1;
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_GLOBALS);
  lua_pushvalue(L, 2);
  lua_rawget(L, 3);
  return 1;
}

static void push_module_globals(lua_State *L) {
  if (lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_MODULE_GLOBALS) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_createtable(L, 0, 3);
  lua_pushcfunction(L, read_any_global);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, latch_write_global);
  lua_setfield(L, -2, "__newindex");
  latch_hide_metatable(L, -1);
  lua_setmetatable(L, -2);
  lua_pushvalue(L, -1);
  lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_MODULE_GLOBALS);
}

bool latch_push_absent_global(lua_State *L, const char *name) {
  if (!latch_is_absent_global(name) || !is_read_by_module(L)) return false;
  if (strcmp(name, "_G") == 0) push_module_globals(L);
  else lua_pushnil(L);
  return true;
}
