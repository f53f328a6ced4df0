/// Charges for the work that Lua does when it requests a block.
///
/// To insert a key into a full hash, Lua counts the elements of the table's array, and inserts all
/// keys of the hash again; a function with many upvalues searches all others for each of them. The
/// size of the block shows such work, and the table is found by the current instruction. This does
/// not wait for the hook: such an instruction may be repeated hundreds of times until the hook is
/// called.

#include "machine/machine.h"

enum { LATCH_SLOT = sizeof(lua_slot_part), LATCH_FEW_ELEMENTS = 1024 };

/// The number of counted elements, and of slots probed in vain, that cost one instruction.
enum { LATCH_COUNTED_PER_INSTRUCTION = 64, LATCH_PROBES_PER_INSTRUCTION = 32 };

/// A function with no more upvalues costs nothing extra; with more, this part of their square is
/// one instruction.
enum { LATCH_FEW_UPVALUES = 32, LATCH_PAIRS_PER_INSTRUCTION = 128, LATCH_LUA_FUNCTION = 32 };

/// The arguments of a C function, and values on top of its stack, that may be the table that grows.
enum { LATCH_LIKELY_TABLES = 8 };

/// Takes the cost off the budget. Returns false if that was more than what is left.
static bool spend(latch_vm *vm, uint64_t instructions) {
  if (instructions == 0) return true;
  latch_spend(vm, instructions < INT64_MAX / 2 ? (int64_t)instructions : INT64_MAX / 2);
  if (vm->budget.left >= 0) return true;
  latch_kill(vm, vm->run.current, LATCH_OUT_OF_INSTRUCTIONS);
  return false;
}

// MARK: Functions

void latch_charge_closure(latch_vm *vm, size_t size) {
  size_t upvalues = (size - LATCH_LUA_FUNCTION) / sizeof(void *);
  if (vm->run.thread == NULL || size < LATCH_LUA_FUNCTION || upvalues <= LATCH_FEW_UPVALUES) return;
  spend(vm, upvalues * upvalues / LATCH_PAIRS_PER_INSTRUCTION);
}

// MARK: Tables

static bool is_hash(size_t size) {
  size_t slots = size / LATCH_SLOT;
  return size % LATCH_SLOT == 0 && (slots & (slots - 1)) == 0;
}

/// The cost of giving the table a hash with so many slots.
static uint64_t rehash_cost(latch_vm *vm, const void *table, size_t slots) {
  uint64_t elements = latch_array_limit(table), cost = 0;
  if (elements > LATCH_FEW_ELEMENTS) cost += elements / LATCH_COUNTED_PER_INSTRUCTION;
  uint64_t probes = latch_insertion_probes(table, (uint32_t)slots);
  // By chance some keys have the main position of others.
  if (probes > 4 * (uint64_t)latch_hash_slots(table)) {
    cost += probes / LATCH_PROBES_PER_INSTRUCTION;
    latch_note_probes(vm, probes / latch_hash_slots(table));
  }
  return cost;
}

/// The same for a value that may be that table: it is full, and the new hash has about its size.
static uint64_t likely_cost(latch_vm *vm, const latch_cell *cell, size_t slots) {
  if (cell->type != LATCH_CELL_TABLE) return 0;
  const lua_table_part *table = cell->object;
  bool is_likely = table->last_free == table->slots && slots >= latch_hash_slots(table) / 16;
  return is_likely ? rehash_cost(vm, table, slots) : 0;
}

/// A C function works on one of its arguments, or on a value that it has pushed.
static uint64_t cost_in_c(latch_vm *vm, const latch_frame *frame, size_t slots) {
  uint64_t most = 0;
  for (size_t i = 0; i < frame->count; i++) {
    if (i == LATCH_LIKELY_TABLES && frame->count > 2 * LATCH_LIKELY_TABLES) {
      i = frame->count - LATCH_LIKELY_TABLES;
    }
    uint64_t cost = likely_cost(vm, &frame->registers[i], slots);
    if (cost > most) most = cost;
  }
  return most;
}

bool latch_charge_rehash(latch_vm *vm, size_t size) {
  if (vm->run.thread == NULL || vm->unlimited > 0 || !is_hash(size)) return true;
  latch_frame frame = latch_running_frame(vm->run.current);
  size_t slots = size / LATCH_SLOT;
  if (frame.function == NULL) return spend(vm, cost_in_c(vm, &frame, slots));
  const void *table = latch_assigned_table(&frame, vm->newindex_name);
  return table == NULL || spend(vm, rehash_cost(vm, table, slots));
}
