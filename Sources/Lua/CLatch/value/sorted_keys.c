/// The keys of a table in a fixed order. Lua's own order depends on a seed that differs from
/// process to process.

#include "value/value.h"

void latch_charge_empty_slots(lua_State *L, int index, size_t live) {
  size_t slots = latch_slots(lua_topointer(L, index));
  // A table that is half empty costs nothing extra.
  if (slots > 256 + 8 * live) latch_charge(L, slots);
  // To go from one key to the next, Lua looks up the first one.
  size_t probes = latch_of(L)->hook.most_probes;
  if (probes > 0) latch_charge(L, live < SIZE_MAX / 64 / probes ? live * probes : SIZE_MAX / 64);
}

// MARK: Looking at the keys

void latch_read_key(lua_State *L, int index, latch_key *key) {
  if (!latch_key_read(L, index, key)) {
    luaL_error(
      L, "this table has a key of type %s, which cannot be sorted", luaL_typename(L, index));
  }
}

latch_census latch_count_keys(lua_State *L, int table) {
  latch_census census = {0, 0, false};
  bool positive = true;
  lua_Integer largest = 0;
  lua_pushnil(L);
  while (lua_next(L, table)) {
    lua_pop(L, 1);
    latch_key key;
    latch_read_key(L, -1, &key);
    census.count++;
    if (key.rank == LATCH_KEY_STRING) census.string_bytes += key.string.length;
    if (key.rank != LATCH_KEY_INTEGER || key.integer < 1) {
      positive = false;
    } else if (key.integer > largest) {
      largest = key.integer;
    }
  }
  census.is_sequence = positive && largest == (lua_Integer)census.count;
  latch_charge_elements(L, LATCH_ELEMENTS_PER_KEY * census.count);
  latch_charge_empty_slots(L, table, census.count);
  return census;
}

// MARK: Sorting the keys

enum { FEW = 24 };

/// Few keys are sorted on the C stack, with their values on Lua's stack.
static void sort_few(lua_State *L, int table, size_t count) {
  latch_key keys[FEW], spare[FEW];
  latch_check_stack(L, FEW + 4, NULL);
  int base = lua_gettop(L);
  size_t i = 0;
  lua_pushnil(L);
  while (i < count && lua_next(L, table)) {
    lua_pop(L, 1);
    latch_key_read(L, -1, &keys[i]);
    keys[i].place = (uint32_t)lua_gettop(L);
    i++;
    lua_pushvalue(L, -1);
  }
  count = i;
  latch_keys_sort(keys, spare, count);
  lua_createtable(L, (int)count, 0);
  int sorted = lua_gettop(L);
  for (i = 0; i < count; i++) {
    lua_pushvalue(L, (int)keys[i].place);
    lua_rawseti(L, sorted, (lua_Integer)i + 1);
  }
  lua_copy(L, sorted, base + 1);
  lua_settop(L, base + 1);
}

/// Many keys are sorted in a userdata, with their values in a table.
static void sort_many(lua_State *L, int table, size_t count) {
  if (count >= INT32_MAX) luaL_error(L, "this table has too many keys");
  latch_check_stack(L, 8, NULL);
  latch_key *keys = lua_newuserdatauv(L, 2 * count * sizeof *keys, 0);
  lua_createtable(L, (int)count, 0);
  int unsorted = lua_gettop(L);
  size_t i = 0;
  lua_pushnil(L);
  while (i < count && lua_next(L, table)) {
    lua_pop(L, 1);
    latch_key_read(L, -1, &keys[i]);
    keys[i].place = (uint32_t)i + 1;
    lua_pushvalue(L, -1);
    lua_rawseti(L, unsorted, (lua_Integer)++i);
  }
  lua_settop(L, unsorted);
  count = i;
  latch_keys_sort(keys, keys + count, count);
  lua_createtable(L, (int)count, 0);
  for (i = 0; i < count; i++) {
    lua_rawgeti(L, unsorted, keys[i].place);
    lua_rawseti(L, unsorted + 1, (lua_Integer)i + 1);
  }
  lua_replace(L, unsorted - 1);
  lua_settop(L, unsorted - 1);
}

void latch_push_sorted_keys(lua_State *L, int table, latch_census census) {
  latch_keys_charge_sort(L, census.count, census.string_bytes);
  if (census.count <= FEW) {
    sort_few(L, table, census.count);
  } else {
    sort_many(L, table, census.count);
  }
}

void latch_sorted_keys(lua_State *L, int index) {
  latch_check_stack(L, 8, NULL);
  int table = lua_absindex(L, index);
  latch_push_sorted_keys(L, table, latch_count_keys(L, table));
}
