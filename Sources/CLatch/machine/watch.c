/// What runs in which VM, for whoever watches the time from another thread.
///
/// A VM counts every beginning and every end of a run: what has not moved on since somebody looked
/// is the same run. A request to end names that count, so that it never ends another one.

#include <pthread.h>

#include "machine/machine.h"

static struct {
  pthread_mutex_t lock;
  latch_vm *first;
  uint64_t opened;
} vms = {PTHREAD_MUTEX_INITIALIZER, NULL, 0};

/// How the count, the phase and whether anything runs stand in one word.
enum { RUNS = 1, PHASE_SHIFT = 1, PHASES = 15, COUNT_SHIFT = 8 };

void latch_watch(latch_vm *vm) {
  pthread_mutex_lock(&vms.lock);
  vm->number = ++vms.opened;
  vm->next_open = vms.first;
  if (vms.first != NULL) vms.first->previous_open = vm;
  vms.first = vm;
  pthread_mutex_unlock(&vms.lock);
}

void latch_unwatch(latch_vm *vm) {
  pthread_mutex_lock(&vms.lock);
  if (vm->next_open != NULL) vm->next_open->previous_open = vm->previous_open;
  if (vm->previous_open != NULL) vm->previous_open->next_open = vm->next_open;
  else vms.first = vm->next_open;
  pthread_mutex_unlock(&vms.lock);
}

static inline void mark(latch_vm *vm, latch_phase phase, bool runs) {
  uint64_t count = atomic_load_explicit(&vm->progress, memory_order_relaxed) >> COUNT_SHIFT;
  uint64_t word = (count + 1) << COUNT_SHIFT | (uint64_t)phase << PHASE_SHIFT | (runs ? RUNS : 0);
  atomic_store_explicit(&vm->progress, word, memory_order_relaxed);
}

void latch_mark_progress(latch_vm *vm, bool runs) { mark(vm, vm->phase, runs); }
void latch_mark_work(latch_vm *vm, latch_phase phase) { mark(vm, phase, true); }

bool latch_is_overdue(const latch_vm *vm) {
  uint64_t overdue = atomic_load_explicit(&vm->overdue, memory_order_relaxed);
  return overdue != 0 && overdue == atomic_load_explicit(&vm->progress, memory_order_relaxed);
}

bool latch_must_end(const latch_vm *vm) {
  return atomic_load_explicit(&vm->interrupt, memory_order_relaxed) || latch_is_overdue(vm);
}

void latch_interrupt(latch_vm *vm) { atomic_store(&vm->interrupt, true); }
void latch_clear_interrupt(latch_vm *vm) { atomic_store(&vm->interrupt, false); }

uint64_t latch_number(const latch_vm *vm) { return vm->number; }

bool latch_is_open(uint64_t number) {
  bool found = false;
  pthread_mutex_lock(&vms.lock);
  for (latch_vm *vm = vms.first; vm != NULL && !found; vm = vm->next_open) {
    found = vm->number == number;
  }
  pthread_mutex_unlock(&vms.lock);
  return found;
}

size_t latch_runs_under_way(latch_run_under_way *runs, size_t capacity) {
  size_t count = 0;
  pthread_mutex_lock(&vms.lock);
  for (latch_vm *vm = vms.first; vm != NULL && count < capacity; vm = vm->next_open) {
    uint64_t word = atomic_load_explicit(&vm->progress, memory_order_relaxed);
    if (!(word & RUNS)) continue;
    runs[count++] =
      (latch_run_under_way){vm->number, word, (latch_phase)(word >> PHASE_SHIFT & PHASES)};
  }
  pthread_mutex_unlock(&vms.lock);
  return count;
}

void latch_end_run(latch_run_under_way run) {
  pthread_mutex_lock(&vms.lock);
  for (latch_vm *vm = vms.first; vm != NULL; vm = vm->next_open) {
    if (vm->number != run.vm) continue;
    atomic_store_explicit(&vm->overdue, run.progress, memory_order_relaxed);
  }
  pthread_mutex_unlock(&vms.lock);
}
