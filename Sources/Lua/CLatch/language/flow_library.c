/// The functions that a flow can call in every VM, whether it only checks declarations or belongs
/// to a host: marks for lists and maps, modules, time and randomness, and the functions of effects.

#include "language/language.h"

// MARK: Marks

static int mark(lua_State *L, const char *kind, int registry_key) {
  if (!lua_istable(L, 1)) return latch_raise(L, "%s takes a table: %s {}", kind, kind);
  if (latch_kind(L, 1) != LATCH_PLAIN) return latch_raise(L, "only a plain table can be marked");
  latch_set_mark(L, 1, registry_key);
  lua_settop(L, 1);
  return 1;
}

static int list(lua_State *L) { return mark(L, "list", LATCH_R_LIST); }
static int map(lua_State *L) { return mark(L, "map", LATCH_R_MAP); }

// MARK: Printing

static int print(lua_State *L) {
  int count = lua_gettop(L);
  latch_charge_arguments(L);
  latch_check_stack(L, 2 * count + 4, "too many arguments");
  for (int i = 1; i <= count; i++) {
    if (i > 1) lua_pushliteral(L, "\t");
    latch_tolstring(L, i, NULL);
  }
  lua_concat(L, count == 0 ? 0 : 2 * count - 1);
  latch_charge(L, (size_t)lua_rawlen(L, -1));
  latch_make_printable(L, -1);
  lua_insert(L, 1);
  lua_settop(L, 1);
  return latch_ask_host(L, LATCH_HOST_PRINT);
}

// MARK: Time

static int now(lua_State *L) {
  latch_phase phase = latch_of(L)->phase;
  if (phase == LATCH_VIEW || phase == LATCH_INVARIANT || phase == LATCH_CONDITION ||
      phase == LATCH_LOADING) {
    return latch_raise(L, "%s%s has no clock; let the action store now() in the state",
      latch_push_script_place(L, ""), latch_who_runs(latch_of(L)));
  }
  lua_settop(L, 0);
  return latch_ask_host(L, LATCH_HOST_NOW);
}

/// Returns the dispatcher of the current action, or of the action that the effect follows.
static int by(lua_State *L) {
  latch_phase phase = latch_of(L)->phase;
  if (phase == LATCH_VIEW || phase == LATCH_INVARIANT || phase == LATCH_CONDITION ||
      phase == LATCH_LOADING) {
    return latch_raise(L,
      "%s%s has no action whose by() it can read; let the action store it in the state",
      latch_push_script_place(L, ""), latch_who_runs(latch_of(L)));
  }
  lua_settop(L, 0);
  lua_pushboolean(L, phase == LATCH_EFFECT);
  return latch_ask_host(L, LATCH_HOST_BY);
}

// MARK: Opening

static const luaL_Reg LIBRARY[] = {
  {"list", list},
  {"map", map},
  {"require", latch_require},
  {"print", print},
  {"sleep", latch_sleep},
  {"after", latch_after},
  {"cancel", latch_cancel},
  {"all", latch_all},
  {"race", latch_race},
  {"retry", latch_retry},
  {"revised", latch_revised},
  {"version", latch_version},
  {"flow_name", latch_flow_name},
  {"in_state", latch_in_state},
  {"count_in", latch_count_in},
  {"all_in", latch_all_in},
  {"now", now},
  {"random", latch_draw},
  {"born", latch_birth},
  {"by", by},
  {NULL, NULL},
};

static int open_library(lua_State *L) {
  latch_add_asking_declarators(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_GLOBALS);
  luaL_setfuncs(L, LIBRARY, 0);
  lua_pushlightuserdata(L, latch_none());
  lua_setfield(L, -2, "none");
  latch_add_date(L, -1);
  lua_getfield(L, -1, "math");
  latch_push_data(L, -1);
  lua_pushcfunction(L, latch_draw);
  lua_setfield(L, -2, "random");
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_GLOBALS);
  lua_getfield(L, -1, "table");
  latch_push_data(L, -1);
  latch_add_shuffling(L);
  return 0;
}

latch_status latch_open_flow_library(latch_vm *vm) {
  return latch_protect(vm, open_library, NULL, 0);
}

// MARK: For the prelude

/// (kind, name): see latch_push_dotted.
static int dotted(lua_State *L) {
  latch_push_dotted(L, luaL_checkstring(L, 1), 2);
  return 1;
}

/// Called after the file of a VM has run: nothing can be declared any more.
static int end_loading(lua_State *L) {
  latch_of(L)->flow.has_loaded = true;
  latch_freeze_modules(L);
  return 0;
}

void latch_push_language(lua_State *L) {
  static const luaL_Reg LANGUAGE[] = {
    {"dotted", dotted},
    {"list", list},
    {"map", map},
    {"end_loading", end_loading},
    {NULL, NULL},
  };
  luaL_newlib(L, LANGUAGE);
  latch_push_declared(L, LATCH_R_FACTORIES);
  lua_setfield(L, -2, "factories");
}
