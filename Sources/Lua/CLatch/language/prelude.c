/// The globals of the prelude, our own Lua that only we may load: the library as plain tables, and
/// `host`, the functions that only the prelude may call.
///
/// Most VMs run no prelude while they serve: these tables are made when the first part of it is
/// loaded.

#include <string.h>

#include "language/language.h"

// MARK: What only the prelude may call

/// (name, value): sets a global of scripts, in any phase.
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

/// (name, table, true for a global): "; did you mean NAME?" with the most similar key of the table,
/// or an empty text; for a global of Lua that flows lack, its replacement.
static int nearest(lua_State *L) {
  luaL_checktype(L, 2, LUA_TTABLE);
  if (lua_type(L, 1) != LUA_TSTRING) lua_pushliteral(L, "");
  else if (lua_toboolean(L, 3)) latch_push_advice(L, 2, lua_tostring(L, 1));
  else latch_push_suggestion(L, 2, lua_tostring(L, 1));
  return 1;
}

/// (table): a read-only proxy for it.
static int frozen(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  latch_freeze_shallow(L);
  return 1;
}

/// (table): makes the table itself read-only, with everything in it.
static int freeze(lua_State *L) {
  lua_settop(L, 1);
  if (lua_istable(L, 1)) latch_freeze_in_place(L);
  return 1;
}

static int freeze_globals(lua_State *L) {
  latch_freeze_globals(L);
  return 0;
}

/// (): file and line of the innermost frame of a script; nil if there is none.
static int where(lua_State *L) {
  lua_Debug frame;
  if (!latch_find_script(L, &frame)) return 0;
  lua_pushstring(L, latch_chunk_name(frame.source));
  lua_pushinteger(L, frame.currentline);
  return 2;
}

/// (function): file, first and last line of its definition, and its number of parameters.
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

/// Puts the value on top into the table at TABLE under a script's name; `none` stands for nil.
static void put_local(lua_State *L, int table, const char *name) {
  if (*name == '(' || *name == '\0' || strcmp(name, "_ENV") == 0) {
    lua_pop(L, 1);
    return;
  }
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_pushlightuserdata(L, latch_none());
  }
  lua_setfield(L, table, name);
}

/// (): the locals of the innermost frame of a script, by name; an inner one hides an outer one.
static int locals(lua_State *L) {
  lua_Debug frame;
  const char *name;
  lua_settop(L, 0);
  luaL_checkstack(L, 6, NULL);
  lua_newtable(L);
  if (!latch_find_script(L, &frame)) return 1;
  lua_getinfo(L, "f", &frame);
  for (int i = 1; (name = lua_getupvalue(L, 2, i)) != NULL; i++) put_local(L, 1, name);
  for (int i = 1; (name = lua_getlocal(L, &frame, i)) != NULL; i++) put_local(L, 1, name);
  lua_settop(L, 1);
  return 1;
}

/// (text, file name, environment or nil): the compiled chunk, or nil and the message. Without an
/// environment, the chunk has the flow's globals.
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

/// (): the number of functions and names that are stored by number, from -1 down.
static int kept(lua_State *L) {
  lua_pushinteger(L, latch_of(L)->kept);
  return 1;
}

/// (table): sets the checks: declarator -> form of its use -> function.
static int set_checks(lua_State *L) {
  lua_settop(L, 1);
  lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_CHECKS);
  latch_of(L)->flow.is_checking = true;
  return 0;
}

static int take(lua_State *L) {
  latch_take_function(L, latch_check_integer(L, 1));
  return 1;
}

/// (reference): the function stored there, which stays stored.
static int kept_function(lua_State *L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, latch_check_integer(L, 1));
  if (!lua_isfunction(L, -1)) return luaL_error(L, "the host has no such function");
  return 1;
}

/// (table): "plain", "node", "frozen" or "recorder"; nil for a value that is not a table.
static int kind(lua_State *L) {
  static const char *const NAMES[] = {"plain", "node", "frozen", "recorder"};
  if (!lua_istable(L, 1)) return 0;
  lua_pushstring(L, NAMES[latch_kind(L, 1)]);
  return 1;
}

/// (function): sets the function that compares two tables one of which is a node or another table
/// of ours.
static int set_equality(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_EQUALITY);
  latch_of(L)->compares_contents = true;
  return 0;
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

/// (): the limit of the nesting of values.
static int nesting(lua_State *L) {
  lua_pushinteger(L, latch_of(L)->limits.nesting);
  return 1;
}

/// (): the name of the phase.
static int phase(lua_State *L) {
  static const char *const NAMES[] = {
    [LATCH_IDLE] = "idle",
    [LATCH_LOADING] = "loading",
    [LATCH_RULE] = "rule",
    [LATCH_REDUCER] = "reducer",
    [LATCH_VIEW] = "view",
    [LATCH_INVARIANT] = "invariant",
    [LATCH_CONDITION] = "condition",
    [LATCH_EFFECT] = "effect",
    [LATCH_SCRIPT] = "script",
    [LATCH_DISPATCH] = "dispatch",
  };
  lua_pushstring(L, NAMES[latch_of(L)->phase]);
  return 1;
}

/// (function, arguments...): the results of the function, or nil, the message and the value raised.
static int catch_failure(lua_State *L) {
  int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
  if (status == LUA_OK) {
    lua_pushboolean(L, 1);
    lua_insert(L, 1);
    return lua_gettop(L);
  }
  if (latch_must_pass_on(L, status)) return latch_rekill(L);
  latch_of(L)->is_raised = false;
  lua_pushboolean(L, 0);
  lua_insert(L, -2);
  return 2;
}

/// (function, number): the name, the value and the identity of an upvalue of a script's function;
/// nothing if there is none.
static int upvalue(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  int number = (int)latch_check_integer(L, 2);
  if (lua_iscfunction(L, 1)) return 0;
  const char *name = lua_getupvalue(L, 1, number);
  if (name == NULL) return 0;
  lua_pushstring(L, name);
  lua_insert(L, -2);
  lua_pushinteger(L, (lua_Integer)(intptr_t)lua_upvalueid(L, 1, number));
  return 3;
}

/// (function, number, value): sets an upvalue of a script's function.
static int set_upvalue(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  int number = (int)latch_check_integer(L, 2);
  lua_settop(L, 3);
  if (!lua_iscfunction(L, 1)) lua_setupvalue(L, 1, number);
  return 0;
}

/// (value): the seconds of a number or a duration; or nil, and the description of valid values.
static int seconds_of(lua_State *L) {
  lua_Number seconds;
  lua_settop(L, 1);
  if (latch_to_seconds(L, 1, &seconds)) {
    lua_pushnumber(L, seconds);
    return 1;
  }
  lua_pushnil(L);
  lua_pushstring(L, latch_what_seconds_are(lua_type(L, 1) == LUA_TSTRING));
  return 2;
}

/// (table, key): true if the value there in a node of the state is never shown, and true if the key
/// is not; (table): the same for the node itself and for its keys.
static int is_secret(lua_State *L) {
  lua_settop(L, 2);
  latch_vm *vm = latch_of(L);
  if (vm->types == NULL || !lua_istable(L, 1) || latch_kind(L, 1) != LATCH_NODE) return 0;
  latch_push_data(L, 1);
  const void *data = lua_topointer(L, 3);
  uint32_t number = latch_type_of_data(data);
  if (number == 0) return 0;
  const latch_type *type = latch_type_numbered(vm, number);
  bool is = type->is_secret;
  if (!is && !lua_isnil(L, 2)) {
    lua_pushvalue(L, 2);
    uint32_t below = latch_type_at(vm, data, latch_top_cells(L, 1));
    is = below != 0 && latch_type_numbered(vm, below)->is_secret;
  }
  lua_pushboolean(L, is);
  lua_pushboolean(L, latch_hides_keys(vm, number));
  return 2;
}

/// (table): makes in_state accept this copy of another state too.
static int set_other_state(lua_State *L) {
  lua_settop(L, 1);
  lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_OTHER_STATE);
  return 0;
}

static const luaL_Reg HOST[] = {
  {"compile", compile},
  {"declare_state", latch_declare_state},
  {"freeze", freeze},
  {"freeze_globals", freeze_globals},
  {"frozen", frozen},
  {"global", global},
  {"is_plain", latch_is_plain_data},
  {"is_secret", is_secret},
  {"kept", kept},
  {"kept_function", kept_function},
  {"kind", kind},
  {"locals", locals},
  {"mark", latch_tell_mark},
  {"nearest", nearest},
  {"nesting", nesting},
  {"phase", phase},
  {"printable", latch_printable},
  {"protect", catch_failure},
  {"raise_answer", latch_raise_told},
  {"rawset", raw_set},
  {"root", root},
  {"seconds", seconds_of},
  {"set_checks", set_checks},
  {"set_equality", set_equality},
  {"set_global", set_global},
  {"set_mark", latch_mark_table},
  {"set_other_state", set_other_state},
  {"take", take},
  {"upvalue", upvalue},
  {"set_upvalue", set_upvalue},
  {"where", where},
  {"where_defined", where_defined},
  {NULL, NULL},
};

// MARK: Opening

static void push_host(lua_State *L) {
  lua_createtable(L, 0, (int)(sizeof HOST / sizeof *HOST) + LATCH_HOST_FUNCTIONS);
  luaL_setfuncs(L, HOST, 0);
  latch_set_host_functions(L);
  lua_pushlightuserdata(L, latch_none());
  lua_setfield(L, -2, "none");
  lua_newtable(L);
  lua_setfield(L, -2, "stubs");  // the stubs of scenarios: "scope.name" -> function
  latch_push_language(L);
  lua_setfield(L, -2, "language");
}

/// Fills the prelude's globals. Values that scripts have made do not matter here.
static void open_prelude(lua_State *L, int prelude) {
  luaL_setfuncs(L, latch_base_functions, 0);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  for (int i = 0; i < LATCH_LIBRARIES; i++) {
    lua_getfield(L, -1, latch_libraries[i].name);
    lua_setfield(L, prelude, latch_libraries[i].name);
  }
  lua_pop(L, 1);
  push_host(L);
  lua_setfield(L, prelude, "host");
}

void latch_push_prelude(lua_State *L) {
  luaL_checkstack(L, 8, NULL);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_PRELUDE);
  latch_vm *vm = latch_of(L);
  if (vm->flow.has_prelude) return;
  open_prelude(L, lua_gettop(L));
  vm->flow.has_prelude = true;
}

// MARK: What else the host answers

typedef struct {
  const char *name;
  int32_t function;
} latch_provided;

static int provide(lua_State *L) {
  latch_provided *request = lua_touserdata(L, 1);
  latch_push_prelude(L);
  lua_getfield(L, -1, "host");
  latch_push_host_function(L, request->function);
  lua_setfield(L, -2, request->name);
  return 0;
}

latch_status latch_provide(latch_vm *vm, const char *name, int32_t function) {
  latch_provided request = {name, function};
  return latch_protect(vm, provide, &request, 0);
}
