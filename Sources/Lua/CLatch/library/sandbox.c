/// The globals of scripts.
///
/// The _ENV of scripts is an empty proxy for a table of globals: reading an undefined name is an
/// error, and so is each assignment after loading.

#include <string.h>

#include "library/library.h"

// MARK: Globals

static int undefined_global(lua_State *L) {
  lua_settop(L, 2);
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  const char *name = lua_tostring(L, 2);
  if (latch_push_absent_global(L, name)) return 1;
  latch_push_where(L);
  lua_pushfstring(L, "global %s is not defined", name);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_GLOBALS);
  latch_push_advice(L, -1, name);
  lua_remove(L, -2);
  lua_concat(L, 3);
  return lua_error(L);
}

static void open_environment(lua_State *L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_GLOBALS);
  int globals = lua_gettop(L);
  lua_createtable(L, 0, 2);
  lua_pushcfunction(L, undefined_global);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, globals);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_ENVIRONMENT);
  lua_createtable(L, 0, 3);
  lua_pushvalue(L, globals);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, latch_write_global);
  lua_setfield(L, -2, "__newindex");
  latch_hide_metatable(L, -1);
  lua_setmetatable(L, -2);
  lua_settop(L, globals - 1);
}

void latch_freeze_globals(lua_State *L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_GLOBALS);
  int globals = lua_gettop(L);
  lua_pushnil(L);
  while (lua_next(L, globals)) {
    // The library and the declarators are already read-only.
    bool is_plain =
      lua_istable(L, -1) && latch_kind(L, -1) == LATCH_PLAIN && !latch_is_declarator(L, -1);
    if (is_plain) latch_freeze_in_place(L);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  latch_of(L)->flow.globals_frozen = true;
}

// MARK: Opening

const latch_library latch_libraries[LATCH_LIBRARIES] = {
  {"string", latch_open_string},
  {"table", latch_open_table},
  {"math", latch_open_math},
  {"utf8", latch_open_utf8},
  {"coroutine", latch_open_coroutine},
};

/// The number of globals that a flow's VM has, without the flow's own: the table is created with
/// that size.
enum { GLOBALS = 54 };

static void set_globals_table(lua_State *L) {
  lua_createtable(L, 0, GLOBALS);
  lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_GLOBALS);
}

void latch_open_sandbox(lua_State *L) {
  int top = lua_gettop(L);
  set_globals_table(L);
  for (int i = 0; i < LATCH_LIBRARIES; i++) {
    lua_pushcfunction(L, latch_libraries[i].open);
    lua_call(L, 0, 1);
    if (i == 0) {  // ("x"):rep(2) goes to the library itself, which no script can reach
      lua_pushliteral(L, "");
      lua_createtable(L, 0, 2);
      lua_pushvalue(L, -3);
      lua_setfield(L, -2, "__index");
      latch_hide_metatable(L, -1);
      latch_add_string_arithmetic(L);
      lua_setmetatable(L, -2);
      lua_pop(L, 1);
    }
    // Errors find the names of functions in it, and the prelude finds the library unchanged.
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, latch_libraries[i].name);
    lua_pop(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_GLOBALS);
    lua_insert(L, -2);
    latch_freeze_shallow(L);
    lua_setfield(L, -2, latch_libraries[i].name);
    lua_settop(L, top);
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_GLOBALS);
  luaL_setfuncs(L, latch_base_functions, 0);
  lua_pushliteral(L, LUA_VERSION);
  lua_setfield(L, -2, "_VERSION");
  lua_settop(L, top);
  open_environment(L);
}
