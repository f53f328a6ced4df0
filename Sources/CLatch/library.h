/// What the files of the sandboxed library share among themselves, and with nobody else.
///
/// Two rules hold in all of them. Work that a script can make large is charged before it is done,
/// by a formula that depends only on the script's values (never on hash order or addresses), so
/// that a limit falls at the same instruction in every run. And memory is Lua's own: whatever
/// raises, nothing leaks.

#ifndef LATCH_LIBRARY_H
#define LATCH_LIBRARY_H

#include "latch.h"

/// Reading or moving one element of a table through Lua's API costs half an instruction.
enum { LATCH_ELEMENT_UNITS = 8 };

/// Strings longer than this are refused before anything is allocated.
enum { LATCH_LONGEST_STRING = 1 << 30 };

/// The most values that one call may spread over the stack.
enum { LATCH_MOST_VALUES = 250000 };

/// Charges `count` elements, however large the number is.
static inline void latch_charge_elements(lua_State *L, uint64_t count) {
  uint64_t most = SIZE_MAX / 64;
  latch_charge(L, (size_t)((count < most ? count : most) * LATCH_ELEMENT_UNITS));
}

/// Charges for the arguments themselves: Lua copies all of `...` in one instruction.
static inline void latch_charge_arguments(lua_State *L) {
  int count = lua_gettop(L);
  if (count > 16) latch_charge_elements(L, (uint64_t)count);
}

/// Where a range that starts at `position` begins, from 1 on; negative ones count from the end.
static inline size_t latch_range_start(lua_Integer position, size_t length) {
  if (position > 0) return (size_t)position;
  if (position == 0 || position < -(lua_Integer)length) return 1;
  return length + (size_t)position + 1;
}

/// Where a range that ends at `position` ends: 0 to `length`.
static inline size_t latch_range_end(lua_Integer position, size_t length) {
  if (position > (lua_Integer)length) return length;
  if (position >= 0) return (size_t)position;
  if (position < -(lua_Integer)length) return 0;
  return length + (size_t)position + 1;
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

// The functions of `string` that have a file of their own.
int latch_string_find(lua_State *L);
int latch_string_match(lua_State *L);
int latch_string_gmatch(lua_State *L);
int latch_string_gsub(lua_State *L);
int latch_string_format(lua_State *L);
int latch_string_pack(lua_State *L);
int latch_string_unpack(lua_State *L);
int latch_string_packsize(lua_State *L);

// Functions of `table` and the base library that have a file of their own.
int latch_table_sort(lua_State *L);
int latch_base_pairs(lua_State *L);
int latch_base_next(lua_State *L);
int latch_base_ipairs(lua_State *L);
int latch_base_pcall(lua_State *L);
int latch_base_xpcall(lua_State *L);
int latch_base_getmetatable(lua_State *L);
int latch_base_setmetatable(lua_State *L);

#endif
