/// The work that Lua does besides when it asks for a block.
///
/// To insert a key into a hash that is full, Lua counts what the table's array holds, and inserts
/// all keys of the hash anew; a function with many upvalues looks for each among all others. The
/// size of the block tells, and the table is found by the instruction under way. Neither waits for
/// the hook: such an instruction may be repeated hundreds of times until that comes by.

#include "machine/machine.h"

enum { LATCH_SLOT = sizeof(lua_slot_part), LATCH_FEW_ELEMENTS = 1024 };

/// So many elements are counted, and slots looked at in vain, for one instruction.
enum { LATCH_COUNTED_PER_INSTRUCTION = 64, LATCH_PROBES_PER_INSTRUCTION = 32 };

/// A function of no more upvalues costs nothing extra; of more, so much of their square is one
/// instruction.
enum { LATCH_FEW_UPVALUES = 32, LATCH_PAIRS_PER_INSTRUCTION = 128, LATCH_LUA_FUNCTION = 32 };

/// Of a function of C so many arguments, and values on top, may be the table that grows.
enum { LATCH_LIKELY_TABLES = 8 };

/// Takes it off. False: that was more than is left.
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

/// The cost of giving the table a hash of so many slots.
static uint64_t rehash_cost(latch_vm *vm, const void *table, size_t slots) {
  uint64_t elements = latch_array_limit(table), cost = 0;
  if (elements > LATCH_FEW_ELEMENTS) cost += elements / LATCH_COUNTED_PER_INSTRUCTION;
  uint64_t probes = latch_insertion_probes(table, (uint32_t)slots);
  // By chance some keys belong where others do.
  if (probes > 4 * (uint64_t)latch_hash_slots(table)) {
    cost += probes / LATCH_PROBES_PER_INSTRUCTION;
    latch_note_probes(vm, probes / latch_hash_slots(table));
  }
  return cost;
}

/// The same of a value that may be that table: it is full, and the new hash is about as large.
static uint64_t likely_cost(latch_vm *vm, const latch_cell *cell, size_t slots) {
  if (cell->type != LATCH_CELL_TABLE) return 0;
  const lua_table_part *table = cell->object;
  bool is_likely = table->last_free == table->slots && slots >= latch_hash_slots(table) / 16;
  return is_likely ? rehash_cost(vm, table, slots) : 0;
}

/// A function of C works on one of its arguments, or on what it has pushed.
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
