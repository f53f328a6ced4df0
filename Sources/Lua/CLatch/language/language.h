/// The layer of the language: the functions with which a flow declares, those that it can call, and
/// those of the prelude.
///
/// It may use everything below: the library, the state, runs, values.

#ifndef LATCH_LANGUAGE_H
#define LATCH_LANGUAGE_H

#include "library/library.h"

// MARK: What a flow has declared (declared.c)

/// Raises an error with exactly this message.
int latch_raise(lua_State *L, const char *format, ...);

/// Pushes the place of the running script for the beginning of a message; `nowhere` if there is
/// none.
const char *latch_push_script_place(lua_State *L, const char *nowhere);

/// Pushes the name at `name` in quotes, as Lua would read it.
const char *latch_push_quoted(lua_State *L, int name);

/// Pushes a declaration as it is shown: reduce.coin, or reduce["T02 Check"].
const char *latch_push_dotted(lua_State *L, const char *kind, int name);

/// Replaces the value on top of the stack by its handle for scripts: an empty table with these
/// events, whose functions have the value as their upvalue; `refuse` handles writes.
void latch_make_handle(lua_State *L, const luaL_Reg *events, lua_CFunction refuse);

/// Raises an error once the flow has loaded: `what` can no longer be declared.
void latch_must_be_loading(lua_State *L, const char *what);

/// Raises the error that the running code cannot do `what`.
int latch_refuse_phase(lua_State *L, const char *what);

/// Raises an error in a reducer: it cannot do `what`.
void latch_must_not_be_reducer(lua_State *L, const char *what);

/// Raises an error outside of effects: only they can do `what`.
void latch_only_effects(lua_State *L, const char *what);

/// Calls `visit` for each key and value of the table at `index`, in the order of `pairs`, with both
/// on top of the stack, which it must leave as it was.
void latch_for_each(lua_State *L, int index,
  void (*visit)(lua_State *L, int key, int value, void *context), void *context);

/// Pushes the table with that key in the registry, which is made if there is none yet.
void latch_push_declared(lua_State *L, int registry_key);
/// Pushes a field of such a table, or nil, and returns its type.
int latch_get_declared(lua_State *L, int registry_key, int name);
/// Sets a field of such a table to the value on top of the stack, which is popped.
void latch_set_declared(lua_State *L, int registry_key, int name);
void latch_forget_declared(lua_State *L, int registry_key);

// MARK: Asking for actions (asking.c)

/// Completes the arguments of a dispatch: the name at `index` as text, and then a payload, where
/// nil means {}.
void latch_complete_dispatch(lua_State *L, int index);
/// dispatch("NAME", payload) and may("NAME", payload), which are all that is on the stack.
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
/// Makes the values of modules read-only, once no load needs to change them.
void latch_freeze_modules(lua_State *L);

// MARK: Gatekeepers (gatekeepers.c)

/// gatekeeper.NAME: pushes the handle of the gatekeeper with the name at `name`.
void latch_push_gatekeeper(lua_State *L, int name);

// MARK: What a flow declares with (declarators.c)

/// Adds `dispatch` and `may` to the globals, and empties the stack.
void latch_add_asking_declarators(lua_State *L);

// MARK: What becomes of a declaration (checking.c)

/// Has the prelude check a declaration, if the flow is only checked. Returns false for a faulty
/// one, which the prelude has recorded. `how` is "called", "written" or "named" (kind.NAME(...));
/// the arguments are the values from `first` to the top of the stack, which stays as it is. In any
/// other VM, returns true.
bool latch_passes_check(lua_State *L, const char *declarator, const char *how, int first);

/// Stores the functions in the table at `definition` and in its tables, in the order of `pairs`.
void latch_keep_functions(lua_State *L, int definition);

// MARK: Plain data in a declaration (plain_data.c)

/// (value, types, tells_kinds), from the prelude: returns true if the value is plain data. A table
/// that is a key of `types` is not, nor, if `tells_kinds`, an empty unmarked table below it.
int latch_is_plain_data(lua_State *L);
/// (table): "list" or "map" for one marked so, else nil.
int latch_tell_mark(lua_State *L);
/// (table, "list" or "map"): marks a plain table and returns it.
int latch_mark_table(lua_State *L);
/// (text): the text as it is shown in messages, each byte that is not UTF-8 as an escape.
int latch_printable(lua_State *L);

// MARK: Types of payloads (types.c)

/// Pushes a type of that kind, made of the options at `options`, and returns 1.
int latch_make_type(lua_State *L, const char *kind, int options);
/// Adds the types that are functions, and `string`.
void latch_add_types(lua_State *L, int globals);

// MARK: What a flow can call (flow_library.c)

/// random(), random(high), random(low, high) (random.c).
int latch_draw(lua_State *L);
/// Adds shuffle and choice to the library `table`, which is on top (random.c).
void latch_add_shuffling(lua_State *L);
/// Pushes the table that the prelude's own files share: host.language.
void latch_push_language(lua_State *L);

// MARK: The prelude (prelude.c)

/// Pushes the globals of the prelude, and makes them if necessary.
void latch_push_prelude(lua_State *L);

// MARK: Texts that would take too long to compile (grammar.c)

/// Raises a syntax error for a text that would take too long to compile.
void latch_refuse_slow_text(lua_State *L, const char *text, size_t length, const char *name);

// MARK: Scopes (scope_making.c, scope_instances.c)

/// Records that the scope's object is being made; raises an error if it already is.
void latch_begin_making(lua_State *L, const char *scope, const char *name);
void latch_end_making(lua_State *L);
/// Pushes the instance with that number, the same until it is forgotten.
void latch_push_instance(lua_State *L, lua_Integer number);
/// (self, ...): a capability that a scenario or the prompt has stubbed.
int latch_call_stub(lua_State *L);

#endif
