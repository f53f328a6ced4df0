/// dispatch and may, the functions with which a script dispatches an action or asks about one.

#include "language/language.h"

void latch_complete_dispatch(lua_State *L, int index) {
  lua_settop(L, index + 1);
  latch_tolstring(L, index, NULL);
  lua_replace(L, index);
  if (!lua_isnil(L, index + 1)) return;
  lua_newtable(L);
  lua_replace(L, index + 1);
}

int latch_dispatch(lua_State *L) {
  latch_only_effects(L, "dispatch");
  latch_complete_dispatch(L, 1);
  return latch_ask_host(L, LATCH_HOST_ENQUEUE);
}

int latch_may(lua_State *L) {
  latch_phase phase = latch_of(L)->phase;
  if (phase != LATCH_EFFECT && phase != LATCH_SCRIPT) {
    return latch_raise(L, "%s%s cannot call may; effects, scenarios and the host can",
      latch_push_script_place(L, ""), latch_who_runs(latch_of(L)));
  }
  latch_complete_dispatch(L, 1);
  return latch_ask_host(L, LATCH_HOST_MAY);
}
