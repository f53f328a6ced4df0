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
  vm->watch.number = ++vms.opened;
  vm->watch.next = vms.first;
  if (vms.first != NULL) vms.first->watch.previous = vm;
  vms.first = vm;
  pthread_mutex_unlock(&vms.lock);
}

void latch_unwatch(latch_vm *vm) {
  pthread_mutex_lock(&vms.lock);
  if (vm->watch.next != NULL) vm->watch.next->watch.previous = vm->watch.previous;
  if (vm->watch.previous != NULL) vm->watch.previous->watch.next = vm->watch.next;
  else vms.first = vm->watch.next;
  pthread_mutex_unlock(&vms.lock);
}

static inline void mark(latch_vm *vm, latch_phase phase, bool runs) {
  uint64_t count = atomic_load_explicit(&vm->watch.progress, memory_order_relaxed) >> COUNT_SHIFT;
  uint64_t word = (count + 1) << COUNT_SHIFT | (uint64_t)phase << PHASE_SHIFT | (runs ? RUNS : 0);
  atomic_store_explicit(&vm->watch.progress, word, memory_order_relaxed);
}

void latch_mark_progress(latch_vm *vm, bool runs) { mark(vm, vm->phase, runs); }
void latch_mark_work(latch_vm *vm, latch_phase phase) { mark(vm, phase, true); }

bool latch_is_overdue(const latch_vm *vm) {
  uint64_t overdue = atomic_load_explicit(&vm->watch.overdue, memory_order_relaxed);
  return overdue != 0 && overdue == atomic_load_explicit(&vm->watch.progress, memory_order_relaxed);
}

bool latch_must_end(const latch_vm *vm) {
  return atomic_load_explicit(&vm->interrupt, memory_order_relaxed) || latch_is_overdue(vm);
}

void latch_interrupt(latch_vm *vm) { atomic_store(&vm->interrupt, true); }
void latch_clear_interrupt(latch_vm *vm) { atomic_store(&vm->interrupt, false); }

uint64_t latch_number(const latch_vm *vm) { return vm->watch.number; }

bool latch_is_open(uint64_t number) {
  bool found = false;
  pthread_mutex_lock(&vms.lock);
  for (latch_vm *vm = vms.first; vm != NULL && !found; vm = vm->watch.next) {
    found = vm->watch.number == number;
  }
  pthread_mutex_unlock(&vms.lock);
  return found;
}

size_t latch_runs_under_way(latch_run_under_way *runs, size_t capacity) {
  size_t count = 0;
  pthread_mutex_lock(&vms.lock);
  for (latch_vm *vm = vms.first; vm != NULL && count < capacity; vm = vm->watch.next) {
    uint64_t word = atomic_load_explicit(&vm->watch.progress, memory_order_relaxed);
    if (!(word & RUNS)) continue;
    runs[count++] =
      (latch_run_under_way){vm->watch.number, word, (latch_phase)(word >> PHASE_SHIFT & PHASES)};
  }
  pthread_mutex_unlock(&vms.lock);
  return count;
}

void latch_end_run(latch_run_under_way run) {
  pthread_mutex_lock(&vms.lock);
  for (latch_vm *vm = vms.first; vm != NULL; vm = vm->watch.next) {
    if (vm->watch.number != run.vm) continue;
    atomic_store_explicit(&vm->watch.overdue, run.progress, memory_order_relaxed);
  }
  pthread_mutex_unlock(&vms.lock);
}
