/// require: the modules of a flow.

#include "language/language.h"

/// Marks a module that is being loaded.
static char under_way;

/// (name, its file, its value): stores the value.
static int has_module(lua_State *L, int status, lua_KContext context) {
  (void)status, (void)context;
  if (lua_isnil(L, 3)) {
    lua_pushboolean(L, 1);
    lua_replace(L, 3);
  }
  latch_push_declared(L, LATCH_R_MODULES);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 3);
  lua_rawset(L, -3);
  latch_push_declared(L, LATCH_R_MODULE_VALUES);
  lua_pushvalue(L, 3);
  lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
  lua_settop(L, 3);
  return 1;
}

/// (name): pushes the module's chunk, and leaves its file in slot 2.
static void load_module(lua_State *L) {
  latch_push_host_function(L, LATCH_HOST_LOAD_MODULE);
  lua_pushvalue(L, 1);
  lua_call(L, 1, 2);
  if (!lua_toboolean(L, -2)) lua_error(L);  // the message has its own place
  lua_Integer reference = lua_tointeger(L, -2);
  lua_replace(L, 2);
  lua_settop(L, 2);
  latch_take_function(L, reference);
  lua_Debug chunk;
  lua_pushvalue(L, -1);
  lua_getinfo(L, ">S", &chunk);
  latch_add_module_source(L, chunk.source);
}

int latch_require(lua_State *L) {
  lua_settop(L, 1);
  if (lua_type(L, 1) != LUA_TSTRING) return latch_raise(L, "require takes a module's name");
  latch_push_declared(L, LATCH_R_MODULES);
  lua_pushvalue(L, 1);
  if (lua_rawget(L, 2) != LUA_TNIL) {
    if (lua_touserdata(L, 3) != &under_way) return 1;
    return latch_raise(L, "module %s requires itself", latch_push_quoted(L, 1));
  }
  latch_must_be_loading(L, lua_pushfstring(L, "module %s", latch_push_quoted(L, 1)));
  lua_settop(L, 2);
  load_module(L);
  latch_push_declared(L, LATCH_R_MODULES);
  lua_pushvalue(L, 1);
  lua_pushlightuserdata(L, &under_way);
  lua_rawset(L, -3);
  lua_pop(L, 1);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  lua_callk(L, 2, 1, 0, has_module);
  return has_module(L, LUA_OK, 0);
}

void latch_freeze_modules(lua_State *L) {
  latch_push_declared(L, LATCH_R_MODULE_VALUES);
  lua_Integer count = (lua_Integer)lua_rawlen(L, -1);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, -1, i);
    if (lua_istable(L, -1)) latch_freeze_in_place(L);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  lua_pushboolean(L, 0);
  lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_MODULE_VALUES);
  latch_forget_declared(L, LATCH_R_MODULE_SOURCES);
}
