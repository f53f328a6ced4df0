/// The floor of the language: what a flow declares with and what it can call, and the prelude's own
/// functions.
///
/// It may use everything below: the library, the state, runs, values.

#ifndef LATCH_LANGUAGE_H
#define LATCH_LANGUAGE_H

#include "library/library.h"

// MARK: What a flow has declared (declared.c)

/// Raises an error whose message is the text alone.
int latch_raise(lua_State *L, const char *format, ...);

/// Pushes where the script stands, as it begins a message; `nowhere` where there is no script.
const char *latch_push_script_place(lua_State *L, const char *nowhere);

/// Pushes the name at `name` in quotes, as Lua would read it.
const char *latch_push_quoted(lua_State *L, int name);

/// Pushes a declaration as texts show it: reduce.coin, or reduce["T02 Check"].
const char *latch_push_dotted(lua_State *L, const char *kind, int name);

/// Puts in the place of the value on top of the stack what a script holds for it: an empty table
/// with these events, whose functions have the value as their upvalue; `refuse` meets changes.
void latch_make_handle(lua_State *L, const luaL_Reg *events, lua_CFunction refuse);

/// Raises once the flow has loaded: `what` can be declared no longer.
void latch_must_be_loading(lua_State *L, const char *what);

/// Raises that what runs now cannot do `what`.
int latch_refuse_phase(lua_State *L, const char *what);

/// Raises in a reducer: it cannot do `what`.
void latch_must_not_be_reducer(lua_State *L, const char *what);

/// Raises in whatever is no effect: it cannot do `what`.
void latch_only_effects(lua_State *L, const char *what);

/// Calls `visit` for each key and value of the table at `index`, in the order of `pairs`; they
/// stand on top of the stack, which it leaves as it was.
void latch_for_each(lua_State *L, int index,
  void (*visit)(lua_State *L, int key, int value, void *context), void *context);

/// Pushes the table that stands in the registry under that key; made if there is none yet.
void latch_push_declared(lua_State *L, int registry_key);
/// Pushes a field of such a table, or nil, and gives its type.
int latch_get_declared(lua_State *L, int registry_key, int name);
/// Sets a field of such a table to the value on top of the stack, which is popped.
void latch_set_declared(lua_State *L, int registry_key, int name);
void latch_forget_declared(lua_State *L, int registry_key);

// MARK: Asking for actions (asking.c)

/// The name at `index` as text, and behind it a payload, of which nil means {}.
void latch_complete_dispatch(lua_State *L, int index);
/// dispatch("NAME", payload) and may("NAME", payload), with both on the stack alone.
int latch_dispatch(lua_State *L);
int latch_may(lua_State *L);

// MARK: Functions side by side (join_group.c)

/// all { name = function } and race { name = function }
int latch_all(lua_State *L);
int latch_race(lua_State *L);
int latch_retry(lua_State *L);
/// revised(name)
int latch_revised(lua_State *L);
int latch_version(lua_State *L);
int latch_flow_name(lua_State *L);

// MARK: Named states (in_state.c)

/// in_state(s, path)
int latch_in_state(lua_State *L);
/// count_in(s, path) and all_in(s, path)
int latch_count_in(lua_State *L);
int latch_all_in(lua_State *L);

// MARK: Dates (date.c)

/// born()
int latch_birth(lua_State *L);
/// Adds `date` to the globals.
void latch_add_date(lua_State *L, int globals);

// MARK: Time in effects (timers.c)

/// sleep(seconds), after(seconds, name, payload) and cancel(name, part)
int latch_sleep(lua_State *L);
int latch_after(lua_State *L);
int latch_cancel(lua_State *L);

// MARK: Modules (modules.c)

/// require(name)
int latch_require(lua_State *L);
/// Makes the modules' values read-only, which later loads need no more.
void latch_freeze_modules(lua_State *L);

// MARK: Gatekeepers (gatekeepers.c)

/// gatekeeper.NAME: pushes what the flow holds as that, for the name at `name`.
void latch_push_gatekeeper(lua_State *L, int name);

// MARK: What a flow declares with (declarators.c)

/// Adds `dispatch` and `may` to the globals, and empties the stack.
void latch_add_asking_declarators(lua_State *L);

// MARK: What becomes of a declaration (checking.c)

/// Has the prelude check a declaration, if the flow is only checked. Returns false for a faulty
/// one, which the prelude has noted. `how` is "called", "written" or "named" (kind.NAME(...)); the
/// arguments are the values from `first` to the top of the stack, which stays as it is. In any
/// other VM, returns true.
bool latch_passes_check(lua_State *L, const char *declarator, const char *how, int first);

/// Keeps the functions in the table at `definition` and in its tables, in the order of `pairs`.
void latch_keep_functions(lua_State *L, int definition);

// MARK: Plain data in a declaration (plain_data.c)

/// (value, types, tells_kinds), from the prelude: whether the value is plain data. No table is that
/// is a key of `types`, nor, if `tells_kinds`, an empty one below it that does not say what it is.
int latch_is_plain_data(lua_State *L);
/// (table): "list" or "map" for one marked so, else nil.
int latch_tell_mark(lua_State *L);
/// (table, "list" or "map"): marks a plain table and returns it.
int latch_mark_table(lua_State *L);
/// (text): the same text as messages show it, each byte that is not UTF-8 as an escape.
int latch_printable(lua_State *L);

// MARK: Types of payloads (types.c)

/// Pushes a type of that kind, made of what is at `options`, and gives 1.
int latch_make_type(lua_State *L, const char *kind, int options);
/// Adds those that are functions, and `string`.
void latch_add_types(lua_State *L, int globals);

// MARK: What a flow can call (flow_library.c)

/// random(), random(high), random(low, high) (random.c).
int latch_draw(lua_State *L);
/// Adds shuffle and choice to the library `table`, which is on top (random.c).
void latch_add_shuffling(lua_State *L);
/// Pushes what the prelude's own files share: host.language.
void latch_push_language(lua_State *L);

// MARK: The prelude (prelude.c)

/// Pushes the globals of the prelude, which are made if need be.
void latch_push_prelude(lua_State *L);

// MARK: Texts that would take too long to compile (grammar.c)

/// Raises a syntax error for a text that would take too long to compile.
void latch_refuse_slow_text(lua_State *L, const char *text, size_t length, const char *name);

// MARK: Scopes (scope_making.c, scope_instances.c)

/// Notes that the scope's thing is being made, or raises if it is already.
void latch_begin_making(lua_State *L, const char *scope, const char *name);
void latch_end_making(lua_State *L);
/// Pushes the instance with that number, the same until it is forgotten.
void latch_push_instance(lua_State *L, lua_Integer number);
/// (self, ...): a capability for which a scenario or the prompt answers.
int latch_call_stub(lua_State *L);

#endif
