/// Whether Lua is laid out as this floor takes it to be.

#include <stdatomic.h>

#include "layout/layout.h"

/// In a state of its own: a script's memory must not depend on who was first.
int latch_try_out(lua_CFunction compare) {
  lua_State *L = luaL_newstate();
  if (L == NULL) return 0;
  lua_pushcfunction(L, compare);
  int answer = lua_pcall(L, 0, 1, 0) != LUA_OK ? 0 : lua_toboolean(L, -1) ? 1 : -1;
  lua_close(L);
  return answer;
}

bool latch_knows_layout(void) {
  static atomic_int known = 0;
  int answer = atomic_load(&known);
  if (answer == 0) {
    const int answers[] = {latch_check_instructions(), latch_check_slots(), latch_check_blocks(),
      latch_check_cells(), latch_check_frames(), latch_check_probes()};
    answer = 1;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
      if (answers[i] < answer) answer = answers[i];
    }
    atomic_store(&known, answer);
  }
  return answer > 0;
}
