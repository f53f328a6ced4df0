/// What the blocks are that Lua asks the allocator for.

#include <stdlib.h>

#include "layout/layout.h"

/// It begins with its extra space.
bool latch_is_coroutine_block(const void *block, uintptr_t word) {
  uintptr_t first;
  __builtin_memcpy(&first, block, sizeof first);
  return first == word;
}

/// A stack grows to twice its size, the spare slots at its end not counted; before Lua 5.4.3 they
/// were counted. Nothing else that Lua makes grows so while a script runs: the arrays of tables
/// have powers of two, and their other parts are made anew.
bool latch_is_growing_stack(size_t before, size_t held, size_t size) {
  enum { SLOT = 16, SPARE_SLOTS = 5 };
  if (held != 0 && held != before) return false;
  if (size + SPARE_SLOTS * SLOT == 2 * before) return true;
  return held != 0 && size == 2 * before && (before & (before - 1)) != 0;
}

// MARK: Whether they are

typedef struct {
  void *coroutine;  ///< the block of the newest
  size_t vector;    ///< the size of the newest block that is no object
  bool has_grown;   ///< it was a stack's, and the one before it too
} latch_seen_blocks;

/// For a new object Lua passes its type.
static void *allocate(void *opaque, void *block, size_t old_size, size_t new_size) {
  latch_seen_blocks *seen = opaque;
  if (new_size == 0) {
    free(block);
    return NULL;
  }
  size_t held = block == NULL ? 0 : old_size;
  bool is_coroutine = block == NULL && old_size == LUA_TTHREAD;
  block = realloc(block, new_size);
  if (is_coroutine) {
    seen->coroutine = block;
  } else {
    seen->has_grown = latch_is_growing_stack(seen->vector, held, new_size);
    seen->vector = new_size;
  }
  return block;
}

static int grow(lua_State *L) {
  latch_seen_blocks *seen = lua_touserdata(L, 1);
  lua_State *made = lua_newthread(L);
  *(uintptr_t *)lua_getextraspace(made) = (uintptr_t)seen;
  luaL_checkstack(made, 2 * LUA_MINSTACK + 1, NULL);  // one more than a new one has
  return 0;
}

int latch_check_blocks(void) {
  latch_seen_blocks seen = {NULL, 0, false};
  lua_State *L = lua_newstate(allocate, &seen);
  if (L == NULL) return 0;
  lua_pushcfunction(L, grow);
  lua_pushlightuserdata(L, &seen);
  int answer = 0;
  if (lua_pcall(L, 1, 0, 0) == LUA_OK) {
    bool fine = seen.has_grown && latch_is_coroutine_block(seen.coroutine, (uintptr_t)&seen);
    answer = fine ? 1 : -1;
  }
  lua_close(L);
  return answer;
}
