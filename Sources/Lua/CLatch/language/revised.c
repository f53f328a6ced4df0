/// revised: tells an effect which version of its flow it follows.

#include "language/language.h"

/// (name): true if a durable effect follows the version after the change with that name.
int latch_revised(lua_State *L) {
  latch_only_effects(L, "call revised");
  lua_settop(L, 1);
  size_t length = 0;
  const char *name = lua_type(L, 1) == LUA_TSTRING ? lua_tolstring(L, 1, &length) : NULL;
  if (length == 0 || !latch_is_utf8(name, length)) {
    return latch_raise(L, "%srevised takes the name of a change: revised(\"2027-retry\")",
      latch_push_script_place(L, ""));
  }
  return latch_ask_host(L, LATCH_HOST_REVISED);
}
