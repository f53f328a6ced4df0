/// A transition: it begins, and is committed or rolled back.

#include "state/state.h"

void latch_begin(latch_vm *vm) {
  vm->in_transition = true;
  vm->written_count = 0;
  vm->written_closed = false;
  vm->journal_count = vm->undone = 0;
  vm->structural = vm->aliased = vm->spliced = vm->doubled = false;
}

// MARK: Rolling back

static int roll_back(lua_State *L) {
  latch_vm *vm = latch_of(L);
  for (lua_Integer entry = vm->journal_count - vm->undone; entry >= 1; entry--) {
    latch_swap_entry(L, entry, true);
  }
  latch_clear_journal(L);
  latch_restore_scalars(L, vm);
  return 0;
}

void latch_rollback(latch_vm *vm) {
  vm->in_transition = false;
  latch_decide_readers(vm, true);
  if (vm->journal_count == 0 && vm->written_count == 0) return;
  latch_protect_unlimited(vm, roll_back, NULL);
}

// MARK: Committing

static int encode_and_end(lua_State *L) {
  latch_encode_patch(L);
  latch_vm *vm = latch_of(L);
  vm->state_is_full = latch_state_may_be_full(vm);
  if (!vm->state_is_full) latch_clear_journal(L);
  return 0;
}

static int end_journal(lua_State *L) {
  latch_clear_journal(L);
  return 0;
}

/// Ends a transition whose patch was written with its scalars.
static latch_status commit_scalars(latch_vm *vm) {
  if (latch_state_may_be_full(vm) && !latch_state_fits(vm)) return vm->failure.status;
  vm->written_count = 0;
  return LATCH_OK;
}

static latch_status commit_journal(latch_vm *vm) {
  vm->unlimited++;  // what the transition itself allocated has been counted already
  latch_status status = latch_protect(vm, encode_and_end, NULL, 0);
  if (status == LATCH_OK && vm->state_is_full) {
    status = latch_state_fits(vm) ? latch_protect(vm, end_journal, NULL, 0) : vm->failure.status;
  }
  vm->unlimited--;
  return status;
}

latch_status latch_commit(latch_vm *vm, latch_bytes *patch) {
  latch_status status = LATCH_OK;
  if (vm->written_count > 0) {
    status = commit_scalars(vm);
  } else {
    latch_buffer_clear(&vm->patch);
    if (vm->journal_count > 0) status = commit_journal(vm);
  }
  if (status == LATCH_OK) {
    vm->in_transition = false;
    latch_decide_readers(vm, false);
  }
  *patch = latch_buffer_view(&vm->patch);
  return status;
}
