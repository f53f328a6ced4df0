/// rawget, rawset, rawequal and rawlen: they bypass only the metatables of scripts.
///
/// Some tables of the host are proxies: nodes of the state, read-only tables, declarators, scopes,
/// the globals. On those the raw functions do what `t[key]`, `t[key] = value` and `#t` do, so that
/// the write barrier sees each write, and a search each read. A read-only table is the exception:
/// its metatable may lead to a class, in which rawget does not look.

#include "layout/layout.h"
#include "library/library.h"
#include "state/trace.h"
#include "state/types.h"

/// The key, by its address, in the metatables that the prelude sets.
static const char host_key;

void latch_mark_host_metatable(lua_State *L, int metatable) {
  metatable = lua_absindex(L, metatable);
  lua_pushboolean(L, 1);
  lua_rawsetp(L, metatable, &host_key);
}

/// True for a table that has a metatable of the host.
static bool is_guarded(lua_State *L, int table) {
  latch_check_stack(L, 4, NULL);
  if (latch_kind(L, table) != LATCH_PLAIN) return true;
  int top = lua_gettop(L);
  if (!lua_getmetatable(L, table)) return false;
  lua_pushliteral(L, "__metatable");
  bool is_hidden = lua_rawget(L, top + 1) == LUA_TBOOLEAN && !lua_toboolean(L, -1);
  bool is_host = is_hidden || lua_rawgetp(L, top + 1, &host_key) != LUA_TNIL;
  lua_settop(L, top);
  return is_host;
}

/// Charges for looking up the key in slot 2 in the raw table at `table`: a long text is hashed, and
/// all numbers in the same slot are compared.
static void charge_look_up(lua_State *L, int table) {
  if (lua_type(L, 2) == LUA_TSTRING) {
    latch_charge(L, lua_rawlen(L, 2));
    return;
  }
  const void *data = lua_topointer(L, table);
  latch_charge(L, latch_probes(data, latch_argument_cells(L) + 1));
}

/// True if the key in slot 2 is not a field of the record at slot 1, so that reading it would
/// raise: its fields are declared by its type, and are not part of the state.
static bool is_undeclared_field(lua_State *L) {
  int top = lua_gettop(L);
  latch_push_node_data(L, 1);
  bool is_undeclared = false;
  if (latch_data_mark(L, top + 1) == 0) {
    lua_getmetatable(L, top + 1);
    lua_rawgeti(L, -1, 1);
    lua_pushvalue(L, 2);
    lua_rawget(L, -2);
    is_undeclared = latch_field_use(lua_tointeger(L, -1)) == 0;
  }
  lua_settop(L, top);
  return is_undeclared;
}

int latch_base_rawget(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checkany(L, 2);
  lua_settop(L, 2);
  latch_table_kind kind = latch_kind(L, 1);
  bool is_shown = kind == LATCH_FROZEN || !is_guarded(L, 1);
  if (is_shown) {
    latch_push_data(L, 1);
  } else if (latch_is_environment(L, 1)) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_GLOBALS);
  } else {
    charge_look_up(L, 1);
    if (kind != LATCH_PLAIN) latch_check_state_read(L);
    if (kind != LATCH_PLAIN && is_undeclared_field(L)) lua_pushnil(L);
    else lua_gettable(L, 1);
    return 1;
  }
  charge_look_up(L, 3);
  lua_pushvalue(L, 2);
  lua_rawget(L, 3);
  return 1;
}

int latch_base_rawset(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checkany(L, 2);
  luaL_checkany(L, 3);
  lua_settop(L, 3);
  charge_look_up(L, 1);
  bool guarded = is_guarded(L, 1);
  luaL_argcheck(L, latch_kind(L, 1) != LATCH_FROZEN, 1, "this table is read-only");
  if (guarded) lua_settable(L, 1);
  else lua_rawset(L, 1);
  lua_settop(L, 1);
  return 1;
}

int latch_base_rawlen(lua_State *L) {
  int type = lua_type(L, 1);
  luaL_argexpected(L, type == LUA_TTABLE || type == LUA_TSTRING, 1, "table or string");
  bool is_shown = type == LUA_TTABLE && latch_kind(L, 1) != LATCH_PLAIN;
  lua_pushinteger(L, is_shown ? latch_length(L, 1) : (lua_Integer)lua_rawlen(L, 1));
  return 1;
}

int latch_base_rawequal(lua_State *L) {
  luaL_checkany(L, 1);
  luaL_checkany(L, 2);
  latch_charge_comparison(L, 1, 2);
  lua_pushboolean(L, lua_rawequal(L, 1, 2));
  return 1;
}
