/// Counts the slots of a hash that Lua probes to find a number in it.
///
/// Numbers with the same main position form a list, which Lua walks along; a script can choose its
/// numbers so that all have the same. The position of strings depends on a seed that no script
/// knows.

#include <math.h>
#include <stdlib.h>

#include "layout/layout.h"

/// The slot of a whole number among so many. Up to Lua 5.4.3 only its lowest bits determined it.
static uint32_t place_of_integer(lua_Integer key, uint32_t slots) {
#if LUA_VERSION_RELEASE_NUM < LUA_VERSION_NUM * 100 + 4
  return (uint32_t)key & (slots - 1);
#else
  return (uint32_t)((lua_Unsigned)key % ((slots - 1) | 1));
#endif
}

static uint32_t place_of_float(lua_Number key, uint32_t slots) {
  int exponent;
  lua_Number scaled = frexp(key, &exponent) * 2147483648.0;
  if (!(scaled >= -2147483648.0 && scaled <= 2147483648.0)) return 0;
  uint32_t sum = (uint32_t)exponent + (uint32_t)(lua_Integer)scaled;
  if (sum > INT32_MAX) sum = ~sum;
  return sum % ((slots - 1) | 1);
}

/// The slot of a number; false for any other key.
static bool find_place(const latch_cell *key, uint32_t slots, uint32_t *place) {
  if (key->type == LATCH_CELL_INTEGER) *place = place_of_integer(key->integer, slots);
  else if (key->type == LATCH_CELL_FLOAT) *place = place_of_float(key->number, slots);
  else return false;
  return true;
}

static bool is_key_of(const lua_slot_part *slot, const latch_cell *key) {
  return slot->part.key_type == key->type && (lua_Integer)(intptr_t)slot->part.key == key->integer;
}

size_t latch_probes(const void *table, const latch_cell *key) {
  uint32_t place;
  if (key->type == LATCH_CELL_INTEGER && latch_element_cell(table, key->integer) != NULL) return 0;
  if (!find_place(key, latch_hash_slots(table), &place)) return 0;
  const lua_slot_part *slot = latch_hash_slot(table, place);
  size_t count = 0;
  while (!is_key_of(slot, key) && slot->part.next != 0) {
    slot += slot->part.next;
    count++;
  }
  return count;
}

// MARK: Where keys would stand

enum { SAMPLES = 256, PLACES = 4 * SAMPLES };

/// Counts the pairs of the table's numbers, sampled every `stride` slots, that would have the same
/// slot.
static uint64_t count_pairs(const void *table, uint32_t slots, uint32_t stride) {
  uint32_t places[PLACES];
  uint16_t counts[PLACES] = {0};
  uint64_t pairs = 0;
  for (uint32_t i = 0; i < latch_hash_slots(table); i += stride) {
    const lua_slot_part *slot = latch_hash_slot(table, i);
    latch_cell key = {.object = slot->part.key, .type = slot->part.key_type};
    uint32_t place;
    if (latch_is_nil(&slot->cell) || !find_place(&key, slots, &place)) continue;
    uint32_t at = place * 0x9e3779b1u >> 22;  // one of PLACES
    while (counts[at] > 0 && places[at] != place) at = (at + 1) % PLACES;
    places[at] = place;
    pairs += counts[at]++;
  }
  return pairs;
}

uint64_t latch_insertion_probes(const void *table, uint32_t slots) {
  uint32_t held = latch_hash_slots(table);
  if (held < 2 * SAMPLES) return 0;
  uint32_t stride = held / SAMPLES;
  return count_pairs(table, slots, stride) * stride * stride;
}

// MARK: Whether they are there

/// Numbers of which some have the same slot, among 64 slots.
static const lua_Integer integers[] = {64, 63, 126, 640, 6300, -1, 1 << 20, (1 << 30) + 7};

static int compare(lua_State *L) {
  bool fine = true;
  for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
    for (int is_float = 0; is_float < 2; is_float++) {
      lua_settop(L, 0);
      lua_createtable(L, 0, 64);
      latch_cell key = {.integer = integers[i], .type = LATCH_CELL_INTEGER};
      if (is_float)
        key = (latch_cell){.number = (lua_Number)integers[i] / 3 + 0.25, .type = LATCH_CELL_FLOAT};
      if (is_float) lua_pushnumber(L, key.number);
      else lua_pushinteger(L, key.integer);
      lua_pushboolean(L, 1);
      lua_rawset(L, 1);
      uint32_t place;
      const void *table = lua_topointer(L, 1);
      fine = fine && latch_hash_slots(table) == 64 && find_place(&key, 64, &place) &&
             is_key_of(latch_hash_slot(table, place), &key);
    }
  }
  lua_pushboolean(L, fine);
  return 1;
}

int latch_check_probes(void) { return latch_try_out(compare); }
