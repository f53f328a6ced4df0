/// Conditions that only compare and compute with fields of the state, as most do.
///
/// The fields that such a condition reads are known before it runs (latch_fields_read), so they
/// need not be recorded: it runs as a rule does (views.c), and a write to one of the fields makes
/// it stale without a call of Lua.

#include "state/state.h"

void latch_set_conditions(latch_vm *vm, int32_t from, int32_t end) {
  vm->conditions.from = from;
  vm->conditions.end = end;
  vm->conditions.fields = 0;
  for (int32_t reader = from; reader < end; reader++) {
    const latch_reader *known = &vm->readers[reader];
    for (int i = 0; i < known->field_count; i++) {
      vm->conditions.fields |= (uint64_t)1 << known->fields[i] % 64;
    }
  }
}

static bool reads(const latch_reader *known, uint32_t field) {
  for (int i = 0; i < known->field_count; i++) {
    if (known->fields[i] == field) return true;
  }
  return false;
}

void latch_touch_field(latch_vm *vm, const char *name, size_t length) {
  if ((vm->conditions.fields >> latch_field_bit(name, length) & 1) == 0) return;
  uint32_t field = latch_field_of(name, length);
  for (int32_t reader = vm->conditions.from; reader < vm->conditions.end; reader++) {
    if (reads(&vm->readers[reader], field)) latch_mark_reader(vm, reader);
  }
}

void latch_touch_fields(latch_vm *vm) {
  const latch_written *writes = vm->log.writes.items;
  const latch_written_node *nodes = vm->log.nodes.items;
  for (uint32_t i = 0; i < vm->log.writes.count; i++) {
    const latch_written *write = &writes[i];
    if (write->entry != 0 || write->is_told || nodes[write->node].node != vm->root) continue;
    if (write->key.tag == LATCH_TAG_STRING) {
      latch_touch_field(vm, write->key.text, write->key.length);
    }
  }
}
