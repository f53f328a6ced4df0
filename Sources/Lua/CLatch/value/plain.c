/// Plain data: the values that the state may have besides tables.

#include <math.h>

#include "value/value.h"

void *latch_none(void) {
  static char none;
  return &none;
}

bool latch_is_none(lua_State *L, int index) {
  return lua_type(L, index) == LUA_TLIGHTUSERDATA && lua_touserdata(L, index) == latch_none();
}

bool latch_is_same(lua_State *L, int a, int b) {
  if (!lua_rawequal(L, a, b)) return false;
  return lua_type(L, a) != LUA_TNUMBER || lua_isinteger(L, a) == lua_isinteger(L, b);
}

bool latch_is_utf8_key(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TSTRING) return true;
  size_t length;
  const char *text = lua_tolstring(L, index, &length);
  return latch_is_utf8(text, length);
}

const char *latch_scalar_fault(lua_State *L, int index) {
  switch (lua_type(L, index)) {
    case LUA_TNIL:
    case LUA_TBOOLEAN:
    case LUA_TTABLE: return NULL;
    case LUA_TNUMBER:
      if (!lua_isinteger(L, index)) {
        lua_Number number = lua_tonumber(L, index);
        if (isnan(number)) return "NaN is not plain data";
        if (number == 0) {
          lua_pushnumber(L, 0.0);  // -0.0 becomes 0.0
          lua_replace(L, index);
        }
      }
      return NULL;
    case LUA_TSTRING: {
      size_t length;
      const char *text = lua_tolstring(L, index, &length);
      latch_charge(L, length);
      return latch_is_utf8(text, length) ? NULL : "strings are UTF-8";
    }
    default: return lua_pushfstring(L, "a %s is not plain data", luaL_typename(L, index));
  }
}
