/// The place of the running script, and the name of the running code, for messages.

#include <string.h>

#include "machine/machine.h"

bool latch_find_script(lua_State *L, lua_Debug *frame) {
  for (int level = 0; lua_getstack(L, level, frame); level++) {
    lua_getinfo(L, "Sl", frame);
    if (frame->currentline >= 1 && strcmp(frame->source, LATCH_PRELUDE_CHUNK) != 0) return true;
  }
  return false;
}

void latch_push_where(lua_State *L) {
  lua_Debug frame;
  if (latch_find_script(L, &frame))
    lua_pushfstring(L, "%s:%d: ", frame.short_src, frame.currentline);
  else lua_pushliteral(L, "");
}

const char *latch_who_runs(const latch_vm *vm) {
  static const char *const WHO[] = {
    [LATCH_IDLE] = "the host",
    [LATCH_LOADING] = "a file that is loading",
    [LATCH_RULE] = "a gate rule",
    [LATCH_REDUCER] = "a reducer",
    [LATCH_VIEW] = "a view",
    [LATCH_INVARIANT] = "an invariant",
    [LATCH_CONDITION] = "a condition of always or on_done",
    [LATCH_EFFECT] = "an effect",
    [LATCH_SCRIPT] = "a script",
  };
  return WHO[vm->phase];
}
