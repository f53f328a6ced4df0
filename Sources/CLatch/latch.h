/// What the C files of CLatch share. Nothing here is visible to Swift: that is include/clatch.h.
///
/// The rule of the whole target: a function that may raise a Lua error is named in lua_CFunction
/// style or takes a `lua_State *L`; a function that takes a `latch_vm *` never raises.

#ifndef LATCH_H
#define LATCH_H

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clatch.h"

// MARK: The VM behind a lua_State (vm.c)

/// What is known of a coroutine, in the low bits of the VM's address in its extra space. A new
/// coroutine has the main thread's: none.
typedef enum {
  LATCH_THREAD_HOSTS = 0,   ///< driven by the host: scripts neither yield nor resume it
  LATCH_THREAD_SCRIPTS = 1, ///< made by a script
  LATCH_THREAD_ENDED = 2,   ///< made by a script and frozen by a limit
} latch_thread_mark;

enum { LATCH_THREAD_MARKS = 3 };

/// The VM that owns this state or coroutine. Never NULL.
static inline latch_vm *latch_of(lua_State *L) {
  return (latch_vm *)(*(uintptr_t *)lua_getextraspace(L) & ~(uintptr_t)LATCH_THREAD_MARKS);
}

static inline latch_thread_mark latch_thread_mark_of(lua_State *L) {
  return (latch_thread_mark)(*(uintptr_t *)lua_getextraspace(L) & LATCH_THREAD_MARKS);
}

static inline void latch_mark_thread(lua_State *L, latch_thread_mark mark) {
  *(uintptr_t *)lua_getextraspace(L) = (uintptr_t)latch_of(L) | mark;
}

/// Makes room for `count` values, or raises: "stack overflow", unless it is memory that ran out.
void latch_check_stack(lua_State *L, int count, const char *what);

// MARK: Budget (budget.c)

/// Units of work done in C for one Lua instruction: 16 bytes moved or 16 elements looked at.
enum { LATCH_UNITS_PER_INSTRUCTION = 16 };

/// What is told of an error or a refusal is cut after so many bytes.
enum { LATCH_LONGEST_MESSAGE = 16384 };

/// Charges `units` of C-side work to the running budget. Raises when it is spent: the error cannot
/// be caught by a script, since every protected call of ours raises it again.
void latch_charge(lua_State *L, size_t units);

/// The number that an argument is. A text that stands for one is charged: it may be long.
lua_Integer latch_check_integer(lua_State *L, int argument);
lua_Integer latch_opt_integer(lua_State *L, int argument, lua_Integer otherwise);
lua_Number latch_check_number(lua_State *L, int argument);
/// Charges for the texts among the arguments, which are about to be read as numbers.
void latch_charge_numerals(lua_State *L);

/// Charges whole VM instructions, for work that replaces Lua code (a coroutine's creation, a step
/// of the pattern matcher). Raises as `latch_charge` does.
void latch_charge_instructions(lua_State *L, int64_t instructions);

/// What is done with an element of a table: it is read, or assigned to.
typedef enum { LATCH_ELEMENT_READ, LATCH_ELEMENT_WRITTEN } latch_access;

/// Charges for the tables that the one at `index` leads to, each its metatable's `__index` or `__newindex`,
/// where they are many: the library goes through them for each element, and no hook comes by.
void latch_charge_links(lua_State *L, int index, latch_access access);

/// Charges for comparing the values at two indices with lua_rawequal, where they are long strings.
void latch_charge_comparison(lua_State *L, int a, int b);

/// True once a limit has ended this run: code that catches errors must pass them on.
bool latch_is_killed(lua_State *L);

/// For protected calls of scripts: true when `status` (LUA_ERRMEM, or any failure of a killed run)
/// may not be caught. Return `latch_rekill` then.
bool latch_must_pass_on(lua_State *L, int status);

/// Raises the error that ended this run. Call it wherever `latch_is_killed` holds.
int latch_rekill(lua_State *L);

// MARK: Proxies: state nodes, read-only tables, recording nodes (barrier.c, recorder.c)

typedef enum {
  LATCH_PLAIN,     ///< an ordinary table of the script
  LATCH_NODE,      ///< a node of the state: reads are free, writes go through the barrier
  LATCH_FROZEN,    ///< a payload, a library or a module: read-only
  LATCH_RECORDER,  ///< a node as a view or an invariant sees it: every read is remembered
} latch_table_kind;

/// What the table at `index` is. The value there must be a table.
latch_table_kind latch_kind(lua_State *L, int index);

/// Pushes the raw table that holds the keys of the table at `index`: the table itself, or the data
/// behind a proxy. Never write through it. Values read from the data of a recorder are not
/// recorders themselves: read those with lua_geti or lua_gettable on the proxy. Asking for a
/// recorder's data counts as having read it whole.
latch_table_kind latch_push_data(lua_State *L, int index);

/// The length of the table at `index` as a list, without calling a script's `__len`.
lua_Integer latch_length(lua_State *L, int index);

/// Inserts the value on top of the stack at `position` of the state list at `index`, pops it, and
/// logs one splice. Raises outside a reducer. `position` is 1 to length + 1, checked by the caller.
void latch_node_insert(lua_State *L, int index, lua_Integer position);

/// Removes the element at `position` of the state list at `index`, pushes it, and logs one splice.
/// `position` is 1 to length, checked by the caller.
void latch_node_remove(lua_State *L, int index, lua_Integer position);

/// Replaces the whole contents of the state list at `index` by the sequence in the plain table on
/// top of the stack (same length), pops it, and logs one change.
void latch_node_replace(lua_State *L, int index);

// MARK: The sandboxed library (base.c, iteration.c, strings.c, match.c, tables.c, coroutines.c)

/// The functions that are globals themselves.
extern const luaL_Reg latch_base_functions[];

/// Each pushes one table with the functions of that library, for `latch_open_sandbox` to freeze.
int latch_open_string(lua_State *L);
int latch_open_table(lua_State *L);
int latch_open_math(lua_State *L);
int latch_open_utf8(lua_State *L);
int latch_open_coroutine(lua_State *L);

enum { LATCH_LIBRARIES = 5 };

typedef struct {
  const char *name;
  lua_CFunction open;
} latch_library;

extern const latch_library latch_libraries[LATCH_LIBRARIES];

/// `tostring` without addresses and without calling into the host: pushes the text, as
/// luaL_tolstring does. Tables read "table", state nodes "table", functions "function".
const char *latch_tolstring(lua_State *L, int index, size_t *length);

#endif
