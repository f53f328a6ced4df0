/// Compares what is known of Lua's internals with what is found there.

#include "layout/layout.h"

/// Uses a state of its own: a script's memory must not depend on which VM was first.
int latch_try_out(lua_CFunction compare) {
  lua_State *L = luaL_newstate();
  if (L == NULL) return 0;
  lua_pushcfunction(L, compare);
  int answer = lua_pcall(L, 0, 1, 0) != LUA_OK ? 0 : lua_toboolean(L, -1) ? 1 : -1;
  lua_close(L);
  return answer;
}
