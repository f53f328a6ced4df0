/// The `math` library: Lua's own, which takes only numbers and is done at once. The random
/// functions are left out: the one that replays is the flow's. So is what only a Lua that was built to be
/// compatible with older ones has: a flow runs the same everywhere.

#include "library.h"

int latch_open_math(lua_State *L) {
  static const char *const names[] = {
    "abs", "acos", "asin", "atan", "ceil", "cos", "deg", "exp", "floor", "fmod", "huge", "log", "max",
    "maxinteger", "min", "mininteger", "modf", "pi", "rad", "sin", "sqrt", "tan", "tointeger", "type",
    "ult",
  };
  enum { COUNT = sizeof names / sizeof *names };
  lua_createtable(L, 0, COUNT + 1);  // and `random`
  luaopen_math(L);
  for (size_t i = 0; i < COUNT; i++) {
    lua_getfield(L, -1, names[i]);
    lua_setfield(L, -3, names[i]);
  }
  lua_pop(L, 1);
  return 1;
}
