/// The patch of a transaction: a sequence of changes in the order in which they apply. Each is an
/// operation (0 set, 1 insert, 2 remove, 3 an empty table gets a kind), a path (an encoded list of
/// keys), the old value and the new one.

#include "state/state.h"

/// Appends the change of one write to the patch, if it changes anything.
static void add_scalar_change(latch_vm *vm, const latch_written *write) {
  const latch_log *log = &vm->log;
  const latch_written_node *node = (latch_written_node *)log->nodes.items + write->node;
  if (!node->is_in_state || latch_scalar_equals(write->old, write->new)) return;
  size_t most = 12 + node->length + latch_most_scalar_bytes(write->key) +
                latch_most_scalar_bytes(write->old) + latch_most_scalar_bytes(write->new);
  uint8_t *start = latch_buffer_room(&vm->patch, most), *out = start;
  if (out == NULL) return;
  *out++ = 0;  // the operation: set
  *out++ = LATCH_TAG_LIST;
  out = latch_write_count(out, node->depth + 1);
  if (node->length > 0) latch_copy_few(out, log->paths.bytes + node->path, node->length);
  out = latch_write_scalar(out + node->length, write->key);
  out = latch_write_scalar(out, write->old);
  out = latch_write_scalar(out, write->new);
  vm->patch.length += (size_t)(out - start);
}

void latch_add_scalar_changes(latch_vm *vm) {
  const latch_written *writes = vm->log.writes.items;
  for (uint32_t i = 0; i < vm->log.writes.count; i++) add_scalar_change(vm, &writes[i]);
}

/// Encodes the contents of a hole.
static void fill_hole(
  lua_State *L, latch_vm *vm, uint32_t entry, const latch_hole *hole, latch_buffer *out) {
  if (hole->is_filled) {
    latch_buffer_add(out, vm->log.fillings.bytes + hole->start, hole->length);
    return;
  }
  int top = lua_gettop(L);
  latch_check_stack(L, 12, "too much at once");
  latch_push_place_of_entry(L, entry);
  latch_push_anchored(L, hole->anchor);
  latch_encoder encoder;
  latch_encoder_begin(&encoder, vm, out);
  // A table that the script has replaced within the same function has no type that could decide.
  encoder.unnamed_map = LATCH_TAG_MAP;
  encoder.depth = (int)hole->depth;
  latch_encode_at(L, &encoder, top + 3, top + 1, top + 2);
  lua_settop(L, top);
}

/// The first hole of the change of an entry, from that number on.
static uint32_t first_hole(const latch_log *log, const latch_written *write, uint32_t hole) {
  const latch_hole *holes = log->holes.items;
  // Earlier holes belong to a change that was not made.
  while (hole < log->holes_end && holes[hole].at <= write->start) hole++;
  return hole;
}

/// Appends the change of an entry of the undo log, with the contents of its holes.
static uint32_t add_entry_change(
  lua_State *L, latch_vm *vm, const latch_written *write, uint32_t hole) {
  const latch_log *log = &vm->log;
  const latch_hole *holes = log->holes.items;
  size_t from = write->start;
  for (hole = first_hole(log, write, hole); hole < log->holes_end && holes[hole].at <= write->end;
       hole++) {
    latch_buffer_add(&vm->patch, log->pieces.bytes + from, holes[hole].at - from);
    from = holes[hole].at;
    fill_hole(L, vm, write->entry, &holes[hole], &vm->patch);
  }
  latch_buffer_add(&vm->patch, log->pieces.bytes + from, write->end - from);
  return hole;
}

static void add_changes(lua_State *L, latch_vm *vm) {
  uint32_t hole = 0;
  for (uint32_t i = 0; i < vm->log.writes.count; i++) {
    const latch_written *write = (latch_written *)vm->log.writes.items + i;
    if (write->entry == 0) add_scalar_change(vm, write);
    else if (write->entry != LATCH_PLACE_ENTRY) hole = add_entry_change(L, vm, write, hole);
  }
}

int latch_encode_patch(lua_State *L) {
  latch_vm *vm = latch_of(L);
  latch_buffer_clear(&vm->patch);
  add_changes(L, vm);
  return vm->patch.failed ? latch_raise_no_memory(L) : 0;
}

latch_status latch_patch(latch_vm *vm, latch_bytes *patch) {
  // The memory that the transaction itself allocated has been charged already.
  latch_status status = latch_protect_unlimited(vm, latch_encode_patch, NULL);
  *patch = latch_buffer_view(&vm->patch);
  return status;
}

// MARK: Going on

/// Fills the holes with the present contents of their tables: later writes to these tables are
/// later changes in the patch.
int latch_fill_holes(lua_State *L) {
  latch_vm *vm = latch_of(L);
  latch_log *log = &vm->log;
  uint32_t number = 0;
  for (uint32_t i = 0; i < log->writes.count && number < log->holes_end; i++) {
    const latch_written *write = (latch_written *)log->writes.items + i;
    if (write->entry == 0 || write->entry == LATCH_PLACE_ENTRY) continue;
    number = first_hole(log, write, number);
    for (; number < log->holes_end; number++) {
      latch_hole *hole = (latch_hole *)log->holes.items + number;
      if (hole->at > write->end) break;
      if (hole->is_filled) continue;
      size_t start = log->fillings.length;
      fill_hole(L, vm, write->entry, hole, &log->fillings);
      if (log->fillings.failed) return latch_raise_no_memory(L);
      hole->start = start;
      hole->length = log->fillings.length - start;
      hole->is_filled = true;
    }
  }
  // A table that was only in a hole until now is in the state for all later writes.
  latch_forget_paths(vm);
  return 0;
}

latch_status latch_go_on(latch_vm *vm) {
  // Charges for visiting the entries again, here and when the rest is adopted.
  latch_spend(vm, vm->undo_log_count + vm->log.writes.count);
  return vm->log.holes_end == 0 ? LATCH_OK : latch_protect(vm, latch_fill_holes, NULL, 0);
}
