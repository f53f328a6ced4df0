/// The runs in all VMs, for a thread that watches their time.
///
/// A VM counts every beginning and every end of a run: while the count is the same, so is the run.
/// A request to end a run names that count, so it never ends another one.
///
/// Runs with a limit of time are watched by a thread of this file. It reads the processor time of
/// their threads: a run that waits, or whose thread the system does not schedule, uses none. A run
/// that has used too much ends at its next instruction, not at the next call of the count hook,
/// since this is for instructions that take much longer than they are charged for.

#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach/mach.h>
#else
#include <sys/syscall.h>
#endif

#include "machine/machine.h"

static struct {
  pthread_mutex_t lock;
  latch_vm *first;
  uint64_t opened;
} vms = {PTHREAD_MUTEX_INITIALIZER, NULL, 0};

/// The layout of the count, the phase and the flag for a current run in one word.
enum { RUNS = 1, PHASE_SHIFT = 1, PHASES = 15, COUNT_SHIFT = 8 };

enum { NANOSECONDS_PER_SECOND = 1000 * 1000 * 1000, NANOSECONDS_PER_MILLISECOND = 1000 * 1000 };

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

// MARK: The processor time of a thread

#ifdef __APPLE__
static uint32_t this_thread(void) { return pthread_mach_thread_np(pthread_self()); }

static int64_t nanoseconds_of(uint32_t thread) {
  thread_basic_info_data_t info;
  mach_msg_type_number_t count = THREAD_BASIC_INFO_COUNT;
  if (thread_info(thread, THREAD_BASIC_INFO, (thread_info_t)&info, &count) != KERN_SUCCESS)
    return -1;
  int64_t seconds = (int64_t)info.user_time.seconds + info.system_time.seconds;
  int64_t microseconds = (int64_t)info.user_time.microseconds + info.system_time.microseconds;
  return seconds * NANOSECONDS_PER_SECOND + microseconds * 1000;
}
#else
static uint32_t this_thread(void) {
  static _Thread_local uint32_t number = 0;
  if (number == 0) number = (uint32_t)syscall(SYS_gettid);
  return number;
}

/// Returns -1 for a thread that has ended. The number of its clock is made as in the sources of
/// clock_getcpuclockid(3): the two low bits are the kind, the third marks a clock of a thread.
static int64_t nanoseconds_of(uint32_t thread) {
  enum { SCHEDULED = 2, OF_THREAD = 4 };
  struct timespec time;
  if (clock_gettime((clockid_t)(~thread << 3 | OF_THREAD | SCHEDULED), &time) != 0) return -1;
  return (int64_t)time.tv_sec * NANOSECONDS_PER_SECOND + time.tv_nsec;
}
#endif

/// The thread in the low half, the limit in the high one.
static inline uint64_t clock_of(const latch_vm *vm) {
  uint64_t limit = vm->watch.untimed > 0 ? 0 : vm->limits.milliseconds;
  return limit == 0 ? 0 : limit << 32 | this_thread();
}

// MARK: What runs

static inline void mark(latch_vm *vm, latch_phase phase, bool runs) {
  uint64_t count = atomic_load_explicit(&vm->watch.progress, memory_order_relaxed) >> COUNT_SHIFT;
  uint64_t word = (count + 1) << COUNT_SHIFT | (uint64_t)phase << PHASE_SHIFT | (runs ? RUNS : 0);
  if (runs) atomic_store_explicit(&vm->watch.clock, clock_of(vm), memory_order_relaxed);
  atomic_store_explicit(&vm->watch.progress, word, memory_order_release);
}

void latch_mark_progress(latch_vm *vm, bool runs) { mark(vm, vm->phase, runs); }
void latch_mark_work(latch_vm *vm, latch_phase phase) { mark(vm, phase, true); }

bool latch_is_overdue(const latch_vm *vm) {
  uint64_t overdue = atomic_load_explicit(&vm->watch.overdue, memory_order_relaxed);
  return overdue != 0 && overdue == atomic_load_explicit(&vm->watch.progress, memory_order_relaxed);
}

bool latch_is_over_time(const latch_vm *vm) {
  return atomic_load_explicit(&vm->watch.is_over_time, memory_order_relaxed);
}

bool latch_must_end(const latch_vm *vm) {
  return atomic_load_explicit(&vm->interrupt, memory_order_relaxed) || latch_is_overdue(vm);
}

void latch_interrupt(latch_vm *vm) { atomic_store(&vm->interrupt, true); }

/// Also if another watch of the time has asked for it.
void latch_clear_interrupt(latch_vm *vm) {
  atomic_store(&vm->interrupt, false);
  if (latch_is_overdue(vm)) latch_mark_progress(vm, true);
}

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

// MARK: Ending what runs

/// Makes the count hook be called at the next instruction of the current run.
///
/// The running coroutine may end meanwhile, but its memory stays in place: code that would reuse
/// the memory waits first (latch_await_watch), and the running coroutine is looked up only after
/// that is known. A write may get lost, since the thread counts itself: the watch repeats it.
__attribute__((no_sanitize("thread"))) static void push(latch_vm *vm) {
  atomic_store(&vm->watch.is_pushing, true);
  atomic_thread_fence(memory_order_seq_cst);
  lua_State *running = __atomic_load_n(&vm->run.thread, __ATOMIC_ACQUIRE);
  lua_State *current = __atomic_load_n(&vm->run.current, __ATOMIC_ACQUIRE);
  if (latch_is_overdue(vm) && running != NULL && current != NULL) latch_set_count_left(current, 1);
  atomic_store(&vm->watch.is_pushing, false);
}

void latch_await_watch(latch_vm *vm) {
  atomic_thread_fence(memory_order_seq_cst);
  while (atomic_load(&vm->watch.is_pushing)) continue;
}

static void end(latch_vm *vm, uint64_t progress, bool is_over_time) {
  atomic_store_explicit(&vm->watch.is_over_time, is_over_time, memory_order_relaxed);
  atomic_store_explicit(&vm->watch.overdue, progress, memory_order_release);
  push(vm);
}

void latch_end_run(latch_run_under_way run) {
  pthread_mutex_lock(&vms.lock);
  for (latch_vm *vm = vms.first; vm != NULL; vm = vm->watch.next) {
    if (vm->watch.number == run.vm) end(vm, run.progress, false);
  }
  pthread_mutex_unlock(&vms.lock);
}

void latch_begin_untimed(latch_vm *vm) { vm->watch.untimed++; }
void latch_end_untimed(latch_vm *vm) { vm->watch.untimed--; }

// MARK: The limit of time

/// The smallest limit of a VM so far, in milliseconds.
static atomic_uint least_limit = UINT_MAX;

/// The number of looks per limit, and the longest time between two.
enum { LOOKS_PER_LIMIT = 20, LONGEST_PAUSE = 250 };

/// Looks at a VM; returns true if it was asked to end, and still runs.
static bool look(latch_vm *vm) {
  uint64_t progress = atomic_load_explicit(&vm->watch.progress, memory_order_acquire);
  if (!(progress & RUNS)) return false;
  if (latch_is_overdue(vm)) {
    push(vm);
    return true;
  }
  uint64_t clock = atomic_load_explicit(&vm->watch.clock, memory_order_relaxed);
  if (clock == 0) return false;
  int64_t now = nanoseconds_of((uint32_t)clock);
  if (vm->watch.first_look.progress != progress) {
    vm->watch.first_look.progress = progress;
    vm->watch.first_look.nanoseconds = now;
  } else if (now - vm->watch.first_look.nanoseconds >=
             (int64_t)(clock >> 32) * NANOSECONDS_PER_MILLISECOND) {
    end(vm, progress, true);
    return true;
  }
  return false;
}

static bool look_at_all(void) {
  bool waits = false;
  pthread_mutex_lock(&vms.lock);
  for (latch_vm *vm = vms.first; vm != NULL; vm = vm->watch.next) waits |= look(vm);
  pthread_mutex_unlock(&vms.lock);
  return waits;
}

static void *look_again_and_again(void *unused) {
  (void)unused;
  while (true) {
    unsigned pause = atomic_load(&least_limit) / LOOKS_PER_LIMIT;
    if (pause > LONGEST_PAUSE) pause = LONGEST_PAUSE;
    bool waits = look_at_all();
    if (waits || pause < 1) pause = 1;
    usleep(pause * 1000);
  }
  return NULL;
}

/// Runs in a thread on which no signal of the process is handled.
static void start(void) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  if (pthread_create(&thread, NULL, look_again_and_again, NULL) == 0) pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void latch_watch_time(uint32_t milliseconds) {
  unsigned least = atomic_load(&least_limit);
  while (
    milliseconds < least && !atomic_compare_exchange_weak(&least_limit, &least, milliseconds)) {
    continue;
  }
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, start);
}
