/// The value of gatekeeper.NAME: called while the flow loads, and queried afterwards.

#include "language/language.h"

// MARK: Asking

/// Raises unless the gatekeeper, whose name is the closure's upvalue, can be used here.
static void check_gatekeeper(lua_State *L) {
  int name = lua_upvalueindex(1);
  latch_push_declared(L, LATCH_R_POLICIES);
  lua_pushvalue(L, name);
  if (lua_rawget(L, -2) == LUA_TNIL) {
    const char *text = latch_tolstring(L, name, NULL);
    latch_push_suggestion(L, -3, text);
    latch_raise(L, "there is no gatekeeper %s%s", text, lua_tostring(L, -1));
  }
  latch_must_not_be_reducer(L, "use a gatekeeper: it has only s, a, now() and random()");
  lua_pushcfunction(L, latch_depend);
  lua_pushfstring(L, "gatekeeper %s", lua_tostring(L, name));
  lua_call(L, 1, 0);
}

/// (self, option)
static int ask(lua_State *L, int32_t function, const char *method) {
  if (lua_type(L, 1) != LUA_TTABLE) {
    const char *place = latch_push_script_place(L, "");
    const char *gatekeeper = latch_push_dotted(L, "gatekeeper", lua_upvalueindex(1));
    return latch_raise(
      L, "%s%s is called with a colon: %s:%s(...)", place, method, gatekeeper, method);
  }
  lua_settop(L, 2);
  check_gatekeeper(L);
  lua_settop(L, 2);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_replace(L, 1);
  return latch_ask_host(L, function);
}

static int may_pass(lua_State *L) { return ask(L, LATCH_HOST_GATEKEEPER_MAY_PASS, "may_pass"); }
static int holder(lua_State *L) { return ask(L, LATCH_HOST_GATEKEEPER_HOLDER, "holder"); }

// MARK: Declaring

/// (self, entries)
static int declare(lua_State *L) {
  latch_must_be_loading(L, "gatekeeper");
  lua_settop(L, 2);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_replace(L, 1);
  if (!latch_passes_check(L, "gatekeeper", "named", 1)) return 0;
  latch_push_declared(L, LATCH_R_POLICIES);
  lua_pushvalue(L, 1);
  lua_pushboolean(L, 1);
  lua_rawset(L, -3);
  latch_keep_functions(L, 2);
  return 0;
}

// MARK: What the flow holds

/// (self, key): a method, which knows the gatekeeper's name.
static int method(lua_State *L) {
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  const char *key = lua_tostring(L, 2);
  lua_CFunction function = __builtin_strcmp(key, "may_pass") == 0 ? may_pass
                           : __builtin_strcmp(key, "holder") == 0 ? holder
                                                                  : NULL;
  if (function == NULL) return 0;
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, function, 1);
  return 1;
}

static int refuse_change(lua_State *L) { return latch_raise(L, "a gatekeeper cannot be changed"); }

static void push_new_gatekeeper(lua_State *L, int name) {
  static const luaL_Reg EVENTS[] = {{"__index", method}, {"__call", declare}, {NULL, NULL}};
  lua_pushvalue(L, name);
  latch_make_handle(L, EVENTS, refuse_change);
}

void latch_push_gatekeeper(lua_State *L, int name) {
  name = lua_absindex(L, name);
  latch_push_declared(L, LATCH_R_GATEKEEPERS);
  lua_pushvalue(L, name);
  if (lua_rawget(L, -2) == LUA_TNIL) {
    lua_pop(L, 1);
    push_new_gatekeeper(L, name);
    if (lua_type(L, name) == LUA_TSTRING) {
      lua_pushvalue(L, name);
      lua_pushvalue(L, -2);
      lua_rawset(L, -4);
    }
  }
  lua_remove(L, -2);
}
