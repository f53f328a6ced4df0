/// table.sort: a merge sort, so equal elements keep their order and the comparisons are the same in
/// every process.
///
/// The elements are copied, the copy is sorted, and then it is written back at once: a comparison
/// that raises leaves the table as it was, and one that contradicts itself only leads to a strange
/// order.

#include <limits.h>

#include "library/library.h"

/// The stack of a sort. FROM and TO are exchanged after each pass.
enum { SORTED = 1, ORDER, FROM, TO };

// MARK: Numbers and strings, compared in C

/// Reads the `count` elements of the table at FROM. False unless all are integers, all are floats
/// (but not NaN) or all are strings.
static bool read_elements(lua_State *L, latch_key *keys, lua_Integer count, size_t *string_bytes) {
  *string_bytes = 0;
  for (lua_Integer i = 0; i < count; i++) {
    lua_rawgeti(L, FROM, i + 1);
    latch_key *key = &keys[i];
    key->place = (uint32_t)i + 1;
    bool usable = true;
    if (lua_type(L, -1) == LUA_TSTRING) {
      latch_key_read_string(L, -1, key);
      *string_bytes += key->string.length;
    } else if (lua_isinteger(L, -1)) {
      key->rank = LATCH_KEY_INTEGER;
      key->integer = lua_tointeger(L, -1);
    } else if (lua_type(L, -1) == LUA_TNUMBER) {
      key->rank = LATCH_KEY_NUMBER;
      key->number = lua_tonumber(L, -1);
      usable = key->number == key->number;
    } else {
      usable = false;
    }
    lua_pop(L, 1);
    if (!usable || key->rank != keys[0].rank) return false;
  }
  return true;
}

/// Sorts FROM into TO if all elements are of one kind. False if they are not.
static bool sort_alike(lua_State *L, lua_Integer count) {
  latch_key *keys = lua_newuserdatauv(L, 2 * (size_t)count * sizeof *keys, 0);
  size_t string_bytes;
  bool alike = read_elements(L, keys, count, &string_bytes);
  if (alike) {
    latch_keys_charge_sort(L, (size_t)count, string_bytes);
    latch_keys_sort(keys, keys + count, (size_t)count);
    for (lua_Integer i = 0; i < count; i++) {
      lua_rawgeti(L, FROM, keys[i].place);
      lua_rawseti(L, TO, i + 1);
    }
  }
  lua_pop(L, 1);
  return alike;
}

// MARK: Anything, compared in Lua

/// Charges for looking up the metamethod that compares a table.
static void charge_metamethod(lua_State *L, int index) {
  if (!lua_istable(L, index)) return;
  uint64_t units = latch_metamethod_units(latch_of(L), lua_topointer(L, index), LATCH_EVENT_LT);
  latch_charge(L, units > SIZE_MAX / 2 ? SIZE_MAX / 2 : (size_t)units);
}

/// True if the value on top comes before the one below it. Pops neither.
static bool comes_first(lua_State *L) {
  if (!lua_isnil(L, ORDER)) {
    lua_pushvalue(L, ORDER);
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -4);
    lua_call(L, 2, 1);
    bool first = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return first;
  }
  if (lua_type(L, -1) == LUA_TSTRING && lua_type(L, -2) == LUA_TSTRING) {
    size_t a_length, b_length;
    const char *a = lua_tolstring(L, -1, &a_length), *b = lua_tolstring(L, -2, &b_length);
    latch_charge(L, a_length < b_length ? a_length : b_length);
    return latch_bytes_compare(a, a_length, b, b_length) < 0;
  }
  charge_metamethod(L, -1);
  charge_metamethod(L, -2);
  return lua_compare(L, -1, -2, LUA_OPLT);
}

/// Merges two neighbouring parts of FROM into TO. An element from the right comes first only if it
/// is less: so equal elements keep their order.
static void merge(lua_State *L, lua_Integer left, lua_Integer middle, lua_Integer right) {
  lua_Integer a = left, b = middle, i = left;
  while (a < middle && b < right) {
    lua_rawgeti(L, FROM, a);
    lua_rawgeti(L, FROM, b);
    if (comes_first(L)) {
      lua_rawseti(L, TO, i++);
      lua_pop(L, 1);
      b++;
    } else {
      lua_pop(L, 1);
      lua_rawseti(L, TO, i++);
      a++;
    }
  }
  for (; i < right; i++) {
    lua_rawgeti(L, FROM, a < middle ? a++ : b++);
    lua_rawseti(L, TO, i);
  }
}

static lua_Integer least(lua_Integer a, lua_Integer b) { return a < b ? a : b; }

/// Sorts FROM into TO.
static void sort_any(lua_State *L, lua_Integer count) {
  lua_Integer width = 1;
  do {
    latch_charge_elements(L, 2 * (uint64_t)count);
    for (lua_Integer left = 1; left <= count; left += 2 * width) {
      merge(L, left, least(left + width, count + 1), least(left + 2 * width, count + 1));
    }
    width *= 2;
    if (width < count) {
      lua_pushvalue(L, FROM);
      lua_copy(L, TO, FROM);
      lua_replace(L, TO);
    }
  } while (width < count);
}

int latch_table_sort(lua_State *L) {
  latch_table_kind kind = latch_check_writable(L, SORTED);
  lua_Integer count = latch_length(L, SORTED);
  if (count < 2) return 0;
  luaL_argcheck(L, count < INT_MAX, SORTED, "array too big");
  if (!lua_isnoneornil(L, ORDER)) luaL_checktype(L, ORDER, LUA_TFUNCTION);
  lua_settop(L, ORDER);
  latch_check_stack(L, 16, NULL);
  latch_charge_elements(L, 2 * (uint64_t)count);
  lua_createtable(L, (int)count, 0);
  lua_createtable(L, (int)count, 0);
  for (lua_Integer i = 1; i <= count; i++) {
    latch_get_element(L, SORTED, i);
    lua_rawseti(L, FROM, i);
  }
  if (!lua_isnil(L, ORDER) || !sort_alike(L, count)) sort_any(L, count);
  if (kind == LATCH_NODE) {
    lua_pushvalue(L, TO);
    latch_node_replace(L, SORTED);
    return 0;
  }
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, TO, i);
    latch_set_element(L, SORTED, i);
  }
  return 0;
}
