/// The types of payloads: `integer`, `list_of(integer)`, `string { max_length = 20 }`.
///
/// A type is a read-only table that stands for itself. What it was made of is for the checking
/// alone, which looks at it as it is made: nobody else ever asks.

#include "language/language.h"

int latch_make_type(lua_State *L, const char *kind, int options) {
  lua_settop(L, options);
  lua_newtable(L);
  if (lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_TYPES) != LUA_TTABLE) {
    lua_pop(L, 1);
    latch_freeze_shallow(L);
    lua_getmetatable(L, -1);
    lua_pushvalue(L, -1);
    lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_TYPES);
  }
  lua_setmetatable(L, -2);
  if (!latch_is_checked(L)) return 1;
  int made = lua_gettop(L);
  lua_pushstring(L, kind);
  lua_pushvalue(L, made);
  lua_pushvalue(L, options);
  latch_passes_check(L, "type", "made", made + 1);
  lua_settop(L, made);
  return 1;
}

/// (options). The upvalue: the kind.
static int make_element_type(lua_State *L) {
  return latch_make_type(L, lua_tostring(L, lua_upvalueindex(1)), 1);
}

/// (string, options): the library is a type too.
static int make_string_type(lua_State *L) { return latch_make_type(L, "string", 2); }

void latch_add_types(lua_State *L, int globals) {
  static const char *const MADE[] = {"one_of", "list_of", "map_of", "optional"};
  for (size_t i = 0; i < sizeof MADE / sizeof *MADE; i++) {
    lua_pushstring(L, MADE[i]);
    lua_pushcclosure(L, make_element_type, 1);
    lua_setfield(L, globals, MADE[i]);
  }
  lua_getfield(L, globals, "string");
  lua_getmetatable(L, -1);
  lua_pushcfunction(L, make_string_type);
  lua_setfield(L, -2, "__call");
}
