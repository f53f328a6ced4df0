/// The types of payloads: `integer`, `list_of(integer)`, `string { max_length = 20 }`.
///
/// A type is a read-only table that is only an identity. Its contents matter only to the check,
/// which reads them when the type is made.

#include "language/language.h"

static int refine(lua_State *L);

/// Pushes a new type.
static void push_new_type(lua_State *L) {
  lua_newtable(L);
  if (lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_TYPES) != LUA_TTABLE) {
    lua_pop(L, 1);
    latch_freeze_shallow(L);
    lua_getmetatable(L, -1);
    lua_pushcfunction(L, refine);
    lua_setfield(L, -2, "__call");
    lua_pushvalue(L, -1);
    lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_TYPES);
  }
  lua_setmetatable(L, -2);
}

/// (type, constraints): the same type with more constraints.
static int refine(lua_State *L) {
  lua_settop(L, 2);
  push_new_type(L);
  if (!latch_of(L)->flow.is_checking) return 1;
  lua_pushvalue(L, 3);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  latch_passes_check(L, "type", "refined", 4);
  lua_settop(L, 3);
  return 1;
}

int latch_make_type(lua_State *L, const char *kind, int options) {
  lua_settop(L, options);
  push_new_type(L);
  if (!latch_of(L)->flow.is_checking) return 1;
  int made = lua_gettop(L);
  lua_pushstring(L, kind);
  lua_pushvalue(L, made);
  lua_pushvalue(L, options);
  latch_passes_check(L, "type", "made", made + 1);
  lua_settop(L, made);
  return 1;
}

/// (options)
static int make_one_of(lua_State *L) { return latch_make_type(L, "one_of", 1); }
static int make_list_of(lua_State *L) { return latch_make_type(L, "list_of", 1); }
static int make_map_of(lua_State *L) { return latch_make_type(L, "map_of", 1); }
static int make_optional(lua_State *L) { return latch_make_type(L, "optional", 1); }

/// (string, options): the library is a type too.
static int make_string_type(lua_State *L) { return latch_make_type(L, "string", 2); }

void latch_add_types(lua_State *L, int globals) {
  static const luaL_Reg MADE[] = {
    {"one_of", make_one_of},
    {"list_of", make_list_of},
    {"map_of", make_map_of},
    {"optional", make_optional},
    {NULL, NULL},
  };
  lua_pushvalue(L, globals);
  luaL_setfuncs(L, MADE, 0);
  lua_getfield(L, -1, "string");
  lua_getmetatable(L, -1);
  lua_pushcfunction(L, make_string_type);
  lua_setfield(L, -2, "__call");
}
