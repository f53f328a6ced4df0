/// A transition: it begins, and is committed or rolled back.

#include "state/state.h"

void latch_begin(latch_vm *vm) {
  vm->in_transition = true;
  vm->journal_count = 0;
  vm->structural = vm->aliased = vm->spliced = vm->doubled = false;
  latch_log_begin(vm);
}

// MARK: Ending

static int clear(lua_State *L) {
  latch_clear_journal(L);
  return 0;
}

/// Lets go of what the log and the journal hold.
static void end(latch_vm *vm) {
  if (vm->journal_count > 0 || !latch_log_may_stay(vm)) {
    latch_protect_unlimited(vm, clear, NULL);
  }
  latch_log_shrink(vm);
}

static int roll_back(lua_State *L) {
  latch_vm *vm = latch_of(L);
  latch_take_back(L, vm);
  latch_clear_journal(L);
  return 0;
}

void latch_rollback(latch_vm *vm) {
  vm->in_transition = false;
  latch_decide_readers(vm, true);
  if (vm->log.writes.count == 0) return;
  latch_protect_unlimited(vm, roll_back, NULL);  // it must not fail for want of memory
  latch_log_shrink(vm);
}

latch_status latch_commit(latch_vm *vm, latch_bytes *patch) {
  latch_status status = latch_encode_patch(vm);
  *patch = latch_buffer_view(&vm->patch);
  if (status != LATCH_OK) return status;
  if (latch_state_may_be_full(vm) && !latch_state_fits(vm)) return vm->failure.status;
  end(vm);
  vm->in_transition = false;
  latch_decide_readers(vm, false);
  return LATCH_OK;
}
