/// The `math` library: Lua's own, which takes only numbers and is done at once. The random
/// functions are left out: the one that replays is the flow's. So is what only a Lua that was built to be
/// compatible with older ones has: a flow runs the same everywhere.
///
/// Lua makes more of it than we keep, so that is not done in each VM but once, elsewhere: what is kept
/// are C functions, which are the same in every VM.

#include <math.h>
#include <pthread.h>

#include "library.h"

static const char *const NAMES[] = {
  "abs", "acos", "asin", "atan", "ceil", "cos", "deg", "exp", "floor", "fmod", "log", "max", "min",
  "modf", "rad", "sin", "sqrt", "tan", "tointeger", "type", "ult",
};

enum { COUNT = sizeof NAMES / sizeof *NAMES, OTHERS = 5 };  // four numbers, and `random`

static lua_CFunction functions[COUNT];

static int find_functions(lua_State *L) {
  luaopen_math(L);
  for (int i = 0; i < COUNT; i++) {
    lua_getfield(L, -1, NAMES[i]);
    functions[i] = lua_tocfunction(L, -1);
    lua_pop(L, 1);
  }
  return 0;
}

static bool functions_are_found(void) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  bool found = functions[COUNT - 1] != NULL;
  lua_State *L = found ? NULL : luaL_newstate();
  if (L != NULL) {
    lua_pushcfunction(L, find_functions);
    found = lua_pcall(L, 0, 0, 0) == LUA_OK;
    lua_close(L);
  }
  pthread_mutex_unlock(&lock);
  return found;
}

int latch_open_math(lua_State *L) {
  if (!functions_are_found()) return luaL_error(L, "not enough memory");
  lua_createtable(L, 0, COUNT + OTHERS);
  for (int i = 0; i < COUNT; i++) {
    lua_pushcfunction(L, functions[i]);
    lua_setfield(L, -2, NAMES[i]);
  }
  lua_pushnumber(L, 3.141592653589793238462643383279502884);
  lua_setfield(L, -2, "pi");
  lua_pushnumber(L, HUGE_VAL);
  lua_setfield(L, -2, "huge");
  lua_pushinteger(L, LUA_MAXINTEGER);
  lua_setfield(L, -2, "maxinteger");
  lua_pushinteger(L, LUA_MININTEGER);
  lua_setfield(L, -2, "mininteger");
  return 1;
}
