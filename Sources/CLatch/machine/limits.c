/// The limits besides instructions and memory, and the room on Lua's stack.

#include "machine/machine.h"

void latch_set_limits(latch_vm *vm, latch_limits limits) {
  if (limits.nesting > LATCH_DEEPEST_NESTING) limits.nesting = LATCH_DEEPEST_NESTING;
  if (limits.nesting < LATCH_LEAST_NESTING) limits.nesting = LATCH_LEAST_NESTING;
  vm->limits = limits;
  vm->state_bound = limits.state;  // not known yet: the next change has the state measured
}

void latch_check_stack(lua_State *L, int count, const char *what) {
  unsigned before = latch_of(L)->memory.refused;
  if (lua_checkstack(L, count)) return;
  if (latch_of(L)->memory.refused != before) latch_raise_no_memory(L);
  if (what == NULL) luaL_error(L, "stack overflow");
  else luaL_error(L, "stack overflow (%s)", what);
}
