/// Prevents weak tables: scripts have none, whatever they do.
///
/// `setmetatable` rejects a metatable with `__mode`, but the field may be set afterwards, and the
/// collector looks it up when it runs. In Lua 5.4.4 a weak metatable lets an assignment write to a
/// table that has been freed (upstream 983bc433), and the contents of a weak table depend on when
/// the collector ran. The library has no switch for it. So the name that the collector looks up is
/// replaced by a string that is not a key of any table: one of random bytes, which no script can
/// guess or get. (It has to be a short one, since fields are looked up by the address of such.)
///
/// Lua has the names of metamethods side by side, in the order of its TM enumeration, in the block
/// that it allocates first. They are found there by the addresses of four of them, so nothing is
/// written unless it is what it is taken for.

#define _DEFAULT_SOURCE  // for getentropy

#include <string.h>
#include <unistd.h>

#include "layout/layout.h"

enum { MODE = 3, NAMES = 4 };

/// Lua treats strings up to this length as short ones.
enum { LATCH_SECRET_BYTES = 40 };

static const char *const names[NAMES] = {"__index", "__newindex", "__gc", "__mode"};

/// The word at `offset` of the block.
static uintptr_t word(const char *block, size_t offset) {
  uintptr_t value;
  memcpy(&value, block + offset, sizeof value);
  return value;
}

/// Returns the offset of the names in the block; `size` if they are not there.
static size_t find_names(const char *block, size_t size, const uintptr_t texts[NAMES]) {
  for (size_t offset = 0; offset + NAMES * sizeof(uintptr_t) <= size; offset += sizeof(uintptr_t)) {
    // The block holds the string's header, a fixed distance before its text.
    uintptr_t header = texts[0] - word(block, offset);
    bool all = header > 0 && header < 64;
    for (int i = 1; all && i < NAMES; i++) {
      all = texts[i] - word(block, offset + (size_t)i * sizeof(uintptr_t)) == header;
    }
    if (all) return offset;
  }
  return size;
}

bool latch_forget_weak_tables(lua_State *L, int key, char *block, size_t size) {
  uintptr_t texts[NAMES];
  for (int i = 0; i < NAMES; i++) texts[i] = (uintptr_t)lua_pushstring(L, names[i]);
  size_t offset = find_names(block, size, texts);
  lua_pop(L, NAMES);
  if (offset == size) return false;
  uintptr_t header = texts[0] - word(block, offset);
  char secret[LATCH_SECRET_BYTES];
  if (getentropy(secret, sizeof secret) != 0) return false;
  uintptr_t replacement = (uintptr_t)lua_pushlstring(L, secret, sizeof secret);
  replacement -= header;
  lua_rawseti(L, LUA_REGISTRYINDEX, key);
  memcpy(block + offset + MODE * sizeof(uintptr_t), &replacement, sizeof replacement);
  return true;
}
