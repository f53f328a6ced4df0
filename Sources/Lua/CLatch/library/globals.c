/// Assignments to globals, and the tables that scripts see as _ENV and _G.

#include <string.h>

#include "library/library.h"

const char *const latch_declarator_names[LATCH_DECLARATORS] = {"state", "action", "reduce", "gate",
  "view", "invariant", "gatekeeper", "machine", "scope", "migrate", "effect", "internal",
  "dispatch", "may", "boolean", "integer", "number", "any"};

/// True for the name of something that is declared by a function of that name: an assignment such
/// as `state = {}` would have no effect. A flow may have a global `internal` of its own.
static bool declares(const char *name) {
  for (int i = 0; i <= LATCH_DECLARATOR_EFFECT; i++) {
    if (strcmp(name, latch_declarator_names[i]) == 0) return true;
  }
  return false;
}

int latch_write_global(lua_State *L) {
  latch_vm *vm = latch_of(L);
  lua_settop(L, 3);
  if (!vm->flow.globals_frozen && lua_type(L, 2) == LUA_TSTRING && declares(lua_tostring(L, 2))) {
    const char *name = lua_tostring(L, 2);
    latch_push_where(L);
    lua_pushfstring(L, "%s is a word of the flow language and cannot be set: write %s%s", name,
      name, strcmp(name, "state") == 0 ? " { ... }" : ".NAME");
    lua_concat(L, 2);
    return lua_error(L);
  }
  if (vm->flow.globals_frozen) {
    latch_push_where(L);
    lua_pushfstring(L,
      "global %s cannot be set: globals are read-only after loading "
      "(data belongs in the state, or in a local)",
      lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : luaL_typename(L, 2));
    lua_concat(L, 2);
    return lua_error(L);
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_GLOBALS);
  lua_insert(L, 2);
  lua_rawset(L, 2);
  return 0;
}

bool latch_is_environment(lua_State *L, int index) {
  const void *table = lua_topointer(L, index);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_ENVIRONMENT);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_MODULE_GLOBALS);
  bool is_one = table == lua_topointer(L, -1) || table == lua_topointer(L, -2);
  lua_pop(L, 2);
  return is_one;
}
