/// Plain values in a fixed order, and a stable sort of them outside of Lua's stack.

#include <string.h>

#include "value/value.h"

void latch_key_read_string(lua_State *L, int index, latch_key *key) {
  key->rank = LATCH_KEY_STRING;
  key->string.bytes = lua_tolstring(L, index, &key->string.length);
  size_t count = key->string.length < 8 ? key->string.length : 8;
  uint64_t prefix = 0;
  for (size_t i = 0; i < count; i++) {
    prefix |= (uint64_t)(unsigned char)key->string.bytes[i] << (56 - 8 * i);
  }
  key->string.prefix = prefix;
}

bool latch_key_read(lua_State *L, int index, latch_key *key) {
  switch (lua_type(L, index)) {
    case LUA_TNUMBER: {
      int integral;
      key->rank = LATCH_KEY_INTEGER;
      key->integer = lua_tointegerx(L, index, &integral);
      if (integral) return true;
      key->rank = LATCH_KEY_NUMBER;
      key->number = lua_tonumber(L, index);
      return key->number == key->number;
    }
    case LUA_TSTRING: latch_key_read_string(L, index, key); return true;
    case LUA_TBOOLEAN:
      key->rank = LATCH_KEY_BOOLEAN;
      key->integer = lua_toboolean(L, index);
      return true;
    default: return false;
  }
}

int latch_bytes_compare(const char *a, size_t a_length, const char *b, size_t b_length) {
  size_t shorter = a_length < b_length ? a_length : b_length;
  int order = shorter == 0 ? 0 : memcmp(a, b, shorter);
  if (order != 0) return order;
  return (a_length > b_length) - (a_length < b_length);
}

int latch_key_compare(const latch_key *a, const latch_key *b) {
  if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
  switch (a->rank) {
    case LATCH_KEY_NUMBER: return (a->number > b->number) - (a->number < b->number);
    case LATCH_KEY_STRING:
      if (a->string.prefix != b->string.prefix) {
        return a->string.prefix < b->string.prefix ? -1 : 1;
      }
      return latch_bytes_compare(
        a->string.bytes, a->string.length, b->string.bytes, b->string.length);
    default: return (a->integer > b->integer) - (a->integer < b->integer);
  }
}

enum { RUN = 8 };

static void sort_run(latch_key *keys, size_t count) {
  for (size_t i = 1; i < count; i++) {
    latch_key key = keys[i];
    size_t j = i;
    for (; j > 0 && latch_key_compare(&keys[j - 1], &key) > 0; j--) keys[j] = keys[j - 1];
    keys[j] = key;
  }
}

static void merge(latch_key *to, const latch_key *from, size_t left, size_t middle, size_t right) {
  size_t a = left, b = middle;
  for (size_t i = left; i < right; i++) {
    bool take_left = a < middle && (b == right || latch_key_compare(&from[a], &from[b]) <= 0);
    to[i] = take_left ? from[a++] : from[b++];
  }
}

void latch_keys_sort(latch_key *keys, latch_key *spare, size_t count) {
  for (size_t i = 0; i < count; i += RUN) sort_run(keys + i, count - i < RUN ? count - i : RUN);
  latch_key *from = keys, *to = spare;
  for (size_t width = RUN; width < count; width *= 2) {
    for (size_t left = 0; left < count; left += 2 * width) {
      size_t middle = left + width < count ? left + width : count;
      size_t right = middle + width < count ? middle + width : count;
      merge(to, from, left, middle, right);
    }
    latch_key *merged = to;
    to = from;
    from = merged;
  }
  if (from != keys) memcpy(keys, from, count * sizeof *keys);
}

void latch_keys_charge_sort(lua_State *L, size_t count, size_t string_bytes) {
  size_t levels = 3;  // a run of eight costs about as much as three merges
  for (size_t width = RUN; width < count; width *= 2) levels++;
  latch_charge_elements(L, (uint64_t)count * (levels + 4));
  latch_charge(L, string_bytes / 4 * levels);
}
