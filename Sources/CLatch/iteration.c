/// pairs, next and ipairs: one order in every process, and no surprise when the table changes.
///
/// Lua's own order depends on a seed that differs from process to process. Here `pairs` looks at
/// the keys once. If they are exactly 1 to n, counting is all it takes; otherwise it sorts a copy
/// of the keys. Either way it visits the keys that were there at its start and skips what is gone.

#include "iteration.h"

#include <string.h>

#include "keys.h"

// MARK: Empty slots

/// The slots that Lua 5.4 keeps for the table at `index`, used or not. Lua has no function for
/// that, so this reads the two fields behind the object's header (lsizenode and alimit); on a Lua
/// that keeps them elsewhere, which `layout_is_known` finds out, the answer is 0.
static size_t slots_at(const void *table) {
  const unsigned char *fields = (const unsigned char *)table + sizeof(void *);
  unsigned array;
  memcpy(&array, fields + 4, sizeof array);
  return ((size_t)1 << (fields[3] & 31)) + array;
}

static int check_layout(lua_State *L) {
  lua_createtable(L, 0, 64);
  lua_createtable(L, 100, 0);
  lua_pushboolean(
    L, slots_at(lua_topointer(L, -2)) == 64 && slots_at(lua_topointer(L, -1)) == 101);
  return 1;
}

/// Looked at in a state of its own: what a script's memory holds must not depend on who was first.
static bool layout_is_known(void) {
  static _Atomic int known;  // 0: not looked yet, 1: yes, 2: no; the same for all VMs
  if (known != 0) return known == 1;
  lua_State *L = luaL_newstate();
  if (L == NULL) return false;
  lua_pushcfunction(L, check_layout);
  if (lua_pcall(L, 0, 1, 0) == LUA_OK) known = lua_toboolean(L, -1) ? 1 : 2;
  lua_close(L);
  return known == 1;
}

void latch_charge_empty_slots(lua_State *L, int index, size_t live) {
  if (!layout_is_known()) return;
  size_t slots = slots_at(lua_topointer(L, index));
  // A table that is merely half empty costs nothing extra.
  if (slots > 256 + 8 * live) latch_charge(L, slots);
}

// MARK: Looking at the keys

/// Keys are met in the order of their hashes: most are out of the processor's cache.
enum { ELEMENTS_PER_KEY = 2 };

typedef struct {
  size_t count, string_bytes;
  bool is_sequence;  ///< the keys are exactly 1 to count
} latch_census;

static void read_key(lua_State *L, int index, latch_key *key) {
  if (!latch_key_read(L, index, key)) {
    luaL_error(
      L, "this table has a key of type %s, which has no place in a fixed order",
      luaL_typename(L, index));
  }
}

static latch_census count_keys(lua_State *L, int table) {
  latch_census census = {0, 0, false};
  bool positive = true;
  lua_Integer largest = 0;
  lua_pushnil(L);
  while (lua_next(L, table)) {
    lua_pop(L, 1);
    latch_key key;
    read_key(L, -1, &key);
    census.count++;
    if (key.rank == LATCH_KEY_STRING) census.string_bytes += key.string.length;
    if (key.rank != LATCH_KEY_INTEGER || key.integer < 1) {
      positive = false;
    } else if (key.integer > largest) {
      largest = key.integer;
    }
  }
  census.is_sequence = positive && largest == (lua_Integer)census.count;
  latch_charge_elements(L, ELEMENTS_PER_KEY * census.count);
  latch_charge_empty_slots(L, table, census.count);
  return census;
}

// MARK: Sorting the keys

enum { FEW = 24 };

/// Few keys are sorted on the C stack, their values standing on Lua's.
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

/// Many keys are sorted in a userdata, their values standing in a table.
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

/// Pushes the sorted keys of the table, which has `census.count` of them.
static void push_sorted(lua_State *L, int table, latch_census census) {
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
  push_sorted(L, table, count_keys(L, table));
}

// MARK: pairs

/// Steps through 1 to n; upvalue 1 is n. `read` fetches the element.
static int next_element(lua_State *L, int (*read)(lua_State *, int, lua_Integer)) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_Integer last = lua_tointeger(L, lua_upvalueindex(1));
  lua_Integer i = latch_opt_integer(L, 2, 0);
  if (i < 0) i = 0;
  while (i < last) {
    if (read(L, 1, ++i) != LUA_TNIL) {
      lua_pushinteger(L, i);
      lua_insert(L, -2);
      return 2;
    }
    lua_pop(L, 1);
    if (i % 64 == 0) latch_charge_elements(L, 64);
  }
  lua_pushnil(L);
  return 1;
}

static int next_raw_element(lua_State *L) { return next_element(L, lua_rawgeti); }
static int next_proxy_element(lua_State *L) { return next_element(L, lua_geti); }

/// The upvalues of the step through sorted keys.
enum { TABLE = 1, KEYS, POSITION };

static int next_key(lua_State *L, int (*read)(lua_State *, int)) {
  lua_Integer position = lua_tointeger(L, lua_upvalueindex(POSITION));
  lua_settop(L, 0);
  for (;;) {
    if (lua_rawgeti(L, lua_upvalueindex(KEYS), ++position) == LUA_TNIL) return 1;
    lua_pushvalue(L, 1);
    if (read(L, lua_upvalueindex(TABLE)) != LUA_TNIL) break;
    lua_settop(L, 0);
  }
  lua_pushinteger(L, position);
  lua_replace(L, lua_upvalueindex(POSITION));
  return 2;
}

static int next_raw_key(lua_State *L) { return next_key(L, lua_rawget); }
static int next_proxy_key(lua_State *L) { return next_key(L, lua_gettable); }

static int pairs_are_made(lua_State *L, int status, lua_KContext context) {
  (void)L, (void)status, (void)context;
  return 3;
}

int latch_base_pairs(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  if (luaL_getmetafield(L, 1, "__pairs") != LUA_TNIL) {
    lua_pushvalue(L, 1);
    lua_callk(L, 1, 3, 0, pairs_are_made);
    return pairs_are_made(L, LUA_OK, 0);
  }
  bool plain = latch_push_data(L, 1) == LATCH_PLAIN;
  latch_census census = count_keys(L, 2);
  if (census.is_sequence) {
    lua_pushinteger(L, (lua_Integer)census.count);
    lua_pushcclosure(L, plain ? next_raw_element : next_proxy_element, 1);
  } else {
    lua_pushvalue(L, 1);
    push_sorted(L, 2, census);
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, plain ? next_raw_key : next_proxy_key, 3);
  }
  lua_pushvalue(L, 1);
  lua_pushnil(L);
  return 3;
}

// MARK: next

/// The smallest key above the given one, found by looking at all of them.
int latch_base_next(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 2);
  latch_key after, best = {0}, key;
  bool bounded = !lua_isnil(L, 2), found = false;
  if (bounded && !latch_key_read(L, 2, &after)) return luaL_error(L, "invalid key to 'next'");
  bool plain = latch_push_data(L, 1) == LATCH_PLAIN;
  lua_pushnil(L);  // slot 4: the best key so far
  size_t count = 0, string_bytes = 0;
  lua_pushnil(L);
  while (lua_next(L, 3)) {
    lua_pop(L, 1);
    read_key(L, 5, &key);
    count++;
    if (key.rank == LATCH_KEY_STRING) string_bytes += key.string.length;
    if (bounded && latch_key_compare(&key, &after) <= 0) continue;
    if (found && latch_key_compare(&key, &best) >= 0) continue;
    best = key;
    found = true;
    lua_copy(L, 5, 4);
  }
  latch_charge_elements(L, ELEMENTS_PER_KEY * count);
  latch_charge(L, string_bytes / 8);
  latch_charge_empty_slots(L, 3, count);
  if (!found) {
    lua_pushnil(L);
    return 1;
  }
  lua_settop(L, 4);
  lua_pushvalue(L, 4);
  if (plain) {
    lua_rawget(L, 1);
  } else {
    lua_gettable(L, 1);
  }
  return 2;
}

// MARK: ipairs

static int next_index(lua_State *L) {
  lua_Integer i = (lua_Integer)((lua_Unsigned)latch_check_integer(L, 2) + 1);
  lua_pushinteger(L, i);
  return latch_get_element(L, 1, i) == LUA_TNIL ? 1 : 2;
}

int latch_base_ipairs(lua_State *L) {
  luaL_checkany(L, 1);
  lua_pushcfunction(L, next_index);
  lua_pushvalue(L, 1);
  lua_pushinteger(L, 0);
  return 3;
}
