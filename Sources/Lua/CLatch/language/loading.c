/// The end of loading: creates the state, and makes everything that scripts can reach read-only.

#include "language/language.h"

/// The functions with names, and the names that tracebacks show for them.
static const struct {
  int registry_key;
  const char *kind;
} NAMED[] = {
  {LATCH_R_REDUCERS, "reduce"},
  {LATCH_R_GATES, "gate"},
  {LATCH_R_VIEWS, "view"},
  {LATCH_R_INVARIANTS, "invariant"},
};

enum { NAMED_KINDS = sizeof NAMED / sizeof *NAMED };

/// True if a function is in the table under two names.
static bool is_doubled(lua_State *L, int functions) {
  enum { FEW = 64 };
  const void *seen[FEW];
  int count = 0;
  lua_pushnil(L);
  while (lua_next(L, functions)) {
    const void *function = lua_topointer(L, -1);
    lua_pop(L, 1);
    for (int i = 0; i < count; i++) {
      if (seen[i] != function) continue;
      lua_pop(L, 1);
      return true;
    }
    if (count == FEW) {  // up to this number, a table on the stack is used
      lua_pop(L, 1);
      return true;
    }
    seen[count++] = function;
  }
  return false;
}

typedef struct {
  int names, seen;
} latch_naming;

/// A function with two names has the first in tracebacks.
static void name_function(lua_State *L, int key, int value, void *context) {
  const latch_naming *naming = context;
  lua_pushvalue(L, value);
  if (lua_rawget(L, naming->seen) != LUA_TNIL) return;
  lua_pushvalue(L, value);
  lua_pushboolean(L, 1);
  lua_rawset(L, naming->seen);
  lua_pushvalue(L, key);
  lua_pushvalue(L, value);
  lua_rawset(L, naming->names);
}

/// Makes tracebacks show the functions by their names: those of the loaded tables in the registry.
static void name_functions(lua_State *L) {
  int top = lua_gettop(L);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  for (int i = 0; i < NAMED_KINDS; i++) {
    lua_settop(L, top + 1);
    if (lua_rawgeti(L, LUA_REGISTRYINDEX, NAMED[i].registry_key) != LUA_TTABLE) continue;
    if (is_doubled(L, top + 2)) {
      latch_naming naming = {top + 3, top + 4};
      lua_newtable(L);
      lua_newtable(L);
      latch_for_each(L, top + 2, name_function, &naming);
      lua_pop(L, 1);
    }
    lua_setfield(L, top + 1, NAMED[i].kind);
  }
  lua_settop(L, top);
}

static void call_with(lua_State *L, lua_CFunction function) {
  lua_pushcfunction(L, function);
  lua_insert(L, -2);
  lua_call(L, 1, 0);
}

typedef struct {
  latch_bytes field, value;
} latch_region;

static int declare_region(lua_State *L) {
  const latch_region *region = lua_touserdata(L, 1);
  lua_pushlstring(L, (const char *)region->field.bytes, region->field.length);
  latch_push_declared(L, LATCH_R_MACHINES);
  lua_pushvalue(L, 2);
  lua_rawseti(L, 3, (lua_Integer)lua_rawlen(L, 3) + 1);
  if (region->value.bytes == NULL) lua_pushlightuserdata(L, latch_none());
  else lua_pushlstring(L, (const char *)region->value.bytes, region->value.length);
  latch_set_declared(L, LATCH_R_INITIAL, 2);
  return 0;
}

latch_status latch_declare_region(latch_vm *vm, latch_bytes field, latch_bytes value) {
  latch_region region = {field, value};
  return latch_protect(vm, declare_region, &region, 0);
}

static int finish_loading(lua_State *L) {
  latch_of(L)->flow.has_loaded = true;
  lua_settop(L, 0);
  latch_push_declared(L, LATCH_R_INITIAL);
  call_with(L, latch_declare_state);
  latch_forget_declared(L, LATCH_R_INITIAL);
  latch_push_declared(L, LATCH_R_MACHINES);
  lua_Integer count = (lua_Integer)lua_rawlen(L, 1);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, 1, i);
    call_with(L, latch_mark_machine);
  }
  lua_settop(L, 0);
  latch_forget_declared(L, LATCH_R_MACHINES);
  latch_freeze_modules(L);
  latch_freeze_globals(L);
  name_functions(L);
  latch_find_places(L);
  return 0;
}

latch_status latch_finish_loading(latch_vm *vm, latch_run run) {
  return latch_run_function(vm, finish_loading, 0, run, LATCH_RUN_ANY, NULL, NULL);
}
