/// The log of a transition: how often its arrays are made, and when they are given back.

#include <stdio.h>
#include <string.h>

#include "core.h"

enum { PLENTY = 1 << 20 };

static const latch_run LONG = {LATCH_REDUCER, 100000000};

/// A flow with a list of so many elements, in which `host.write_all` writes to each and `host.write_one` to
/// one.
static latch_vm *open_list(int count, size_t limit) {
  char text[1024];
  snprintf(text, sizeof text,
    "local list, texts = {}, {}\n"
    "for i = 1, %d do list[i] = i texts[i] = 'a' end\n"
    "host.declare_state { list = list, texts = texts, last = 'a' }\n"
    "function host.write_all(s)\n"
    "  local list, texts = s.list, s.texts\n"
    "  local text = s.last == 'a' and 'b' or 'a'\n"
    "  s.last = text\n"
    "  for i = 1, #list do list[i] = list[i] + 1 texts[i] = text end\n"
    "end\n"
    "function host.write_one(s) s.list[1] = 0 end\n", count);
  return open_flow(text, limit);
}

/// How many blocks are allocated in a transition by that reducer.
static long allocations(latch_vm *vm, const char *name) {
  latch_ref reducer = function(vm, name);
  latch_bytes patch;
  countdown = PLENTY;
  latch_begin(vm);
  CHECK(latch_call_reducer(vm, reducer, LONG) == LATCH_OK);
  CHECK(latch_promote(vm) == LATCH_OK);
  CHECK(latch_end_transaction(vm, &patch) == LATCH_OK);
  long made = PLENTY - countdown;
  countdown = -1;
  latch_release(vm, reducer);
  return made;
}

static void transitions_of_a_size_make_the_log_once(void) {
  long made[3];
  const int counts[] = {200, 2000, 20000};
  for (int i = 0; i < 3; i++) {
    latch_vm *vm = open_list(counts[i], 0);
    allocations(vm, "write_all");
    allocations(vm, "write_all");
    made[i] = allocations(vm, "write_all");
    allocations(vm, "write_one");
    CHECK(allocations(vm, "write_all") == made[i]);
    latch_close(vm);
  }
  CHECK(made[1] == made[0]);
  CHECK(made[2] == made[0]);
}

static void a_large_log_that_is_not_needed_is_given_back(void) {
  latch_vm *vm = open_list(20000, 0);
  for (int i = 0; i < 100; i++) allocations(vm, "write_one");
  size_t before = vm->aside;
  allocations(vm, "write_all");
  CHECK(vm->aside > before + 20000);
  for (int i = 0; i < 100; i++) allocations(vm, "write_one");
  CHECK(vm->aside <= before);
  latch_close(vm);
}

static void a_log_takes_a_small_part_of_the_memory_between_transitions(void) {
  enum { LIMIT = 16 << 20 };
  latch_vm *vm = open_list(20000, LIMIT);
  CHECK(vm != NULL);
  allocations(vm, "write_all");
  CHECK(vm->aside <= LIMIT / 8);
  latch_close(vm);
}

int main(void) {
  RUN(transitions_of_a_size_make_the_log_once());
  RUN(a_large_log_that_is_not_needed_is_given_back());
  RUN(a_log_takes_a_small_part_of_the_memory_between_transitions());
  return finish("log");
}
