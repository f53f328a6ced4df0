/// Lua's own functions, for work that they do safely and that has been charged for.
///
/// Opening a library of Lua creates more than is needed here, so it is not done in each VM but
/// once, in a Lua state of its own. C functions are the same in every VM.

#include <pthread.h>

#include "library/originals.h"

static int find(lua_State *L) {
  const latch_originals *wanted = lua_touserdata(L, 1);
  lua_pushcfunction(L, wanted->open);
  lua_call(L, 0, 1);
  for (int i = 0; i < wanted->count; i++) {
    lua_getfield(L, -1, wanted->names[i]);
    wanted->functions[i] = lua_tocfunction(L, -1);
    lua_pop(L, 1);
  }
  return 0;
}

void latch_find_originals(lua_State *L, const latch_originals *wanted) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  bool found = wanted->functions[wanted->count - 1] != NULL;
  lua_State *other = found ? NULL : luaL_newstate();
  if (other != NULL) {
    lua_pushcfunction(other, find);
    lua_pushlightuserdata(other, (void *)(uintptr_t)wanted);
    found = lua_pcall(other, 1, 0, 0) == LUA_OK;
    lua_close(other);
  }
  pthread_mutex_unlock(&lock);
  if (!found) luaL_error(L, "not enough memory");
}
