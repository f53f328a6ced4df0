/// The limits besides instructions and memory: nesting, coroutines, the size of the state.
///
/// The size of the state is what it takes encoded. To know it exactly for each transition would cost
/// what the state holds; a bound on it costs nothing: no transition adds more bytes than its patch
/// has. The state is measured only when the bound passes the limit.

#include <stdio.h>

#include "vm.h"

void latch_set_limits(latch_vm *vm, latch_limits limits) {
  if (limits.nesting > LATCH_DEEPEST_NESTING) limits.nesting = LATCH_DEEPEST_NESTING;
  if (limits.nesting < LATCH_LEAST_NESTING) limits.nesting = LATCH_LEAST_NESTING;
  vm->limits = limits;
  vm->state_bound = limits.state;  // not known yet: the next change has the state measured
}

void latch_check_stack(lua_State *L, int count, const char *what) {
  unsigned before = latch_of(L)->refused;
  if (lua_checkstack(L, count)) return;
  if (latch_of(L)->refused != before) latch_raise_no_memory(L);
  if (what == NULL) luaL_error(L, "stack overflow");
  else luaL_error(L, "stack overflow (%s)", what);
}

bool latch_state_may_be_full(latch_vm *vm) {
  if (vm->limits.state == 0) return false;
  size_t room = vm->limits.state - vm->state_bound;
  if (vm->patch.length <= room) {
    vm->state_bound += vm->patch.length;
    return false;
  }
  return true;
}

bool latch_state_fits(latch_vm *vm) {
  latch_bytes state;
  vm->unlimited++;
  size_t most = vm->out.most;
  vm->out.most = 0;
  latch_status status = latch_state_get(vm, &state);
  vm->out.most = most;
  vm->unlimited--;
  if (status != LATCH_OK) return false;
  if (vm->limits.state == 0 || state.length <= vm->limits.state) {
    vm->state_bound = vm->limits.state == 0 ? 0 : state.length;
    return true;
  }
  char text[120];
  snprintf(text, sizeof text, "the state takes %zu bytes, and the limit is %zu", state.length,
           vm->limits.state);
  latch_record_text(vm, LATCH_LIMIT, text);
  return false;
}

latch_status latch_check_state(latch_vm *vm) {
  return latch_state_fits(vm) ? LATCH_OK : vm->failure.status;
}
