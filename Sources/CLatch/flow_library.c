/// What a flow can call in every VM, be it the one that checks its declarations or a host's: marks for
/// lists and maps, modules, time and chance, and what effects do.

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "flow.h"
#include "library.h"
#include "vm.h"

// MARK: Texts

int latch_raise(lua_State *L, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  lua_pushvfstring(L, format, arguments);
  va_end(arguments);
  return lua_error(L);
}

/// Who runs, as messages say it.
static const char *who_runs(lua_State *L) {
  static const char *const WHO[] = {
    "the host", "a file that is loading", "a gate rule", "a reducer", "a view", "an invariant",
    "an effect", "a script",
  };
  return WHO[latch_of(L)->phase];
}

const char *latch_push_script_place(lua_State *L, const char *nowhere) {
  lua_Debug frame;
  if (!latch_find_script(L, &frame)) return lua_pushstring(L, nowhere);
  return lua_pushfstring(L, "%s:%d: ", latch_chunk_name(frame.source), frame.currentline);
}

/// Pushes the name at `name` in quotes, as Lua would read it.
static const char *push_quoted(lua_State *L, int name) {
  name = lua_absindex(L, name);
  lua_pushcfunction(L, latch_string_format);
  lua_pushliteral(L, "%q");
  lua_pushvalue(L, name);
  lua_call(L, 2, 1);
  return lua_tostring(L, -1);
}

const char *latch_push_dotted(lua_State *L, const char *kind, int name) {
  name = lua_absindex(L, name);
  size_t length;
  if (lua_type(L, name) != LUA_TSTRING) {
    return lua_pushfstring(L, "%s[%s]", kind, latch_tolstring(L, name, NULL));
  }
  const char *text = lua_tolstring(L, name, &length);
  if (strlen(text) == length && latch_is_name(text)) return lua_pushfstring(L, "%s.%s", kind, text);
  return lua_pushfstring(L, "%s[%s]", kind, push_quoted(L, name));
}

// MARK: Who may do what

void latch_must_be_loading(lua_State *L, const char *what) {
  if (latch_of(L)->has_loaded) {
    latch_raise(L, "%s is declared while the flow loads, not later", what);
  }
}

int latch_refuse_phase(lua_State *L, const char *what) {
  return latch_raise(L, "%s%s cannot %s", latch_push_script_place(L, "?:0: "), who_runs(L), what);
}

void latch_must_not_be_reducer(lua_State *L, const char *what) {
  if (latch_of(L)->phase == LATCH_REDUCER) latch_refuse_phase(L, what);
}

static void only_effects(lua_State *L, const char *what) {
  if (latch_of(L)->phase == LATCH_EFFECT) return;
  latch_raise(L, "%s%s cannot %s; only an effect can", latch_push_script_place(L, ""), who_runs(L), what);
}

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

// MARK: Modules

/// Stands for a module that is being loaded.
static char under_way;

/// (name, its file, its value): remembers the value.
static int has_module(lua_State *L, int status, lua_KContext context) {
  (void)status, (void)context;
  if (lua_isnil(L, 3)) {
    lua_pushboolean(L, 1);
    lua_replace(L, 3);
  }
  latch_push_declared(L, LATCH_R_MODULES);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 3);
  lua_rawset(L, -3);
  latch_push_declared(L, LATCH_R_MODULE_VALUES);
  lua_pushvalue(L, 3);
  lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
  lua_settop(L, 3);
  return 1;
}

/// (name): pushes the module's chunk, and leaves its file in slot 2.
static void load_module(lua_State *L) {
  latch_push_host_function(L, LATCH_HOST_LOAD_MODULE);
  lua_pushvalue(L, 1);
  lua_call(L, 1, 2);
  if (!lua_toboolean(L, -2)) lua_error(L);  // the message names its own place
  lua_Integer reference = lua_tointeger(L, -2);
  lua_replace(L, 2);
  lua_settop(L, 2);
  latch_take_function(L, reference);
}

static int require(lua_State *L) {
  lua_settop(L, 1);
  if (lua_type(L, 1) != LUA_TSTRING) return latch_raise(L, "require takes a module's name");
  latch_push_declared(L, LATCH_R_MODULES);
  lua_pushvalue(L, 1);
  if (lua_rawget(L, 2) != LUA_TNIL) {
    if (lua_touserdata(L, 3) != &under_way) return 1;
    return latch_raise(L, "module %s requires itself", push_quoted(L, 1));
  }
  latch_must_be_loading(L, lua_pushfstring(L, "module %s", push_quoted(L, 1)));
  lua_settop(L, 2);
  load_module(L);
  latch_push_declared(L, LATCH_R_MODULES);
  lua_pushvalue(L, 1);
  lua_pushlightuserdata(L, &under_way);
  lua_rawset(L, -3);
  lua_pop(L, 1);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  lua_callk(L, 2, 1, 0, has_module);
  return has_module(L, LUA_OK, 0);
}

void latch_freeze_modules(lua_State *L) {
  latch_push_declared(L, LATCH_R_MODULE_VALUES);
  lua_Integer count = (lua_Integer)lua_rawlen(L, -1);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, -1, i);
    if (lua_istable(L, -1)) latch_freeze_in_place(L);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  lua_pushboolean(L, 0);
  lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_MODULE_VALUES);
}

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
  lua_insert(L, 1);
  lua_settop(L, 1);
  return latch_ask_host(L, LATCH_HOST_PRINT);
}

// MARK: What effects do

/// The number of seconds at `index`; it stays there.
static void check_seconds(lua_State *L, int index, const char *what) {
  lua_Number value = lua_type(L, index) == LUA_TNUMBER ? lua_tonumber(L, index) : -1;
  if (value >= 0 && value != HUGE_VAL) return;
  latch_raise(L, "%s%s takes seconds from 0 on, not %s", latch_push_script_place(L, ""), what,
              latch_tolstring(L, index, NULL));
}

/// The name at `index` as text, and behind it a payload, of which nil means {}.
static void settle_offer(lua_State *L, int index) {
  lua_settop(L, index + 1);
  latch_tolstring(L, index, NULL);
  lua_replace(L, index);
  if (!lua_isnil(L, index + 1)) return;
  lua_newtable(L);
  lua_replace(L, index + 1);
}

static int sleep_for(lua_State *L) {
  only_effects(L, "sleep");
  lua_settop(L, 1);
  check_seconds(L, 1, "sleep");
  lua_pushliteral(L, "sleep");
  lua_insert(L, 1);
  return latch_wait(L);
}

static int after(lua_State *L) {
  only_effects(L, "schedule an action");
  lua_settop(L, 3);
  check_seconds(L, 1, "after");
  settle_offer(L, 2);
  return latch_ask_host(L, LATCH_HOST_SCHEDULE);
}

/// (name, part): raises unless the part is a table. One that is nil has got lost on its way.
static void check_part(lua_State *L) {
  if (lua_istable(L, 2)) return;
  const char *name = lua_tostring(L, 1), *found = "nil", *all = "";
  if (lua_isnil(L, 2)) all = lua_pushfstring(L, "; to stop every %s write cancel(\"%s\")", name, name);
  else found = lua_pushfstring(L, "a %s", luaL_typename(L, 2));
  latch_raise(L,
              "%scancel takes a part of the payload in a table, cancel(\"%s\", { field = value }), "
              "not %s%s",
              latch_push_script_place(L, ""), name, found, all);
}

/// (name, part): without a part every pending timer of the action is meant.
static int cancel(lua_State *L) {
  only_effects(L, "cancel timers");
  int count = lua_gettop(L);
  if (count > 2) {
    return latch_raise(L, "%scancel takes an action's name, a part of its payload, and nothing else",
                       latch_push_script_place(L, ""));
  }
  lua_settop(L, 2);
  latch_tolstring(L, 1, NULL);
  lua_replace(L, 1);
  if (count == 2) check_part(L);
  lua_settop(L, count == 2 ? 2 : 1);
  return latch_ask_host(L, LATCH_HOST_CANCEL);
}

int latch_dispatch(lua_State *L) {
  only_effects(L, "dispatch");
  settle_offer(L, 1);
  return latch_ask_host(L, LATCH_HOST_ENQUEUE);
}

int latch_may(lua_State *L) {
  latch_phase phase = latch_of(L)->phase;
  if (phase != LATCH_EFFECT && phase != LATCH_SCRIPT) {
    return latch_raise(L, "%s%s cannot ask may; effects, scenarios and the host can",
                       latch_push_script_place(L, ""), who_runs(L));
  }
  settle_offer(L, 1);
  return latch_ask_host(L, LATCH_HOST_MAY);
}

// MARK: Time and chance

static int now(lua_State *L) {
  latch_phase phase = latch_of(L)->phase;
  if (phase == LATCH_VIEW || phase == LATCH_INVARIANT || phase == LATCH_LOADING) {
    return latch_raise(L, "%s%s has no clock; let the action store now() in the state",
                       latch_push_script_place(L, ""), who_runs(L));
  }
  lua_settop(L, 0);
  return latch_ask_host(L, LATCH_HOST_NOW);
}

static int draw(lua_State *L) {
  latch_phase phase = latch_of(L)->phase;
  if (phase != LATCH_REDUCER && phase != LATCH_EFFECT) {
    return latch_raise(L, "%s%s has no random(); reducers and effects have", latch_push_script_place(L, ""),
                       who_runs(L));
  }
  lua_settop(L, 2);
  if (lua_isnil(L, 1)) {
    lua_settop(L, 0);
    return latch_ask_host(L, LATCH_HOST_RANDOM);
  }
  if (lua_isnil(L, 2)) {
    lua_pushinteger(L, 1);
    lua_insert(L, 1);
    lua_settop(L, 2);
  }
  latch_charge_numerals(L);
  int is_low, is_high;
  lua_Integer low = lua_tointegerx(L, 1, &is_low), high = lua_tointegerx(L, 2, &is_high);
  if (!is_low || !is_high) return luaL_error(L, "random takes integers");
  if (low > high) return luaL_error(L, "random: the interval is empty");
  lua_settop(L, 0);
  lua_pushinteger(L, low);
  lua_pushinteger(L, high);
  return latch_ask_host(L, LATCH_HOST_RANDOM);
}

// MARK: Opening

static const luaL_Reg LIBRARY[] = {
  {"list", list}, {"map", map}, {"require", require}, {"print", print}, {"sleep", sleep_for},
  {"after", after}, {"cancel", cancel}, {"now", now}, {"random", draw}, {NULL, NULL},
};

static int open_library(lua_State *L) {
  latch_add_asking_words(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_GLOBALS);
  luaL_setfuncs(L, LIBRARY, 0);
  lua_pushlightuserdata(L, latch_none());
  lua_setfield(L, -2, "none");
  lua_getfield(L, -1, "math");
  latch_push_data(L, -1);
  lua_pushcfunction(L, draw);
  lua_setfield(L, -2, "random");
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

static int must_be_loading(lua_State *L) {
  latch_must_be_loading(L, luaL_checkstring(L, 1));
  return 0;
}

/// The file that a VM is for has run: nothing can be declared any more.
static int end_loading(lua_State *L) {
  latch_of(L)->has_loaded = true;
  latch_freeze_modules(L);
  return 0;
}

void latch_push_language(lua_State *L) {
  static const luaL_Reg LANGUAGE[] = {
    {"dotted", dotted}, {"list", list}, {"map", map}, {"must_be_loading", must_be_loading},
    {"end_loading", end_loading}, {NULL, NULL},
  };
  luaL_newlib(L, LANGUAGE);
  latch_push_declared(L, LATCH_R_FACTORIES);
  lua_setfield(L, -2, "factories");
}
