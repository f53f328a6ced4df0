/// The declarators of the flow language, as scripts see them wherever the flow runs.
///
/// A flow runs once to be checked and once for every host, with the same declarators: a script
/// cannot find out which, and its functions are stored in the same order, so Swift knows them by
/// the same numbers. While the flow is checked, the prelude first checks each declaration
/// (flow.lua, which records declarations and their faults); a faulty one goes no further. The rest
/// is the same for every VM: storing the functions of a declaration, in whatever form, and
/// assembling the initial state.
///
/// A declarator is an empty table. All declarators have one metatable, whose functions recognize a
/// declarator by its address.

#include "language/language.h"

static void keep(lua_State *L, int index) {
  lua_pushvalue(L, index);
  latch_keep_function(L);
}

// MARK: state

static void set_initial(lua_State *L, int key, int value, void *context) {
  (void)context;
  lua_pushvalue(L, value);
  latch_set_declared(L, LATCH_R_INITIAL, key);
}

/// Raises the error for a use of `state` as if it were the state.
static int complain_of_state(lua_State *L) {
  return latch_raise(L, "%sstate declares the state; a function gets it as a parameter: s.%s",
    latch_push_script_place(L, ""), latch_tolstring(L, 2, NULL));
}

static int declare_state(lua_State *L) {
  latch_must_be_loading(L, "state");
  if (!latch_passes_check(L, "state", "called", 2)) return 0;
  latch_for_each(L, 2, set_initial, NULL);
  return 0;
}

// MARK: scope and effect

static void declare_scope(lua_State *L, int name, int definition) {
  lua_getfield(L, definition, "key");
  if (lua_toboolean(L, -1)) keep(L, -1);
  if (lua_getfield(L, definition, "make") == LUA_TNIL) lua_newtable(L);
  latch_set_declared(L, LATCH_R_FACTORIES, name);
}

static void declare_effect(lua_State *L, int definition) {
  if (lua_istable(L, definition)) lua_getfield(L, definition, "run");
  else lua_pushvalue(L, definition);
  latch_keep_function(L);
}

// MARK: Declarators that are called with a name

/// kind.NAME(definition). Upvalues: the declarator, the name.
static int call_named(lua_State *L) {
  latch_declarator declarator = (latch_declarator)lua_tointeger(L, lua_upvalueindex(1));
  lua_settop(L, 1);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_insert(L, 1);
  if (declarator == LATCH_DECLARATOR_DISPATCH) return latch_dispatch(L);
  if (declarator == LATCH_DECLARATOR_MAY) return latch_may(L);
  if (latch_of(L)->flow.has_loaded) {  // otherwise the name is not needed
    latch_must_be_loading(L, latch_push_dotted(L, latch_declarator_names[declarator], 1));
  }
  lua_settop(L, 2);
  if (!latch_passes_check(L, latch_declarator_names[declarator], "named", 1)) return 0;
  switch (declarator) {
    case LATCH_DECLARATOR_MACHINE: latch_keep_functions(L, 2); break;
    case LATCH_DECLARATOR_SCOPE: declare_scope(L, 1, 2); break;
    case LATCH_DECLARATOR_EFFECT: declare_effect(L, 2); break;
    default: break;  // the types of an action are only for the check
  }
  return 0;
}

static int push_call(lua_State *L, latch_declarator declarator) {
  lua_pushinteger(L, declarator);
  lua_pushvalue(L, 2);
  lua_pushcclosure(L, call_named, 2);
  return 1;
}

// MARK: Functions by name

static int declare_function(lua_State *L, latch_declarator declarator, int name, int function) {
  static const int KEYS[LATCH_DECLARATORS] = {
    [LATCH_DECLARATOR_REDUCE] = LATCH_R_REDUCERS,
    [LATCH_DECLARATOR_GATE] = LATCH_R_GATES,
    [LATCH_DECLARATOR_VIEW] = LATCH_R_VIEWS,
    [LATCH_DECLARATOR_INVARIANT] = LATCH_R_INVARIANTS,
  };
  keep(L, function);
  lua_pushvalue(L, function);
  latch_set_declared(L, KEYS[declarator], name);
  if (declarator != LATCH_DECLARATOR_VIEW) return 0;
  lua_pushinteger(L, latch_of(L)->flow.view_count++);
  latch_set_declared(L, LATCH_R_VIEW_READERS, name);
  return 0;
}

// MARK: view

/// view.NAME() after loading. The upvalue: the view's number.
static int read_view(lua_State *L) {
  latch_must_not_be_reducer(L, "read a view: it has only s, a, now() and random()");
  lua_settop(L, 0);
  lua_pushvalue(L, lua_upvalueindex(1));
  return latch_view_read(L);
}

static int read_too_early(lua_State *L) {
  return latch_raise(L, "a view can be read only after loading");
}

/// (declarator, name)
static int push_view(lua_State *L) {
  int type = latch_get_declared(L, LATCH_R_VIEW_READERS, 2);
  if (!latch_of(L)->flow.has_loaded) {
    if (type != LUA_TNIL) lua_pushcfunction(L, read_too_early);
    return 1;
  }
  if (type == LUA_TNIL) {
    latch_push_declared(L, LATCH_R_VIEW_READERS);
    int names = lua_gettop(L);
    const char *name = latch_tolstring(L, 2, NULL);
    if (lua_type(L, 2) == LUA_TSTRING) latch_push_suggestion(L, names, name);
    else lua_pushliteral(L, "");
    return latch_raise(L, "there is no view %s%s", name, lua_tostring(L, -1));
  }
  if (type == LUA_TNUMBER) {
    lua_pushcclosure(L, read_view, 1);
    lua_pushvalue(L, -1);
    latch_set_declared(L, LATCH_R_VIEW_READERS, 2);
  }
  return 1;
}

// MARK: The metatable of declarators

/// Returns the declarator that is the first argument.
static latch_declarator check_declarator(lua_State *L) {
  const latch_vm *vm = latch_of(L);
  const void *table = lua_topointer(L, 1);
  int declarator = 0;
  while (declarator < LATCH_DECLARATORS && vm->declarators[declarator] != table) declarator++;
  if (declarator == LATCH_DECLARATORS) luaL_error(L, "this is not a word of the flow language");
  return (latch_declarator)declarator;
}

/// (declarator, name)
static int read_declarator(lua_State *L) {
  latch_declarator declarator = check_declarator(L);
  lua_settop(L, 2);
  switch (declarator) {
    case LATCH_DECLARATOR_STATE: return complain_of_state(L);
    case LATCH_DECLARATOR_REDUCE: latch_get_declared(L, LATCH_R_REDUCERS, 2); return 1;
    case LATCH_DECLARATOR_GATE: latch_get_declared(L, LATCH_R_GATES, 2); return 1;
    case LATCH_DECLARATOR_INVARIANT: latch_get_declared(L, LATCH_R_INVARIANTS, 2); return 1;
    case LATCH_DECLARATOR_VIEW: return push_view(L);
    case LATCH_DECLARATOR_GATEKEEPER: latch_push_gatekeeper(L, 2); return 1;
    default: return declarator < LATCH_DECLARATOR_BOOLEAN ? push_call(L, declarator) : 0;
  }
}

/// (declarator, name, value)
static int write_declarator(lua_State *L) {
  latch_declarator declarator = check_declarator(L);
  if (latch_of(L)->flow.has_loaded) return latch_refuse_write(L);
  if (declarator >= LATCH_DECLARATOR_BOOLEAN) return latch_refuse_write(L);
  lua_settop(L, 3);
  if (declarator == LATCH_DECLARATOR_STATE) return complain_of_state(L);
  if (!latch_passes_check(L, latch_declarator_names[declarator], "written", 2)) return 0;
  switch (declarator) {
    case LATCH_DECLARATOR_REDUCE:
    case LATCH_DECLARATOR_GATE:
    case LATCH_DECLARATOR_VIEW:
    case LATCH_DECLARATOR_INVARIANT: return declare_function(L, declarator, 2, 3);
    case LATCH_DECLARATOR_EFFECT: declare_effect(L, 3); return 0;
    case LATCH_DECLARATOR_MIGRATE: keep(L, 3); return 0;
    default: return latch_raise(L, "this cannot be changed");
  }
}

/// version(n): only the check uses it.
int latch_version(lua_State *L) {
  lua_settop(L, 1);
  latch_must_be_loading(L, "version");
  latch_passes_check(L, "version", "called", 1);
  return 0;
}

/// flow_name(name): the same.
int latch_flow_name(lua_State *L) {
  lua_settop(L, 1);
  latch_must_be_loading(L, "flow_name");
  latch_passes_check(L, "flow_name", "called", 1);
  return 0;
}

/// The result of a faulty declaration, which the script may call in turn: does nothing.
static int ignore(lua_State *L) {
  (void)L;
  return 0;
}

/// (declarator, ...)
static int call_declarator(lua_State *L) {
  latch_declarator declarator = check_declarator(L);
  const char *name = latch_declarator_names[declarator];
  switch (declarator) {
    case LATCH_DECLARATOR_STATE: lua_settop(L, 2); return declare_state(L);
    case LATCH_DECLARATOR_GATE:
      lua_settop(L, 4);
      latch_must_be_loading(L, "gate");
      if (latch_passes_check(L, "gate", "called", 2)) declare_function(L, declarator, 2, 4);
      return 0;
    case LATCH_DECLARATOR_EFFECT:
      lua_settop(L, 4);
      latch_must_be_loading(L, "effect");
      if (latch_passes_check(L, "effect", "called", 2)) declare_effect(L, 4);
      return 0;
    case LATCH_DECLARATOR_DISPATCH: lua_remove(L, 1); return latch_dispatch(L);
    case LATCH_DECLARATOR_MAY: lua_remove(L, 1); return latch_may(L);
    case LATCH_DECLARATOR_BOOLEAN:
    case LATCH_DECLARATOR_INTEGER:
    case LATCH_DECLARATOR_NUMBER:
    case LATCH_DECLARATOR_ANY: return latch_make_type(L, name, 2);
    default:
      if (latch_passes_check(L, name, "called", 2)) {
        return luaL_error(L, "%s cannot be called: write %s.NAME", name, name);
      }
      lua_pushcfunction(L, ignore);
      return 1;
  }
}

// MARK: Opening

static void push_metatable(lua_State *L) {
  static const luaL_Reg EVENTS[] = {
    {"__index", read_declarator},
    {"__newindex", write_declarator},
    {"__call", call_declarator},
    {NULL, NULL},
  };
  lua_createtable(L, 0, 4);
  luaL_setfuncs(L, EVENTS, 0);
  latch_hide_metatable(L, -1);
}

/// Adds a declarator to the globals at 1; the metatable of declarators is at 2.
static void add_declarator(lua_State *L, latch_declarator declarator) {
  lua_newtable(L);
  latch_of(L)->declarators[declarator] = lua_topointer(L, -1);
  lua_pushvalue(L, 2);
  lua_setmetatable(L, -2);
  lua_setfield(L, 1, latch_declarator_names[declarator]);
  lua_settop(L, 2);
}

void latch_add_asking_declarators(lua_State *L) {
  lua_settop(L, 0);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_GLOBALS);
  push_metatable(L);
  add_declarator(L, LATCH_DECLARATOR_DISPATCH);
  add_declarator(L, LATCH_DECLARATOR_MAY);
}

static int open_declarators(lua_State *L) {
  latch_vm *vm = latch_of(L);
  lua_settop(L, 0);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_GLOBALS);
  lua_getfield(L, 1, latch_declarator_names[LATCH_DECLARATOR_MAY]);
  lua_getmetatable(L, 2);
  lua_replace(L, 2);
  for (int declarator = 0; declarator < LATCH_DECLARATORS; declarator++) {
    if (vm->declarators[declarator] == NULL) add_declarator(L, (latch_declarator)declarator);
  }
  latch_add_types(L, 1);
  return 0;
}

latch_status latch_open_declarators(latch_vm *vm) {
  return latch_protect(vm, open_declarators, NULL, 0);
}
