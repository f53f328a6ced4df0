/// The floor of the library: what scripts call in every VM, whatever it is for.
///
/// Two rules hold in all of it. Work that a script can make large is charged before it is done, by
/// a formula that depends only on the script's values (never on hash order or addresses), so that a
/// limit falls at the same instruction in every run; where only the end tells how much it was, it
/// is no more than a text is long, and charged at once. And memory is Lua's own: whatever raises,
/// nothing leaks.
///
/// It may use the state, runs and values.

#ifndef LATCH_LIBRARY_H
#define LATCH_LIBRARY_H

#include "state/state.h"

/// Strings longer than this are refused before anything is allocated.
enum { LATCH_LONGEST_STRING = 1 << 30 };

/// The most values that one call may spread over the stack.
enum { LATCH_MOST_VALUES = 250000 };

/// Charges for the arguments themselves: Lua copies all of `...` in one instruction.
static inline void latch_charge_arguments(lua_State *L) {
  int count = lua_gettop(L);
  if (count > 16) latch_charge_elements(L, (uint64_t)count);
}

/// Returns where a range from `position` begins: 1 or more; negative ones count from the end.
static inline size_t latch_range_start(lua_Integer position, size_t length) {
  if (position > 0) return (size_t)position;
  if (position == 0 || position < -(lua_Integer)length) return 1;
  return length + (size_t)position + 1;
}

/// Returns where a range that ends at `position` ends: 0 to `length`.
static inline size_t latch_range_end(lua_Integer position, size_t length) {
  if (position > (lua_Integer)length) return length;
  if (position >= 0) return (size_t)position;
  if (position < -(lua_Integer)length) return 0;
  return length + (size_t)position + 1;
}

/// Returns the kind of the table; raises for anything else, and for a table that is read-only.
static inline latch_table_kind latch_check_writable(lua_State *L, int argument) {
  luaL_checktype(L, argument, LUA_TTABLE);
  latch_table_kind kind = latch_kind(L, argument);
  if (kind == LATCH_FROZEN || kind == LATCH_RECORDER) {
    luaL_argerror(L, argument, "this table is read-only");
  }
  return kind;
}

/// Reads an element as a script's `t[i]` does, and gives its type.
static inline int latch_get_element(lua_State *L, int table, lua_Integer i) {
  latch_charge_links(L, table, LATCH_ELEMENT_READ);
  return lua_geti(L, table, i);
}

/// Assigns the value on top to an element as a script's `t[i] = value` does, and pops it.
static inline void latch_set_element(lua_State *L, int table, lua_Integer i) {
  latch_charge_links(L, table, LATCH_ELEMENT_WRITTEN);
  lua_seti(L, table, i);
}

/// `tostring` without addresses and without calling into the host: pushes the text, as
/// luaL_tolstring does. Tables read "table", state nodes "table", functions "function".
const char *latch_tolstring(lua_State *L, int index, size_t *length);

// The functions of `string` that have a file of their own.
int latch_string_find(lua_State *L);
int latch_string_match(lua_State *L);
int latch_string_gmatch(lua_State *L);
int latch_string_gsub(lua_State *L);
int latch_string_format(lua_State *L);
int latch_string_pack(lua_State *L);
int latch_string_unpack(lua_State *L);
int latch_string_packsize(lua_State *L);
/// To be called before those are.
void latch_find_pack(lua_State *L);

// Functions of `table` and the base library that have a file of their own.
int latch_table_sort(lua_State *L);
/// Adds the functions over lists and maps to the library on top (collections.c).
void latch_add_collections(lua_State *L);
int latch_base_pairs(lua_State *L);
int latch_base_next(lua_State *L);
int latch_base_ipairs(lua_State *L);
int latch_base_pcall(lua_State *L);
int latch_base_xpcall(lua_State *L);
int latch_base_getmetatable(lua_State *L);
int latch_base_setmetatable(lua_State *L);
int latch_base_rawget(lua_State *L);
int latch_base_rawset(lua_State *L);
int latch_base_rawlen(lua_State *L);
int latch_base_rawequal(lua_State *L);
/// Has the raw functions respect this metatable, which no script has set.
void latch_mark_host_metatable(lua_State *L, int metatable);

/// The functions that are globals themselves.
extern const luaL_Reg latch_base_functions[];

/// Each pushes one table with the functions of that library, for `latch_open_sandbox` to freeze.
int latch_open_string(lua_State *L);
int latch_open_table(lua_State *L);
int latch_open_math(lua_State *L);
int latch_open_utf8(lua_State *L);
int latch_open_coroutine(lua_State *L);

/// Adds to the table on top of the stack, the metatable of strings, what makes `"10" + 1` work: in
/// Lua 5.4 that is no part of the language but these metamethods (arithmetic.c).
void latch_add_string_arithmetic(lua_State *L);

// sandbox.c

/// The names of the declarators in scripts.
extern const char *const latch_declarator_names[LATCH_DECLARATORS];

enum { LATCH_LIBRARIES = 5 };

typedef struct {
  const char *name;
  lua_CFunction open;
} latch_library;

extern const latch_library latch_libraries[LATCH_LIBRARIES];

void latch_open_sandbox(lua_State *L);
/// True for what scripts have as _ENV or, in a module, as _G.
bool latch_is_environment(lua_State *L, int index);
/// Is run by an assignment to a global: (environment, name, value).
int latch_write_global(lua_State *L);
/// From now on no script can set a global, and the tables that globals hold are read-only.
void latch_freeze_globals(lua_State *L);

// module_globals.c

/// (name): from now on a chunk of that source is a module's.
void latch_add_module_source(lua_State *L, const char *source);
/// Pushes what the global is for the module that reads it while the flow loads: nil if Lua has it
/// and the sandbox has not, a table of all globals for _G. False: it is an error as for any script.
bool latch_push_absent_global(lua_State *L, const char *name);

#endif
