/// The globals of scripts and of the prelude.
///
/// Scripts have as _ENV an empty proxy in front of a table of globals: reading an undefined name is
/// an error, and after loading so is every assignment. The prelude, which is ours, has the same
/// library as plain tables, and `host`: what only it may call.

#include <string.h>

#include "arithmetic.h"
#include "vm.h"

// MARK: Globals

static int undefined_global(lua_State *L) {
  lua_settop(L, 2);
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  const char *name = lua_tostring(L, 2);
  latch_push_where(L);
  lua_pushfstring(L, "global %s is not defined", name);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_GLOBALS);
  latch_push_suggestion(L, -1, name);
  lua_remove(L, -2);
  lua_concat(L, 3);
  return lua_error(L);
}

/// The words with which a flow declares: written `state = {}` a declaration would be lost.
static bool is_word(const char *name) {
  static const char *const WORDS[] = {"state", "action", "reduce", "gate", "view", "invariant",
                                      "gatekeeper", "machine", "scope", "effect"};
  for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
    if (strcmp(name, WORDS[i]) == 0) return true;
  }
  return false;
}

static int write_global(lua_State *L) {
  latch_vm *vm = latch_of(L);
  lua_settop(L, 3);
  if (!vm->globals_frozen && lua_type(L, 2) == LUA_TSTRING && is_word(lua_tostring(L, 2))) {
    const char *name = lua_tostring(L, 2);
    latch_push_where(L);
    lua_pushfstring(L, "%s is a word of the flow language and cannot be set: write %s%s", name, name,
                    strcmp(name, "state") == 0 ? " { ... }" : ".NAME");
    lua_concat(L, 2);
    return lua_error(L);
  }
  if (vm->globals_frozen) {
    latch_push_where(L);
    lua_pushfstring(L, "global %s cannot be set: globals are read-only after loading "
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

static void open_environment(lua_State *L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_GLOBALS);
  int globals = lua_gettop(L);
  lua_createtable(L, 0, 2);
  lua_pushcfunction(L, undefined_global);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, globals);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_ENVIRONMENT);
  lua_createtable(L, 0, 3);
  lua_pushvalue(L, globals);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, write_global);
  lua_setfield(L, -2, "__newindex");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_setmetatable(L, -2);
  lua_settop(L, globals - 1);
}

// MARK: What only the prelude may call

/// (name, value): sets a global of scripts, whatever the phase.
static int set_global(lua_State *L) {
  lua_settop(L, 2);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_GLOBALS);
  lua_insert(L, 1);
  lua_rawset(L, 1);
  return 0;
}

/// (name): the global of scripts, nil if it has none.
static int global(lua_State *L) {
  lua_settop(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_GLOBALS);
  lua_insert(L, 1);
  lua_rawget(L, 1);
  return 1;
}

/// (name, table): "; did you mean NAME?" of the table's nearest key, or an empty text.
static int nearest(lua_State *L) {
  luaL_checktype(L, 2, LUA_TTABLE);
  if (lua_type(L, 1) != LUA_TSTRING) lua_pushliteral(L, "");
  else latch_push_suggestion(L, 2, lua_tostring(L, 1));
  return 1;
}

/// (table): a read-only proxy in front of it.
static int frozen(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  latch_freeze_shallow(L);
  return 1;
}

/// (table): makes it read-only where it stands, with everything in it.
static int freeze(lua_State *L) {
  lua_settop(L, 1);
  if (lua_istable(L, 1)) latch_freeze_in_place(L);
  return 1;
}

/// From now on no script can set a global, and the tables that globals hold are read-only.
static int freeze_globals(lua_State *L) {
  latch_vm *vm = latch_of(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_GLOBALS);
  int globals = lua_gettop(L);
  lua_pushnil(L);
  while (lua_next(L, globals)) {
    if (lua_istable(L, -1)) latch_freeze_in_place(L);
    lua_pop(L, 1);
  }
  vm->globals_frozen = true;
  return 0;
}

static int thaw_globals(lua_State *L) {
  latch_of(L)->globals_frozen = false;
  return 0;
}

/// (): file and line of the innermost frame that is the script's; nil where there is none.
static int where(lua_State *L) {
  lua_Debug frame;
  for (int level = 1; lua_getstack(L, level, &frame); level++) {
    lua_getinfo(L, "Sl", &frame);
    if (frame.currentline < 1 || strcmp(frame.source, LATCH_PRELUDE_CHUNK) == 0) continue;
    lua_pushstring(L, latch_chunk_name(frame.source));
    lua_pushinteger(L, frame.currentline);
    return 2;
  }
  return 0;
}

/// (function): file, first and last line of its definition, and how many parameters it has.
static int where_defined(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_Debug frame;
  lua_settop(L, 1);
  lua_getinfo(L, ">Su", &frame);
  lua_pushstring(L, latch_chunk_name(frame.source));
  lua_pushinteger(L, frame.linedefined);
  lua_pushinteger(L, frame.lastlinedefined);
  lua_pushinteger(L, frame.isvararg ? 255 : frame.nparams);
  return 4;
}

/// (text, file name, environment or nil): the compiled chunk, or nil and the message. Without an
/// environment of its own the chunk has the flow's globals.
static int compile(lua_State *L) {
  size_t length;
  const char *text = luaL_checklstring(L, 1, &length);
  const char *name = luaL_checkstring(L, 2);
  bool own = lua_istable(L, 3);
  latch_charge(L, length);
  lua_pushfstring(L, "@%s", name);
  if (luaL_loadbufferx(L, text, length, lua_tostring(L, -1), "t") != LUA_OK) {
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
  }
  if (own) lua_pushvalue(L, 3);
  else lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_ENVIRONMENT);
  lua_setupvalue(L, -2, 1);
  return 1;
}

/// (function): keeps it for the host, which knows it by the number returned. What a flow declares
/// while it loads has numbers of its own: they are the same in every VM that loads the flow.
static int keep(lua_State *L) {
  latch_vm *vm = latch_of(L);
  lua_settop(L, 1);
  if (vm->phase == LATCH_LOADING) {
    latch_note_kept(vm, L);
    lua_rawseti(L, LUA_REGISTRYINDEX, -(vm->kept + 1));
    lua_pushinteger(L, -++vm->kept);
  } else {
    lua_pushinteger(L, luaL_ref(L, LUA_REGISTRYINDEX));
  }
  return 1;
}

/// (number): the function that the host knows by it, and knows no longer.
static int take(lua_State *L) {
  lua_Integer reference = luaL_checkinteger(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, reference);
  if (!lua_isfunction(L, -1)) return luaL_error(L, "the host keeps no such function");
  luaL_unref(L, LUA_REGISTRYINDEX, (int)reference);
  return 1;
}

/// (reference): the function that was kept there, and stays kept.
static int kept_function(lua_State *L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, luaL_checkinteger(L, 1));
  if (!lua_isfunction(L, -1)) return luaL_error(L, "the host keeps no such function");
  return 1;
}

/// (name, table): functions in it are called NAME.key in tracebacks.
static int name_functions(lua_State *L) {
  lua_settop(L, 2);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_insert(L, 1);
  lua_rawset(L, 1);
  return 0;
}

/// (table): "plain", "node", "frozen" or "recorder"; nil for what is no table.
static int kind(lua_State *L) {
  static const char *const NAMES[] = {"plain", "node", "frozen", "recorder"};
  if (!lua_istable(L, 1)) return 0;
  lua_pushstring(L, NAMES[latch_kind(L, 1)]);
  return 1;
}

/// (table): "list" or "map" for one marked so, else nil.
static int mark(lua_State *L) {
  if (!lua_istable(L, 1)) return 0;
  latch_push_data(L, 1);
  if (!lua_getmetatable(L, -1)) return 0;
  const void *metatable = lua_topointer(L, -1);
  latch_vm *vm = latch_of(L);
  if (metatable == vm->list_mark) lua_pushliteral(L, "list");
  else if (metatable == vm->map_mark) lua_pushliteral(L, "map");
  else return 0;
  return 1;
}

/// (table, "list" or "map"): marks a plain table and returns it.
static int set_mark(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  if (latch_kind(L, 1) != LATCH_PLAIN) return luaL_error(L, "only a plain table can be marked");
  latch_set_mark(L, 1, *luaL_checkstring(L, 2) == 'l' ? LATCH_R_LIST : LATCH_R_MAP);
  lua_settop(L, 1);
  return 1;
}

static int raw_set(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 3);
  lua_rawset(L, 1);
  return 0;
}

static int root(lua_State *L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
  return 1;
}

/// (): how deep values may be nested.
static int nesting(lua_State *L) {
  lua_pushinteger(L, latch_of(L)->limits.nesting);
  return 1;
}

/// (): the name of the phase.
static int phase(lua_State *L) {
  static const char *const NAMES[] = {
    "idle", "loading", "rule", "reducer", "view", "invariant", "effect", "script",
  };
  lua_pushstring(L, NAMES[latch_of(L)->phase]);
  return 1;
}

/// (function, arguments...): the results of the function, or nil, the message and the value raised.
static int protect(lua_State *L) {
  int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
  if (status == LUA_OK) {
    lua_pushboolean(L, 1);
    lua_insert(L, 1);
    return lua_gettop(L);
  }
  if (latch_must_pass_on(L, status)) return latch_rekill(L);
  lua_pushboolean(L, 0);
  lua_insert(L, -2);
  return 2;
}

/// (read-only table, function): calling the table calls the function.
static int callable(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  if (!lua_getmetatable(L, 1)) return luaL_error(L, "only a read-only table can be made callable");
  lua_insert(L, 2);
  lua_setfield(L, 2, "__call");
  lua_settop(L, 1);
  return 1;
}

/// (function, number): the name, the value and the identity of an upvalue of a script's function;
/// nothing when there is none.
static int upvalue(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  int number = (int)luaL_checkinteger(L, 2);
  if (lua_iscfunction(L, 1)) return 0;
  const char *name = lua_getupvalue(L, 1, number);
  if (name == NULL) return 0;
  lua_pushstring(L, name);
  lua_insert(L, -2);
  lua_pushinteger(L, (lua_Integer)(intptr_t)lua_upvalueid(L, 1, number));
  return 3;
}

static void open_host(lua_State *L) {
  static const luaL_Reg FUNCTIONS[] = {
    {"set_global", set_global}, {"frozen", frozen}, {"freeze", freeze},
    {"freeze_globals", freeze_globals}, {"thaw_globals", thaw_globals}, {"where", where},
    {"where_defined", where_defined}, {"compile", compile}, {"keep", keep}, {"take", take},
    {"name_functions", name_functions}, {"kind", kind}, {"mark", mark}, {"set_mark", set_mark},
    {"root", root}, {"nesting", nesting}, {"phase", phase}, {"protect", protect}, {"view_read", latch_view_read},
    {"declare_state", latch_declare_state},
    {"wait", latch_wait},
    {"mark_machine", latch_mark_machine}, {"depend", latch_depend}, {"global", global}, {"rawset", raw_set}, {"nearest", nearest}, {"callable", callable},
    {"upvalue", upvalue}, {"kept_function", kept_function},
    {NULL, NULL},
  };
  luaL_newlib(L, FUNCTIONS);
  lua_pushlightuserdata(L, latch_none());
  lua_setfield(L, -2, "none");
}

// MARK: Opening

/// Pops the library on top of the stack: the prelude gets it as it is, scripts read-only.
static void add_library(lua_State *L, const char *name) {
  int library = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_PRELUDE);
  lua_pushvalue(L, library);
  lua_setfield(L, -2, name);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_GLOBALS);
  lua_pushvalue(L, library);
  latch_freeze_shallow(L);
  lua_setfield(L, -2, name);
  lua_settop(L, library - 1);
}

void latch_open_sandbox(lua_State *L) {
  static const struct {
    const char *name;
    lua_CFunction open;
  } LIBRARIES[] = {
    {"string", latch_open_string}, {"table", latch_open_table}, {"math", latch_open_math},
    {"utf8", latch_open_utf8}, {"coroutine", latch_open_coroutine},
  };
  int top = lua_gettop(L);
  for (size_t i = 0; i < sizeof LIBRARIES / sizeof *LIBRARIES; i++) {
    lua_pushcfunction(L, LIBRARIES[i].open);
    lua_call(L, 0, 1);
    if (i == 0) {  // ("x"):rep(2) goes to the library itself, which no script can reach
      lua_pushliteral(L, "");
      lua_createtable(L, 0, 2);
      lua_pushvalue(L, -3);
      lua_setfield(L, -2, "__index");
      lua_pushboolean(L, 0);
      lua_setfield(L, -2, "__metatable");
      latch_add_string_arithmetic(L);
      lua_setmetatable(L, -2);
      lua_pop(L, 1);
    }
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, LIBRARIES[i].name);  // so that errors name its functions
    lua_pop(L, 1);
    add_library(L, LIBRARIES[i].name);
  }
  lua_pushcfunction(L, latch_open_base);
  lua_call(L, 0, 1);
  int base = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_PRELUDE);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_GLOBALS);
  lua_pushnil(L);
  while (lua_next(L, base)) {
    for (int target = base + 1; target <= base + 2; target++) {
      lua_pushvalue(L, -2);
      lua_pushvalue(L, -2);
      lua_rawset(L, target);
    }
    lua_pop(L, 1);
  }
  open_host(L);
  lua_setfield(L, base + 1, "host");
  lua_settop(L, top);
  open_environment(L);
}
