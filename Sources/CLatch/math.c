/// The `math` library: Lua's own, which takes only numbers and is done at once. The random
/// functions are left out; the sandbox adds those that replay. So is what only a Lua that was built
/// to be compatible with older ones has: a flow runs the same everywhere.

#include "library.h"

int latch_open_math(lua_State *L) {
  static const char *const left_out[] = {
    "random", "randomseed", "atan2", "cosh", "frexp", "ldexp", "log10", "pow", "sinh", "tanh",
  };
  luaopen_math(L);
  for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
    lua_pushnil(L);
    lua_setfield(L, -2, left_out[i]);
  }
  return 1;
}
