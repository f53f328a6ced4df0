/// The words of the flow language: what a script sees of it, wherever the flow runs.
///
/// A flow runs once to be checked and once for every host, with the same words: nothing that a script can
/// ask tells it where it is, and its functions are kept in the same order, so that Swift knows them by the
/// same numbers. While it is checked each declaration is first looked at by the prelude's part for that
/// (flow.lua, which notes what is declared and what is wrong with it); what has a fault goes no further. What is
/// left to do here is the same for every VM: to keep the functions that a declaration holds, whatever its
/// shape, and to put together what the state begins with.
///
/// A word is an empty table; all have one metatable, whose functions know a word by its address.

#include "flow.h"
#include "library.h"
#include "vm.h"

static const char *const NAMES[LATCH_WORDS] = {
  "state", "action", "reduce", "gate", "view", "invariant", "gatekeeper", "machine", "scope",
  "effect", "dispatch", "may", "boolean", "integer", "number", "any",
};

/// The functions that have names, and what they are called in tracebacks.
static const struct {
  int registry_key;
  const char *kind;
} NAMED[] = {
  {LATCH_R_REDUCERS, "reduce"}, {LATCH_R_GATES, "gate"}, {LATCH_R_VIEWS, "view"},
  {LATCH_R_INVARIANTS, "invariant"},
};

enum { NAMED_KINDS = sizeof NAMED / sizeof *NAMED };

// MARK: Tables

void latch_push_declared(lua_State *L, int registry_key) {
  if (lua_rawgeti(L, LUA_REGISTRYINDEX, registry_key) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_rawseti(L, LUA_REGISTRYINDEX, registry_key);
}

static void forget_declared(lua_State *L, int registry_key) {
  lua_pushboolean(L, 0);
  lua_rawseti(L, LUA_REGISTRYINDEX, registry_key);
}

/// Sets a field of such a table to the value on top of the stack, which is popped.
static void set_declared(lua_State *L, int registry_key, int name) {
  latch_push_declared(L, registry_key);
  lua_pushvalue(L, name);
  lua_pushvalue(L, -3);
  lua_rawset(L, -3);
  lua_pop(L, 2);
}

/// Pushes a field of such a table, or nil.
static int get_declared(lua_State *L, int registry_key, int name) {
  if (lua_rawgeti(L, LUA_REGISTRYINDEX, registry_key) == LUA_TTABLE) {
    lua_pushvalue(L, name);
    lua_rawget(L, -2);
  } else {
    lua_pushnil(L);
  }
  lua_remove(L, -2);
  return lua_type(L, -1);
}

void latch_for_each(
  lua_State *L, int index, void (*visit)(lua_State *L, int key, int value, void *context),
  void *context) {
  index = lua_absindex(L, index);
  latch_check_stack(L, 8, "values are nested too deeply");
  int iterator = lua_gettop(L) + 1;
  lua_pushcfunction(L, latch_base_pairs);
  lua_pushvalue(L, index);
  lua_call(L, 1, 3);
  for (;;) {
    lua_pushvalue(L, iterator);
    lua_pushvalue(L, iterator + 1);
    lua_pushvalue(L, iterator + 2);
    lua_call(L, 2, 2);
    if (lua_isnil(L, -2)) break;
    lua_pushvalue(L, -2);
    lua_replace(L, iterator + 2);
    visit(L, iterator + 3, iterator + 4, context);
    lua_settop(L, iterator + 2);
  }
  lua_settop(L, iterator - 1);
}

static void keep(lua_State *L, int index) {
  lua_pushvalue(L, index);
  latch_keep_function(L);
}

/// Where functions are looked for: the tables that were seen, at that place of the stack, and how deep
/// they lie.
typedef struct {
  int seen, depth;
} latch_search;

static void search_in(lua_State *L, int table, latch_search *search);

static void keep_or_search(lua_State *L, int key, int value, void *context) {
  (void)key;
  if (lua_isfunction(L, value)) keep(L, value);
  else if (lua_istable(L, value)) search_in(L, value, context);
}

static void search_in(lua_State *L, int table, latch_search *search) {
  lua_pushvalue(L, table);
  if (lua_rawget(L, search->seen) != LUA_TNIL) return;
  lua_pushvalue(L, table);
  lua_pushboolean(L, 1);
  lua_rawset(L, search->seen);
  if (++search->depth > latch_of(L)->limits.nesting) {
    luaL_error(L, "a declaration is nested more than %d deep", latch_of(L)->limits.nesting);
  }
  latch_for_each(L, table, keep_or_search, search);
  search->depth--;
}

void latch_keep_functions(lua_State *L, int definition) {
  lua_newtable(L);
  latch_search state = {lua_gettop(L), 0};
  search_in(L, definition, &state);
  lua_settop(L, state.seen - 1);
}

// MARK: Checking

bool latch_passes_check(lua_State *L, const char *word, const char *how, int first) {
  if (!latch_of(L)->has_prelude) return true;
  int top = lua_gettop(L), count = top - first + 1;
  latch_check_stack(L, count + 4, "too many arguments");
  latch_push_prelude(L);
  lua_getfield(L, -1, "host");
  bool passes = true;
  if (lua_getfield(L, -1, "checks") == LUA_TTABLE && lua_getfield(L, -1, word) == LUA_TTABLE &&
      lua_getfield(L, -1, how) == LUA_TFUNCTION) {
    for (int i = first; i <= top; i++) lua_pushvalue(L, i);
    lua_call(L, count, 1);
    passes = lua_toboolean(L, -1);
  }
  lua_settop(L, top);
  return passes;
}

// MARK: state

static void set_initial(lua_State *L, int key, int value, void *context) {
  (void)context;
  lua_pushvalue(L, value);
  set_declared(L, LATCH_R_INITIAL, key);
}

/// Whoever takes `state` for the state is told where that is.
static int complain_of_state(lua_State *L) {
  return latch_raise(L, "%sstate declares the state; a function is given it: s.%s",
                     latch_push_script_place(L, ""), latch_tolstring(L, 2, NULL));
}

static int declare_state(lua_State *L) {
  latch_must_be_loading(L, "state");
  if (!latch_passes_check(L, "state", "called", 2)) return 0;
  latch_for_each(L, 2, set_initial, NULL);
  return 0;
}

// MARK: machine

static void declare_machine(lua_State *L, int name, int definition) {
  latch_push_declared(L, LATCH_R_MACHINES);
  lua_pushvalue(L, name);
  lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
  lua_getfield(L, definition, "initial");
  set_declared(L, LATCH_R_INITIAL, name);
  latch_keep_functions(L, definition);
}

// MARK: scope and effect

static void declare_scope(lua_State *L, int name, int definition) {
  lua_getfield(L, definition, "key");
  if (lua_toboolean(L, -1)) keep(L, -1);
  if (lua_getfield(L, definition, "make") == LUA_TNIL) lua_newtable(L);
  set_declared(L, LATCH_R_FACTORIES, name);
}

static void declare_effect(lua_State *L, int definition) {
  if (lua_istable(L, definition)) lua_getfield(L, definition, "run");
  else lua_pushvalue(L, definition);
  latch_keep_function(L);
}

// MARK: Words that are called with a name

/// kind.NAME(definition). Upvalues: the word, the name.
static int call_named(lua_State *L) {
  latch_word word = (latch_word)lua_tointeger(L, lua_upvalueindex(1));
  lua_settop(L, 1);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_insert(L, 1);
  if (word == LATCH_WORD_DISPATCH) return latch_dispatch(L);
  if (word == LATCH_WORD_MAY) return latch_may(L);
  latch_must_be_loading(L, latch_push_dotted(L, NAMES[word], 1));
  lua_settop(L, 2);
  if (!latch_passes_check(L, NAMES[word], "named", 1)) return 0;
  switch (word) {
    case LATCH_WORD_MACHINE: declare_machine(L, 1, 2); break;
    case LATCH_WORD_SCOPE: declare_scope(L, 1, 2); break;
    case LATCH_WORD_EFFECT: declare_effect(L, 2); break;
    default: break;  // an action's types are for the checking alone
  }
  return 0;
}

static int push_call(lua_State *L, latch_word word) {
  lua_pushinteger(L, word);
  lua_pushvalue(L, 2);
  lua_pushcclosure(L, call_named, 2);
  return 1;
}

// MARK: Functions by name

static int declare_function(lua_State *L, latch_word word, int name, int function) {
  static const int KEYS[LATCH_WORDS] = {
    [LATCH_WORD_REDUCE] = LATCH_R_REDUCERS, [LATCH_WORD_GATE] = LATCH_R_GATES,
    [LATCH_WORD_VIEW] = LATCH_R_VIEWS, [LATCH_WORD_INVARIANT] = LATCH_R_INVARIANTS,
  };
  keep(L, function);
  lua_pushvalue(L, function);
  set_declared(L, KEYS[word], name);
  if (word != LATCH_WORD_VIEW) return 0;
  lua_pushinteger(L, latch_of(L)->view_count++);
  set_declared(L, LATCH_R_VIEW_READERS, name);
  return 0;
}

// MARK: view

/// view.NAME() after loading. The upvalue: the view's number.
static int read_view(lua_State *L) {
  latch_must_not_be_reducer(L, "read a view: it works with s, a, now() and random()");
  lua_settop(L, 0);
  lua_pushvalue(L, lua_upvalueindex(1));
  return latch_view_read(L);
}

static int read_too_early(lua_State *L) { return latch_raise(L, "a view is read after loading"); }

/// (word, name)
static int push_view(lua_State *L) {
  int type = get_declared(L, LATCH_R_VIEW_READERS, 2);
  if (!latch_of(L)->has_loaded) {
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
    set_declared(L, LATCH_R_VIEW_READERS, 2);
  }
  return 1;
}

// MARK: Types

/// Gives a type of that kind: a read-only table that stands for itself. What it was made of, at `options`, is for the
/// checking alone.
static int make_type(lua_State *L, const char *kind, int options) {
  lua_settop(L, options);
  lua_newtable(L);
  if (lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_TYPES) != LUA_TTABLE) {
    lua_pop(L, 1);
    latch_freeze_shallow(L);
    lua_getmetatable(L, -1);
    lua_pushvalue(L, -1);
    lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_TYPES);
  }
  lua_setmetatable(L, -2);
  int made = lua_gettop(L);
  lua_pushstring(L, kind);
  lua_pushvalue(L, made);
  lua_pushvalue(L, options);
  latch_passes_check(L, "type", "made", made + 1);
  lua_settop(L, made);
  return 1;
}

/// (options). The upvalue: the kind.
static int make_element_type(lua_State *L) {
  return make_type(L, lua_tostring(L, lua_upvalueindex(1)), 1);
}

/// (string, options): the library is a type too.
static int make_string_type(lua_State *L) { return make_type(L, "string", 2); }

// MARK: The metatable of words

bool latch_is_word(lua_State *L, int index) {
  const latch_vm *vm = latch_of(L);
  const void *table = lua_topointer(L, index);
  for (int word = 0; word < LATCH_WORDS; word++) {
    if (vm->words[word] == table && table != NULL) return true;
  }
  return false;
}

/// The word that is the first argument.
static latch_word check_word(lua_State *L) {
  const latch_vm *vm = latch_of(L);
  const void *table = lua_topointer(L, 1);
  int word = 0;
  while (word < LATCH_WORDS && vm->words[word] != table) word++;
  if (word == LATCH_WORDS) luaL_error(L, "this is no word of the flow language");
  return (latch_word)word;
}

/// (word, name)
static int read_word(lua_State *L) {
  latch_word word = check_word(L);
  lua_settop(L, 2);
  switch (word) {
    case LATCH_WORD_STATE: return complain_of_state(L);
    case LATCH_WORD_REDUCE: get_declared(L, LATCH_R_REDUCERS, 2); return 1;
    case LATCH_WORD_GATE: get_declared(L, LATCH_R_GATES, 2); return 1;
    case LATCH_WORD_INVARIANT: get_declared(L, LATCH_R_INVARIANTS, 2); return 1;
    case LATCH_WORD_VIEW: return push_view(L);
    case LATCH_WORD_GATEKEEPER: latch_push_keeper(L, 2); return 1;
    default: return word < LATCH_WORD_BOOLEAN ? push_call(L, word) : 0;
  }
}

/// (word, name, value)
static int write_word(lua_State *L) {
  latch_word word = check_word(L);
  if (latch_of(L)->has_loaded) return latch_refuse_write(L);
  if (word >= LATCH_WORD_BOOLEAN) return latch_refuse_write(L);
  lua_settop(L, 3);
  if (word == LATCH_WORD_STATE) return complain_of_state(L);
  if (!latch_passes_check(L, NAMES[word], "written", 2)) return 0;
  switch (word) {
    case LATCH_WORD_REDUCE:
    case LATCH_WORD_GATE:
    case LATCH_WORD_VIEW:
    case LATCH_WORD_INVARIANT: return declare_function(L, word, 2, 3);
    case LATCH_WORD_EFFECT: declare_effect(L, 3); return 0;
    default: return latch_raise(L, "this cannot be changed");
  }
}

/// What a call gives that is at fault: it may be meant to be called in its turn.
static int ignore(lua_State *L) {
  (void)L;
  return 0;
}

/// (word, ...)
static int call_word(lua_State *L) {
  latch_word word = check_word(L);
  switch (word) {
    case LATCH_WORD_STATE: lua_settop(L, 2); return declare_state(L);
    case LATCH_WORD_GATE:
      lua_settop(L, 4);
      latch_must_be_loading(L, "gate");
      return latch_passes_check(L, "gate", "called", 2) ? declare_function(L, word, 2, 4) : 0;
    case LATCH_WORD_EFFECT:
      lua_settop(L, 4);
      latch_must_be_loading(L, "effect");
      if (latch_passes_check(L, "effect", "called", 2)) declare_effect(L, 4);
      return 0;
    case LATCH_WORD_DISPATCH: lua_remove(L, 1); return latch_dispatch(L);
    case LATCH_WORD_MAY: lua_remove(L, 1); return latch_may(L);
    case LATCH_WORD_BOOLEAN:
    case LATCH_WORD_INTEGER:
    case LATCH_WORD_NUMBER:
    case LATCH_WORD_ANY: return make_type(L, NAMES[word], 2);
    default:
      if (latch_passes_check(L, NAMES[word], "called", 2)) {
        return luaL_error(L, "%s is not called: write %s.NAME", NAMES[word], NAMES[word]);
      }
      lua_pushcfunction(L, ignore);
      return 1;
  }
}

// MARK: Opening

static void set_types(lua_State *L, int globals) {
  static const char *const MADE[] = {"one_of", "list_of", "map_of", "optional"};
  for (size_t i = 0; i < sizeof MADE / sizeof *MADE; i++) {
    lua_pushstring(L, MADE[i]);
    lua_pushcclosure(L, make_element_type, 1);
    lua_setfield(L, globals, MADE[i]);
  }
  lua_getfield(L, globals, "string");
  lua_getmetatable(L, -1);
  lua_pushcfunction(L, make_string_type);
  lua_setfield(L, -2, "__call");
}

static void push_metatable(lua_State *L) {
  static const luaL_Reg EVENTS[] = {
    {"__index", read_word}, {"__newindex", write_word}, {"__call", call_word}, {NULL, NULL},
  };
  lua_createtable(L, 0, 4);
  luaL_setfuncs(L, EVENTS, 0);
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
}

/// Adds a word to the globals at 1; the metatable of words is at 2.
static void add_word(lua_State *L, latch_word word) {
  lua_newtable(L);
  latch_of(L)->words[word] = lua_topointer(L, -1);
  lua_pushvalue(L, 2);
  lua_setmetatable(L, -2);
  lua_setfield(L, 1, NAMES[word]);
  lua_settop(L, 2);
}

void latch_add_asking_words(lua_State *L) {
  lua_settop(L, 0);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_GLOBALS);
  push_metatable(L);
  add_word(L, LATCH_WORD_DISPATCH);
  add_word(L, LATCH_WORD_MAY);
}

static int open_words(lua_State *L) {
  latch_vm *vm = latch_of(L);
  lua_settop(L, 0);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_GLOBALS);
  lua_getfield(L, 1, NAMES[LATCH_WORD_MAY]);
  lua_getmetatable(L, 2);
  lua_replace(L, 2);
  for (int word = 0; word < LATCH_WORDS; word++) {
    if (vm->words[word] == NULL) add_word(L, (latch_word)word);
  }
  set_types(L, 1);
  return 0;
}

latch_status latch_open_words(latch_vm *vm) { return latch_protect(vm, open_words, NULL, 0); }

// MARK: The end of loading

typedef struct {
  int names, seen;
  bool is_doubled;
} latch_naming;

/// A function that has two names is called by the first in tracebacks.
static void name_function(lua_State *L, int key, int value, void *context) {
  latch_naming *naming = context;
  lua_pushvalue(L, value);
  if (lua_rawget(L, naming->seen) != LUA_TNIL) {
    naming->is_doubled = true;
    return;
  }
  lua_pushvalue(L, value);
  lua_pushboolean(L, 1);
  lua_rawset(L, naming->seen);
  lua_pushvalue(L, key);
  lua_pushvalue(L, value);
  lua_rawset(L, naming->names);
}

/// Has tracebacks call the functions by their names: those of the registry's loaded tables.
static void name_functions(lua_State *L) {
  int top = lua_gettop(L);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_newtable(L);
  for (int i = 0; i < NAMED_KINDS; i++) {
    if (lua_rawgeti(L, LUA_REGISTRYINDEX, NAMED[i].registry_key) != LUA_TTABLE) continue;
    int functions = lua_gettop(L);
    lua_newtable(L);
    latch_naming naming = {functions + 1, top + 2, false};
    latch_for_each(L, functions, name_function, &naming);
    lua_pushvalue(L, naming.is_doubled ? functions + 1 : functions);
    lua_setfield(L, top + 1, NAMED[i].kind);
    lua_settop(L, top + 2);
  }
  lua_settop(L, top);
}

static void call_with(lua_State *L, lua_CFunction function) {
  lua_pushcfunction(L, function);
  lua_insert(L, -2);
  lua_call(L, 1, 0);
}

static int finish_loading(lua_State *L) {
  latch_of(L)->has_loaded = true;
  lua_settop(L, 0);
  latch_push_declared(L, LATCH_R_INITIAL);
  call_with(L, latch_declare_state);
  forget_declared(L, LATCH_R_INITIAL);
  latch_push_declared(L, LATCH_R_MACHINES);
  lua_Integer count = (lua_Integer)lua_rawlen(L, 1);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, 1, i);
    call_with(L, latch_mark_machine);
  }
  lua_settop(L, 0);
  forget_declared(L, LATCH_R_MACHINES);
  latch_freeze_modules(L);
  latch_freeze_globals(L);
  name_functions(L);
  return 0;
}

latch_status latch_finish_loading(latch_vm *vm, latch_run run) {
  lua_State *thread;
  int results;
  latch_status status = latch_run_function(vm, finish_loading, 0, run, &thread, &results);
  if (status == LATCH_OK) lua_settop(thread, 0);
  return status;
}
