/// The library layer: what scripts call in every VM, whatever it is used for.
///
/// Two rules hold everywhere in it. Work that a script can make large is charged before it is done,
/// by a formula that depends only on the script's values (never on hash order or addresses), so
/// that a limit ends each run at the same instruction; if the amount is known only at the end, it
/// is bounded by the length of a text, and charged at once. And memory is allocated by Lua only:
/// whatever raises, nothing leaks.
///
/// It may use the layers state, run and value.

#ifndef LATCH_LIBRARY_H
#define LATCH_LIBRARY_H

#include "state/state.h"

/// Strings longer than this are refused before anything is allocated.
enum { LATCH_LONGEST_STRING = 1 << 30 };

/// The most values that one call may push.
enum { LATCH_MOST_VALUES = 250000 };

/// Charges for the arguments themselves: Lua copies all values of `...` in one instruction.
static inline void latch_charge_arguments(lua_State *L) {
  int count = lua_gettop(L);
  if (count > 16) latch_charge_elements(L, (uint64_t)count);
}

/// Returns the first position of a range that begins at `position`: 1 or more; negative ones count
/// from the end.
static inline size_t latch_range_start(lua_Integer position, size_t length) {
  if (position > 0) return (size_t)position;
  if (position == 0 || position < -(lua_Integer)length) return 1;
  return length + (size_t)position + 1;
}

/// Returns the last position of a range that ends at `position`: 0 to `length`.
static inline size_t latch_range_end(lua_Integer position, size_t length) {
  if (position > (lua_Integer)length) return length;
  if (position >= 0) return (size_t)position;
  if (position < -(lua_Integer)length) return 0;
  return length + (size_t)position + 1;
}

/// Returns the kind of the table. Raises for anything else, and for a table that is read-only.
static inline latch_table_kind latch_check_writable(lua_State *L, int argument) {
  luaL_checktype(L, argument, LUA_TTABLE);
  latch_table_kind kind = latch_kind(L, argument);
  bool is_read = kind == LATCH_NODE && latch_of(L)->recording >= 0;
  if (kind == LATCH_FROZEN || kind == LATCH_RECORDER || is_read) {
    luaL_argerror(L, argument, "this table is read-only");
  }
  return kind;
}

/// Reads an element as `t[i]` in a script does, and returns its type.
static inline int latch_get_element(lua_State *L, int table, lua_Integer i) {
  latch_charge_links(L, table, LATCH_ELEMENT_READ);
  return lua_geti(L, table, i);
}

/// Pops the value on top and assigns it to an element, as `t[i] = value` in a script does.
static inline void latch_set_element(lua_State *L, int table, lua_Integer i) {
  latch_charge_links(L, table, LATCH_ELEMENT_WRITTEN);
  lua_seti(L, table, i);
}

/// `tostring` without addresses and without calling the host: pushes the text, as luaL_tolstring
/// does. The text of a table, also of a state node, is "table", that of a function "function".
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
/// Must be called before those are used.
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
/// Makes the raw functions respect this metatable, which no script has set.
void latch_mark_host_metatable(lua_State *L, int metatable);

/// The functions that are themselves globals.
extern const luaL_Reg latch_base_functions[];

/// Each pushes a table with the functions of that library; `latch_open_sandbox` freezes it.
int latch_open_string(lua_State *L);
int latch_open_table(lua_State *L);
int latch_open_math(lua_State *L);
int latch_open_utf8(lua_State *L);
int latch_open_coroutine(lua_State *L);

/// Adds the metamethods for `"10" + 1` to the table on top of the stack, the metatable of strings:
/// in Lua 5.4 these metamethods do it, and not the language (arithmetic.c).
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
/// True for what scripts see as _ENV or, in a module, as _G.
bool latch_is_environment(lua_State *L, int index);
/// Called by an assignment to a global: (environment, name, value).
int latch_write_global(lua_State *L);
/// From now on, scripts cannot set globals, and the tables that globals hold are read-only.
void latch_freeze_globals(lua_State *L);

// module_globals.c

/// (name): from now on, code of that source belongs to a module.
void latch_add_module_source(lua_State *L, const char *source);
/// Pushes the value of the global for a module that reads it while the flow loads: nil if Lua has
/// it and the sandbox does not, a table of all globals for _G. False: reading it is an error, as in
/// any script.
bool latch_push_absent_global(lua_State *L, const char *name);

#endif
