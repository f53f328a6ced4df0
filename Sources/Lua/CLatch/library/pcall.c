/// pcall and xpcall, which catch a script's errors but never a limit.
///
/// Both are continuable: the function that they call may yield. xpcall calls its handler only after
/// the error has unwound the stack, since the instruction hook does not run inside a message
/// handler of Lua.

#include "library/library.h"

/// The number of times that an error in a handler is passed to the handler again, and the cost of
/// each: deep down the stack a call may fail before it has run a single instruction.
enum { MOST_HANDLED = 10, INSTRUCTIONS_PER_HANDLER = 100 };

/// Returns the values above `below` after a protected call, or raises a limit again.
static int finish_pcall(lua_State *L, int status, lua_KContext below) {
  if (status == LUA_OK || status == LUA_YIELD) return lua_gettop(L) - (int)below;
  latch_of(L)->trace_is_paused = false;
  latch_of(L)->is_raised = false;
  if (latch_must_pass_on(L, status)) return latch_rekill(L);
  lua_pushboolean(L, 0);
  lua_insert(L, -2);
  return 2;
}

int latch_base_pcall(lua_State *L) {
  luaL_checkany(L, 1);
  latch_charge_arguments(L);
  lua_pushboolean(L, 1);  // remains below the results
  lua_insert(L, 1);
  int status = lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, 0, finish_pcall);
  return finish_pcall(L, status, 0);
}

/// Replaces the error on top by the result of the handler at 1. As in Lua, an error in the handler
/// is passed to the handler again, a limited number of times.
static int finish_xpcall(lua_State *L, int status, lua_KContext below) {
  if (status == LUA_OK || status == LUA_YIELD) return finish_pcall(L, status, below);
  for (int i = 0; status != LUA_OK; i++) {
    if (latch_must_pass_on(L, status)) return latch_rekill(L);
    if (i == MOST_HANDLED) {
      lua_pushliteral(L, "error in error handling");
      break;
    }
    latch_charge_instructions(L, INSTRUCTIONS_PER_HANDLER);
    lua_pushvalue(L, 1);
    lua_insert(L, -2);
    status = lua_pcall(L, 1, 1, 0);
  }
  latch_of(L)->is_raised = false;
  lua_pushboolean(L, 0);
  lua_insert(L, -2);
  return 2;
}

int latch_base_xpcall(lua_State *L) {
  int count = lua_gettop(L);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  latch_charge_arguments(L);
  lua_pushboolean(L, 1);
  lua_pushvalue(L, 1);
  lua_copy(L, 2, 1);  // 1: the handler
  lua_remove(L, 2);
  // The stack is now: handler, arguments, true, function. The call needs: handler, true, function,
  // arguments.
  lua_rotate(L, 2, 2);
  int status = lua_pcallk(L, count - 2, LUA_MULTRET, 0, 1, finish_xpcall);
  return finish_xpcall(L, status, 1);
}
