/// The cost of finding the called function.
///
/// If a called value is a table, Lua looks for a function in its `__call`, in the `__call` of that
/// and so on. Each step moves all arguments and those that the steps before have added, so the
/// square of their number counts.

#include "machine/machine.h"

/// The additional cost of a step, the number of units that cost nothing extra, and the number of
/// steps after which the search counts as endless.
enum { LATCH_STEP_UNITS = 8, LATCH_FEW_UNITS = 64, LATCH_MOST_STEPS = 100000 };

typedef struct {
  latch_vm *vm;
  uint64_t units;
} latch_call_sum;

/// `steps` after the first.
static void add(latch_call_sum *sum, uint64_t steps, uint64_t arguments) {
  if (steps >= LATCH_MOST_STEPS) sum->units = LATCH_ENDLESS;
  if (sum->units == LATCH_ENDLESS) return;
  uint64_t moved = (steps + 1) * (arguments + 1 + steps / 2);
  if (moved > LATCH_FEW_UNITS) sum->units += moved + steps * LATCH_STEP_UNITS;
}

static void add_call(latch_call_sum *sum, const void *table, uint64_t arguments) {
  const void *call = sum->vm->event_names[LATCH_EVENT_CALL];
  add(sum, latch_links(table, call, LATCH_MOST_STEPS), arguments);
}

/// A metamethod may be a table too.
static void add_metamethod(
  latch_call_sum *sum, const void *table, const void *event, uint64_t arguments) {
  const void *called = latch_next_table(table, event);
  if (called != NULL) add_call(sum, called, arguments);
}

static void visit(void *context, const latch_cell *value, int event, size_t arguments) {
  latch_call_sum *sum = context;
  if (value->type != LATCH_CELL_TABLE) return;
  if (event < LATCH_EVENTS) {
    add_metamethod(sum, value->object, sum->vm->event_names[event], arguments);
    return;
  }
  if (latch_metatable_of(value->object) != NULL) {
    add_call(sum, value->object, arguments);
    if (event == LATCH_IN_C) {
      add_metamethod(sum, value->object, sum->vm->tostring_name, arguments);
      add_metamethod(sum, value->object, sum->vm->pairs_name, arguments);
    }
  }
  // No hook sees the look-ups of a C function.
  if (event == LATCH_IN_C && sum->units != LATCH_ENDLESS) sum->units += sum->vm->hook.most_probes;
}

uint64_t latch_call_units(latch_vm *vm, const latch_frame *frame) {
  latch_call_sum sum = {vm, latch_moved_values(frame)};
  if (sum.units <= LATCH_FEW_UNITS) sum.units = 0;
  latch_visit_callees(frame, visit, &sum);
  return sum.units;
}

uint64_t latch_metamethod_units(latch_vm *vm, const void *table, int event) {
  latch_call_sum sum = {vm, 0};
  if (vm->event_names[event] != NULL) add_metamethod(&sum, table, vm->event_names[event], 2);
  return sum.units;
}
