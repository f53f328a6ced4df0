/// The size of the state, which is limited.
///
/// It is the size of the encoded state. Computing it exactly after each transaction would take time
/// in proportion to the state; an upper bound costs nothing: no transaction adds more bytes than
/// its patch has. The state is measured only when the bound exceeds the limit.

#include <stdio.h>

#include "state/state.h"

static int get_state(lua_State *L) {
  latch_vm *vm = lua_touserdata(L, 1);
  latch_buffer_clear(&vm->out);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
  latch_encoder encoder;
  latch_encoder_begin(&encoder, vm, &vm->out);
  encoder.has_texts_of_state = true;
  if (!latch_encode(&encoder, L, -1)) return luaL_error(L, "%s", encoder.fault);
  if (vm->out.failed) return latch_raise_no_memory(L);
  return 0;
}

latch_status latch_state_get(latch_vm *vm, latch_bytes *value) {
  latch_status status = latch_protect_unlimited(vm, get_state, vm);
  *value = latch_buffer_view(&vm->out);
  return status;
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
  size_t most = vm->out.most;
  vm->out.most = 0;
  latch_status status = latch_state_get(vm, &state);
  vm->out.most = most;
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
