/// Values as text, without addresses: two runs print the same text.

#include <math.h>

#include "library/library.h"

/// Pushes the text that the script's own metatable defines for the table, or "table".
static void push_table(lua_State *L, int index) {
  if (luaL_callmeta(L, index, "__tostring")) {
    if (!lua_isstring(L, -1)) luaL_error(L, "'__tostring' must return a string");
    return;
  }
  int type = luaL_getmetafield(L, index, "__name");
  if (type == LUA_TSTRING) return;
  if (type != LUA_TNIL) lua_pop(L, 1);
  lua_pushliteral(L, "table");
}

const char *latch_tolstring(lua_State *L, int index, size_t *length) {
  latch_check_stack(L, 4, NULL);
  index = lua_absindex(L, index);
  switch (lua_type(L, index)) {
    case LUA_TSTRING: lua_pushvalue(L, index); break;
    case LUA_TNUMBER: {
      lua_Number value = lua_tonumber(L, index);
      if (isnan(value)) {
        lua_pushliteral(L, "nan");  // its sign differs between processors
      } else {
        lua_pushvalue(L, index);
      }
      break;
    }
    case LUA_TBOOLEAN: lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false"); break;
    case LUA_TTABLE: push_table(L, index); break;
    case LUA_TLIGHTUSERDATA: lua_pushliteral(L, "userdata"); break;
    default: lua_pushstring(L, luaL_typename(L, index));
  }
  return lua_tolstring(L, -1, length);
}
