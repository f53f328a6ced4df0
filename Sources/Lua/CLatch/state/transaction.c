/// A transaction: its start, and its end by commit or rollback.

#include "state/state.h"

void latch_begin(latch_vm *vm) {
  vm->in_transaction = true;
  vm->undo_log_count = vm->told_entries = vm->promoted = 0;
  vm->structural = vm->aliased = vm->spliced = vm->doubled = false;
  vm->records.settled = 0;
  vm->records.by_host = false;
  vm->records.asked = 0;
  latch_log_begin(vm);
}

// MARK: Taking back

static int roll_back(lua_State *L) {
  latch_vm *vm = latch_of(L);
  latch_take_back(L, vm);
  latch_take_records_back(L);
  latch_forget_record_changes(L);
  latch_clear_undo_log(L);
  return 0;
}

void latch_rollback(latch_vm *vm) {
  vm->in_transaction = false;
  latch_decide_readers(vm, true);
  latch_drop_record_notes(vm);
  // Conditions may have become stale without having been asked.
  latch_touch_conditions(vm);
  if (vm->log.writes.count == 0) return;
  latch_protect_unlimited(vm, roll_back, NULL);  // it must not fail when memory runs out
  latch_log_shrink(vm);
}

// MARK: Committing

static int clear(lua_State *L) {
  latch_forget_record_changes(L);
  latch_clear_undo_log(L);
  return 0;
}

static int encode_and_clear(lua_State *L) {
  latch_encode_patch(L);
  latch_vm *vm = latch_of(L);
  vm->state_is_full = latch_state_may_be_full(vm);
  if (!vm->state_is_full) clear(L);
  return 0;
}

/// Ends a transaction of plain values, for which nothing is kept alive in Lua.
static latch_status commit_scalars(latch_vm *vm) {
  latch_buffer_clear(&vm->patch);
  latch_add_scalar_changes(vm);
  if (vm->patch.failed) return latch_protect_unlimited(vm, latch_encode_patch, NULL);
  bool fits = !latch_state_may_be_full(vm) || latch_state_fits(vm);
  return fits ? LATCH_OK : vm->failure.status;
}

static latch_status commit_tables(latch_vm *vm) {
  latch_status status = latch_protect_unlimited(vm, encode_and_clear, NULL);
  if (status != LATCH_OK || !vm->state_is_full) return status;
  return latch_state_fits(vm) ? latch_protect_unlimited(vm, clear, NULL) : vm->failure.status;
}

latch_status latch_end_transaction(latch_vm *vm, latch_bytes *patch) {
  bool is_simple = vm->undo_log_count == 0 && vm->records.changes == 0 && latch_log_may_stay(vm);
  latch_status status = is_simple ? commit_scalars(vm) : commit_tables(vm);
  *patch = latch_buffer_view(&vm->patch);
  if (status != LATCH_OK) return status;
  latch_log_shrink(vm);
  vm->in_transaction = false;
  latch_decide_readers(vm, false);
  return LATCH_OK;
}
