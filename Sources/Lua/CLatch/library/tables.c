/// The `table` library, on plain tables, state nodes and read-only tables alike.
///
/// Lengths are raw: a script's `__len` could return anything. Elements are read through the table
/// itself, so that a proxy returns what it should, and written through it, so that a node's write
/// barrier sees it; insert and remove on a node are one splice each. Insert and remove on a
/// list without metamethods move its elements in one piece, which is charged by the bytes that
/// move.

#include "library/text.h"

static latch_table_kind check_table(lua_State *L, int argument) {
  luaL_checktype(L, argument, LUA_TTABLE);
  return latch_kind(L, argument);
}

/// The number of elements from `first` to `last`, less one; `first` is not larger. Never overflows.
static lua_Unsigned distance(lua_Integer first, lua_Integer last) {
  return (lua_Unsigned)last - (lua_Unsigned)first;
}

/// True if the table has no metamethod for reading or assigning elements. No script runs meanwhile,
/// so that stays true.
static bool is_raw(lua_State *L, int index) {
  if (latch_kind(L, index) != LATCH_PLAIN) return false;
  for (int i = 0; i < 2; i++) {
    if (luaL_getmetafield(L, index, i == 0 ? "__index" : "__newindex") == LUA_TNIL) continue;
    lua_pop(L, 1);
    return false;
  }
  return true;
}

/// Assigns element `i` of one table to index `j` of another.
static inline void move_element(
  lua_State *L, int from, lua_Integer i, int to, lua_Integer j, bool raw) {
  if (raw) {
    lua_rawgeti(L, from, i);
    lua_rawseti(L, to, j);
  } else {
    latch_get_element(L, from, i);
    latch_set_element(L, to, j);
  }
}

// MARK: One element

static int table_insert(lua_State *L) {
  latch_table_kind kind = latch_check_writable(L, 1);
  lua_Integer end = latch_length(L, 1) + 1, position = end;
  switch (lua_gettop(L)) {
    case 2: break;
    case 3:
      position = latch_check_integer(L, 2);
      luaL_argcheck(L, (lua_Unsigned)position - 1 < (lua_Unsigned)end, 2, "position out of bounds");
      break;
    default: return luaL_error(L, "wrong number of arguments to 'insert'");
  }
  if (kind == LATCH_NODE) {
    latch_node_insert(L, 1, position);
  } else if (position < end && is_raw(L, 1)) {
    latch_charge(L, (size_t)distance(position, end));
    latch_raw_insert(L, 1, position);
  } else {
    latch_charge_elements(L, distance(position, end));
    for (lua_Integer i = end; i > position; i--) move_element(L, 1, i - 1, 1, i, false);
    latch_set_element(L, 1, position);
  }
  return 0;
}

static int table_remove(lua_State *L) {
  latch_table_kind kind = latch_check_writable(L, 1);
  lua_Integer length = latch_length(L, 1);
  lua_Integer position = latch_opt_integer(L, 2, length);
  if (position != length && lua_gettop(L) > 1) {
    luaL_argcheck(
      L, (lua_Unsigned)position - 1 <= (lua_Unsigned)length, 1, "position out of bounds");
  }
  if (kind == LATCH_NODE) {
    if (position >= 1 && position <= length) {
      latch_node_remove(L, 1, position);
    } else {
      lua_pushnil(L);  // a list has no elements after its end
    }
    return 1;
  }
  if (position < length && is_raw(L, 1)) {
    latch_charge(L, (size_t)distance(position, length));
    latch_raw_remove(L, 1, position);
    return 1;
  }
  if (position < length) latch_charge_elements(L, distance(position, length));
  latch_get_element(L, 1, position);
  for (; position < length; position++) move_element(L, 1, position + 1, 1, position, false);
  lua_pushnil(L);
  latch_set_element(L, 1, position);
  return 1;
}

// MARK: Ranges

static int table_concat(lua_State *L) {
  check_table(L, 1);
  size_t separator_length;
  const char *separator = luaL_optlstring(L, 2, "", &separator_length);
  lua_Integer i = latch_opt_integer(L, 3, 1);
  lua_Integer last = lua_isnoneornil(L, 4) ? latch_length(L, 1) : latch_check_integer(L, 4);
  latch_text text;
  latch_text_open(&text, L);
  size_t uncharged = 0;
  for (bool first = true; first ? i <= last : i < last; first = false) {
    if (!first) {
      latch_text_add(&text, separator, separator_length);
      i++;
    }
    if (++uncharged == 64) {
      latch_charge_elements(L, uncharged);
      uncharged = 0;
    }
    latch_get_element(L, 1, i);
    if (!lua_isstring(L, -1)) {
      return luaL_error(L, "invalid value (%s) at index %I in table for 'concat'",
        luaL_typename(L, -1), (LUAI_UACINT)i);
    }
    latch_text_value(&text);
  }
  latch_charge_elements(L, uncharged);
  latch_text_push(&text);
  return 1;
}

static int table_pack(lua_State *L) {
  int count = lua_gettop(L);
  latch_charge_elements(L, (uint64_t)count);
  lua_createtable(L, count, 1);
  lua_insert(L, 1);
  for (int i = count; i >= 1; i--) lua_rawseti(L, 1, i);
  lua_pushinteger(L, count);
  lua_setfield(L, 1, "n");
  return 1;
}

static int table_unpack(lua_State *L) {
  check_table(L, 1);
  lua_Integer first = latch_opt_integer(L, 2, 1);
  lua_Integer last = lua_isnoneornil(L, 3) ? latch_length(L, 1) : latch_check_integer(L, 3);
  if (first > last) return 0;
  lua_Unsigned count = distance(first, last);
  if (count >= LATCH_MOST_VALUES) return luaL_error(L, "too many results to unpack");
  latch_check_stack(L, (int)count + 1, "too many results to unpack");
  latch_charge_elements(L, count + 1);
  for (lua_Integer i = first; i < last; i++) latch_get_element(L, 1, i);
  latch_get_element(L, 1, last);
  return (int)count + 1;
}

static int table_move(lua_State *L) {
  check_table(L, 1);
  lua_Integer first = latch_check_integer(L, 2);
  lua_Integer last = latch_check_integer(L, 3);
  lua_Integer target = latch_check_integer(L, 4);
  int to = lua_isnoneornil(L, 5) ? 1 : 5;
  latch_check_writable(L, to);
  if (last >= first) {
    luaL_argcheck(L, first > 0 || last < LUA_MAXINTEGER + first, 3, "too many elements to move");
    lua_Integer count = last - first + 1;
    luaL_argcheck(L, target <= LUA_MAXINTEGER - count + 1, 4, "destination wrap around");
    latch_charge_elements(L, (uint64_t)count);
    // If the ranges overlap and the target comes after the source, the last element must be moved
    // first.
    bool forwards = target > last || target <= first || (to == 5 && !lua_rawequal(L, 1, 5));
    bool raw = is_raw(L, 1) && is_raw(L, to);
    for (lua_Integer i = 0; i < count; i++) {
      lua_Integer step = forwards ? i : count - 1 - i;
      move_element(L, 1, first + step, to, target + step, raw);
    }
  }
  lua_pushvalue(L, to);
  return 1;
}

int latch_open_table(lua_State *L) {
  static const luaL_Reg functions[] = {
    {"concat", table_concat},
    {"insert", table_insert},
    {"move", table_move},
    {"pack", table_pack},
    {"remove", table_remove},
    {"sort", latch_table_sort},
    {"unpack", table_unpack},
    {NULL, NULL},
  };
  luaL_newlib(L, functions);
  latch_add_collections(L);
  return 1;
}
