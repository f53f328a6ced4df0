/// The objects that scopes are making, to tell one that requires itself from one that is made
/// twice.

#include "language/language.h"

/// Pushes the list of objects that the current coroutine is making: a factory may wait while
/// another effect runs.
static void push_steps(lua_State *L) {
  latch_push_declared(L, LATCH_R_MAKING);
  lua_pushthread(L);
  if (lua_rawget(L, -2) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushthread(L);
    lua_pushvalue(L, -2);
    lua_rawset(L, -4);
  }
  lua_remove(L, -2);
}

void latch_begin_making(lua_State *L, const char *scope, const char *name) {
  int top = lua_gettop(L), steps = top + 1;
  push_steps(L);
  lua_pushfstring(L, "%s.%s", scope, name);
  lua_Integer count = (lua_Integer)lua_rawlen(L, steps);
  lua_pushliteral(L, "");
  bool is_made = false;
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, steps, i);
    is_made = is_made || lua_rawequal(L, -1, steps + 1);
    lua_pushliteral(L, " -> ");
    lua_concat(L, 3);
  }
  if (is_made) {
    latch_raise(L, "scope %s: %s is already being made (%s%s)", scope, name, lua_tostring(L, -1),
      lua_tostring(L, steps + 1));
  }
  lua_pushvalue(L, steps + 1);
  lua_rawseti(L, steps, count + 1);
  lua_settop(L, top);
}

void latch_end_making(lua_State *L) {
  push_steps(L);
  lua_Integer count = (lua_Integer)lua_rawlen(L, -1);
  lua_pushnil(L);
  lua_rawseti(L, -2, count);
  lua_pop(L, 1);
  if (count > 1) return;
  latch_push_declared(L, LATCH_R_MAKING);
  lua_pushthread(L);
  lua_pushnil(L);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}
