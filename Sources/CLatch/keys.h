/// Plain values in one fixed order, and a stable sort of them outside of Lua's stack.

#ifndef LATCH_KEYS_H
#define LATCH_KEYS_H

#include "library.h"

/// The order of kinds: integers, floats, strings, booleans.
typedef enum {
  LATCH_KEY_INTEGER, LATCH_KEY_NUMBER, LATCH_KEY_STRING, LATCH_KEY_BOOLEAN,
} latch_rank;

/// A view of a value that something else keeps alive. `place` says where that is.
typedef struct {
  latch_rank rank;
  uint32_t place;
  union {
    lua_Integer integer;
    lua_Number number;
    struct {
      const char *bytes;
      size_t length;
      uint64_t prefix;  ///< the first 8 bytes as a number: most strings differ there
    } string;
  };
} latch_key;

/// Reads the value at `index`. False for nil, NaN and what is known by identity only.
bool latch_key_read(lua_State *L, int index, latch_key *key);

/// The string at `index`, as `latch_key_read` does it.
void latch_key_read_string(lua_State *L, int index, latch_key *key);

/// Below 0, 0 or above 0. Strings compare byte by byte, whatever the locale.
int latch_key_compare(const latch_key *a, const latch_key *b);

/// Sorts in place; equal keys keep their order. `spare` has room for `count` keys.
void latch_keys_sort(latch_key *keys, latch_key *spare, size_t count);

/// What sorting costs at most: it depends on the keys, not on their order.
void latch_keys_charge_sort(lua_State *L, size_t count, size_t string_bytes);

/// Bytewise comparison of two strings.
int latch_bytes_compare(const char *a, size_t a_length, const char *b, size_t b_length);

#endif
