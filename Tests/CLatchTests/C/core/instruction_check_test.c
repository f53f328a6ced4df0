/// Functions that need no hook, since they cannot take long.

#include <stdio.h>
#include <string.h>

#include "core.h"

static bool needs_no_hook(const char *body) {
  lua_State *L = luaL_newstate();
  lua_pushfstring(L, "local up, t = 1, {} return function(s, a) %s end", body);
  bool needs_none = luaL_dostring(L, lua_tostring(L, -1)) == LUA_OK && latch_runs_without_hook(L, -1);
  lua_close(L);
  return needs_none;
}

static void only_what_cannot_take_long_needs_no_hook(void) {
  static const char *const NO_HOOK[] = {
    "", "return true", "return s.count >= 0, 'the count is negative'", "s.count = s.count + 1",
    "local item = s.items[a.index] item.done = not item.done", "return s.items[a.index] ~= nil",
    "if s.n > a.n and (s.n < 3 or a.text == 'x') then s.n = a.n elseif s.n == 1.5 then s.n = -s.n end",
    "s.a, s.b = s.b, s.a return #s.list == s.n // 2 % 3 ~ 1", "s.n = nil return a.x and a.y or 7",
  };
  static const char *const OTHERS[] = {
    "f()", "s.f()", "s:f()", "return s.f()", "return up", "up = s.n", "return t.n", "return x", "x = s.n",
    "while s.n do s.n = 1 end", "repeat s.n = 1 until a.n", "for i = 1, 2 do s.n = i end",
    "for k in s.n, a do s.n = k end", "::again:: s.n = 1 goto again", "return s.a .. a.b",
    "s.n = {}", "s.n = { 1, 2 }", "s.n = function() end", "local x <close> = s.x",
  };
  for (size_t i = 0; i < sizeof NO_HOOK / sizeof *NO_HOOK; i++) {
    if (!CHECK(needs_no_hook(NO_HOOK[i]))) fprintf(stderr, "  %s\n", NO_HOOK[i]);
  }
  for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++) {
    if (!CHECK(!needs_no_hook(OTHERS[i]))) fprintf(stderr, "  %s\n", OTHERS[i]);
  }
  char many[20 * LATCH_MOST_WITHOUT_HOOK] = "";
  for (int i = 0; i < LATCH_MOST_WITHOUT_HOOK; i++) strcat(many, "s.n = a.n ");
  CHECK(!needs_no_hook(many));
  CHECK(!needs_no_hook("end, function(...) "));  // the last value: it takes any number of arguments
  lua_State *L = luaL_newstate();
  lua_pushcfunction(L, luaopen_base);
  CHECK(!latch_runs_without_hook(L, -1));
  lua_pushinteger(L, 1);
  CHECK(!latch_runs_without_hook(L, -1));
  lua_close(L);
}

int main(void) {
  RUN(only_what_cannot_take_long_needs_no_hook());
  return finish("instruction_check");
}
