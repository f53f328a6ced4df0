/// sleep, after and cancel, for waiting and timers in effects.

#include <string.h>

#include "language/language.h"

// MARK: sleep

/// Replaces the duration at `index` by its seconds, a number.
static void take_seconds(lua_State *L, int index, const char *what) {
  lua_Number seconds;
  if (!latch_to_seconds(L, index, &seconds)) {
    bool is_text = lua_type(L, index) == LUA_TSTRING;
    latch_raise(L, "%s%s takes %s, not %s", latch_push_script_place(L, ""), what,
      latch_what_seconds_are(is_text),
      is_text ? latch_push_quoted(L, index) : latch_tolstring(L, index, NULL));
  }
  if (lua_type(L, index) == LUA_TNUMBER) return;
  lua_pushnumber(L, seconds);
  lua_replace(L, index);
}

int latch_sleep(lua_State *L) {
  latch_only_effects(L, "sleep");
  lua_settop(L, 1);
  take_seconds(L, 1, "sleep");
  lua_pushliteral(L, "sleep");
  lua_insert(L, 1);
  return latch_wait(L);
}

// MARK: after

/// (timer): true if it was still pending. The upvalue: its number.
static int cancel_it(lua_State *L) {
  latch_only_effects(L, "cancel timers");
  lua_settop(L, 0);
  lua_pushvalue(L, lua_upvalueindex(1));
  return latch_ask_host(L, LATCH_HOST_CANCEL);
}

/// (timer, key)
static int method(lua_State *L) {
  if (lua_type(L, 2) != LUA_TSTRING || strcmp(lua_tostring(L, 2), "cancel") != 0) return 0;
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, cancel_it, 1);
  return 1;
}

static int refuse_change(lua_State *L) { return latch_raise(L, "a timer cannot be changed"); }

int latch_after(lua_State *L) {
  static const luaL_Reg EVENTS[] = {{"__index", method}, {NULL, NULL}};
  latch_only_effects(L, "schedule an action");
  lua_settop(L, 3);
  take_seconds(L, 1, "after");
  latch_complete_dispatch(L, 2);
  latch_ask_host(L, LATCH_HOST_SCHEDULE);
  latch_make_handle(L, EVENTS, refuse_change);
  return 1;
}

// MARK: cancel

/// (name, part): raises an error unless the part is a table. A part that is nil was lost by
/// mistake.
static void check_part(lua_State *L) {
  if (lua_istable(L, 2)) return;
  const char *name = lua_tostring(L, 1), *found = "nil", *all = "";
  if (lua_isnil(L, 2))
    all = lua_pushfstring(L, "; to stop every %s write cancel(\"%s\")", name, name);
  else found = lua_pushfstring(L, "a %s", luaL_typename(L, 2));
  latch_raise(L,
    "%scancel takes a part of the payload in a table, cancel(\"%s\", { field = value }), "
    "not %s%s",
    latch_push_script_place(L, ""), name, found, all);
}

/// (name, part): without a part, all pending timers of the action are stopped.
int latch_cancel(lua_State *L) {
  latch_only_effects(L, "cancel timers");
  int count = lua_gettop(L);
  if (count > 2) {
    return latch_raise(L,
      "%scancel takes an action's name, a part of its payload, and nothing else",
      latch_push_script_place(L, ""));
  }
  lua_settop(L, 2);
  latch_tolstring(L, 1, NULL);
  lua_replace(L, 1);
  if (count == 2) check_part(L);
  lua_settop(L, count == 2 ? 2 : 1);
  return latch_ask_host(L, LATCH_HOST_CANCEL);
}
