/// What a flow can call, and the words with which it declares: shared by the files that make them up.

#ifndef LATCH_FLOW_H
#define LATCH_FLOW_H

#include "latch.h"

// flow_library.c

/// Raises an error whose message is the text alone.
int latch_raise(lua_State *L, const char *format, ...);

/// Pushes where the script stands, as it begins a message; `nowhere` where there is no script.
const char *latch_push_script_place(lua_State *L, const char *nowhere);

/// Pushes a declaration as texts show it: reduce.coin, or reduce["T02 Check"].
const char *latch_push_dotted(lua_State *L, const char *kind, int name);

/// Raises once the flow has loaded: `what` can be declared no longer.
void latch_must_be_loading(lua_State *L, const char *what);

/// Raises that what runs now cannot do `what`.
int latch_refuse_phase(lua_State *L, const char *what);

/// Raises in a reducer: it cannot do `what`.
void latch_must_not_be_reducer(lua_State *L, const char *what);

/// Calls `visit` for each key and value of the table at `index`, in the order of `pairs`; they stand
/// on top of the stack, which it leaves as it was.
void latch_for_each(
  lua_State *L, int index, void (*visit)(lua_State *L, int key, int value, void *context),
  void *context);

/// dispatch("NAME", payload) and may("NAME", payload), with both on the stack alone.
int latch_dispatch(lua_State *L);
int latch_may(lua_State *L);

/// Pushes what the prelude's own files share: host.language.
void latch_push_language(lua_State *L);

// prelude.c

/// Whether the state has a field of the name at `name`, machines included.
bool latch_is_field(lua_State *L, int name);

// words.c

/// Adds `dispatch` and `may` to the globals, and empties the stack.
void latch_add_asking_words(lua_State *L);

/// True for a word, which no script can change.
bool latch_is_word(lua_State *L, int index);

/// Pushes the table that stands in the registry under that key; made if there is none yet.
void latch_push_declared(lua_State *L, int registry_key);

/// Keeps the functions in the table at `definition` and in its tables, in the order of `pairs`.
void latch_keep_functions(lua_State *L, int definition);

/// Where the flow is only checked, has the prelude look at a declaration: false for what is at fault, which it has
/// noted. `how` is "called", "written" or "named" (kind.NAME(...)); what was given are the values from
/// `first` to the top of the stack, which stays as it is. Anywhere else all passes.
bool latch_passes_check(lua_State *L, const char *word, const char *how, int first);

/// Makes the modules' values read-only, which later loads need no more.
void latch_freeze_modules(lua_State *L);

// keepers.c

/// gatekeeper.NAME: pushes what the flow holds as that, for the name at `name`.
void latch_push_keeper(lua_State *L, int name);

#endif
