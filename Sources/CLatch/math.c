/// The `math` library: Lua's own, which takes only numbers and is done at once. The random
/// functions are left out; the sandbox adds those that replay.

#include "library.h"

int latch_open_math(lua_State *L) {
  luaopen_math(L);
  lua_pushnil(L);
  lua_setfield(L, -2, "random");
  lua_pushnil(L);
  lua_setfield(L, -2, "randomseed");
  return 1;
}
