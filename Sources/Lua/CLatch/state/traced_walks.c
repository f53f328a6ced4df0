/// Walks through tables of the state in a VM that traces: each element is reported when it is read.
///
/// In other VMs a walk reads the data behind a node, which is faster; here that would only report
/// that all of it was read at once.

#include "state/state.h"

/// (node, index): the next element; upvalue 1 is the last index, or nil if the first missing
/// element is the end.
static int next_traced_element(lua_State *L) {
  latch_check_state_read(L);
  bool is_counted = !lua_isnil(L, lua_upvalueindex(1));
  lua_Integer last = is_counted ? lua_tointeger(L, lua_upvalueindex(1)) : LUA_MAXINTEGER;
  lua_Integer i = lua_isnoneornil(L, 2) ? 0 : latch_check_integer(L, 2);
  while (i < last) {
    lua_pushinteger(L, ++i);
    if (lua_geti(L, 1, i) != LUA_TNIL) return 2;
    if (!is_counted) return 1;
    lua_pop(L, 2);
  }
  lua_pushnil(L);
  return 1;
}

/// The upvalues of an iterator over keys, as continuation.c reads them. An iterator over elements
/// has one upvalue, which is not a table.
enum { KEYS = 1, POSITION };

/// (node): the next of the keys that existed at the start.
static int next_traced_key(lua_State *L) {
  latch_check_state_read(L);
  lua_Integer position = lua_tointeger(L, lua_upvalueindex(POSITION));
  lua_settop(L, 1);
  for (;;) {
    if (lua_rawgeti(L, lua_upvalueindex(KEYS), ++position) == LUA_TNIL) return 1;
    lua_pushvalue(L, 2);
    if (lua_gettable(L, 1) != LUA_TNIL) break;
    lua_settop(L, 1);
  }
  lua_pushinteger(L, position);
  lua_replace(L, lua_upvalueindex(POSITION));
  return 2;
}

bool latch_is_traced_step(lua_CFunction function) {
  return function == next_traced_element || function == next_traced_key;
}

int latch_traced_pairs(lua_State *L) {
  latch_trace_length(latch_of(L), lua_topointer(L, 1));
  latch_census census = latch_count_keys(L, 2);
  if (census.is_sequence) {
    lua_pushinteger(L, (lua_Integer)census.count);
    lua_pushcclosure(L, next_traced_element, 1);
  } else {
    latch_push_sorted_keys(L, 2, census);
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, next_traced_key, 2);
  }
  lua_pushvalue(L, 1);
  lua_pushnil(L);
  return 3;
}

int latch_traced_ipairs(lua_State *L) {
  lua_pushnil(L);
  lua_pushcclosure(L, next_traced_element, 1);
  lua_pushvalue(L, 1);
  lua_pushinteger(L, 0);
  return 3;
}
