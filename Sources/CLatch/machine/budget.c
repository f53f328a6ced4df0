/// The instruction budget of what runs: what is given to whom, and taken off where it is a part of
/// something else. What counts the instructions is the hook (hook.c).

#include "machine/machine.h"

// MARK: Grants

/// How a grant stands to what it was given in: nothing is around the outermost.
enum { OUTERMOST, OWN, PART, INHERITED };

static inline void grant_anew(latch_vm *vm, int64_t budget) {
  vm->grant = ++vm->grants;
  vm->budget = vm->granted = vm->most_instructions = budget;
}

static inline void count_used(latch_vm *vm, int64_t used) {
  vm->total += used;
  vm->last_used = used;
}

void latch_open_grant(
  latch_vm *vm, latch_grant *outside, latch_phase phase, int64_t budget, bool apart) {
  bool counts = budget != LATCH_UNCOUNTED, is_part = vm->surrounding == LATCH_IN_WORK && !apart;
  outside->budget = vm->budget;
  outside->granted = vm->granted;
  outside->most_instructions = vm->most_instructions;
  outside->number = vm->grant;
  outside->surrounding = (uint8_t)vm->surrounding;
  outside->share = OWN;
  outside->inherits = false;
  if (counts && (budget < 1 || (is_part && vm->budget <= budget))) {
    outside->share = INHERITED;
  } else {
    uint32_t number = vm->grant;
    grant_anew(vm, counts ? budget : INT64_MAX);
    if (counts && is_part) {
      outside->share = PART;
      vm->grant = number;
    }
  }
  if (budget != 0 || vm->surrounding != LATCH_IN_NOTHING) {
    vm->surrounding = phase == LATCH_SCRIPT ? LATCH_IN_SCRIPT : LATCH_IN_WORK;
  }
}

void latch_close_grant(latch_vm *vm, const latch_grant *outside) {
  vm->surrounding = outside->surrounding;
  if (outside->share == INHERITED) return;
  int64_t used = vm->granted - vm->budget;
  if (outside->share == OWN) count_used(vm, used);
  vm->budget = outside->share == PART ? outside->budget - used : outside->budget;
  vm->granted = outside->granted;
  vm->most_instructions = outside->most_instructions;
  vm->grant = outside->number;
}

/// The piece of work that has nothing around it: a dispatch, most of the time.
static inline void begin_outermost(latch_vm *vm, latch_phase phase, int64_t budget) {
  latch_mark_work(vm, phase);
  vm->works = 1;
  vm->outside[0].share = OUTERMOST;
  vm->outside[0].inherits = false;
  vm->surrounding = LATCH_IN_WORK;
  grant_anew(vm, budget);
}

static inline void end_outermost(latch_vm *vm) {
  vm->works = 0;
  vm->surrounding = LATCH_IN_NOTHING;
  count_used(vm, vm->granted - vm->budget);
  latch_mark_progress(vm, false);
}

__attribute__((noinline)) static void begin_inside(
  latch_vm *vm, latch_phase phase, int64_t budget, bool apart) {
  if (!latch_is_at_work(vm)) latch_mark_work(vm, phase);
  if (vm->works++ >= LATCH_MAX_WORKS) return;  // so deep inside others it goes on with theirs
  latch_grant *outside = &vm->outside[vm->works - 1];
  outside->inherits = !apart && latch_inherits(vm, phase, budget);
  if (!outside->inherits) latch_open_grant(vm, outside, phase, budget, apart);
}

__attribute__((noinline)) static void end_inside(latch_vm *vm) {
  uint32_t last = --vm->works;
  if (last < LATCH_MAX_WORKS && !vm->outside[last].inherits) {
    latch_close_grant(vm, &vm->outside[last]);
  }
  if (!latch_is_at_work(vm)) latch_mark_progress(vm, false);
}

void latch_begin_work(latch_vm *vm, latch_phase phase, int64_t budget, bool apart) {
  if (!latch_is_at_work(vm) && budget > 0) begin_outermost(vm, phase, budget);
  else begin_inside(vm, phase, budget, apart);
}

void latch_end_work(latch_vm *vm) {
  if (vm->works == 1 && vm->outside[0].share == OUTERMOST && !vm->outside[0].inherits) {
    end_outermost(vm);
  } else {
    end_inside(vm);
  }
}

void latch_spend(latch_vm *vm, int64_t instructions) {
  if (latch_is_at_work(vm)) latch_take_off(vm, instructions);
  else vm->total += instructions;
}

bool latch_must_end(const latch_vm *vm) {
  return atomic_load_explicit(&vm->interrupt, memory_order_relaxed) || latch_is_overdue(vm);
}

// MARK: Numbers that are texts

void latch_interrupt(latch_vm *vm) { atomic_store(&vm->interrupt, true); }
void latch_clear_interrupt(latch_vm *vm) { atomic_store(&vm->interrupt, false); }

int64_t latch_instructions_total(const latch_vm *vm) { return vm->total; }
int64_t latch_instructions_used(const latch_vm *vm) { return vm->last_used; }
