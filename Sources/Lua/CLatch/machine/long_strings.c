/// The long strings that a VM holds, which make the hook be called more often (instruction_cost.c).

#include <stdlib.h>

#include "machine/machine.h"

/// The lengths from which a string makes the hook be called more often.
enum { LATCH_LONG_STRING = 4 << 10, LATCH_HUGE_STRING = 256 << 10 };

void latch_note_string(latch_vm *vm, void *block, size_t size) {
  if (size < LATCH_LONG_STRING) return;
  vm->hook.has_long_strings = true;
  if (size >= LATCH_HUGE_STRING) {
    if (vm->huge_count == vm->huge_capacity) {
      size_t capacity = vm->huge_capacity == 0 ? 16 : 2 * vm->huge_capacity;
      void **moved = realloc(vm->huge, capacity * sizeof *moved);
      if (moved == NULL) {
        vm->hook.huge_uncounted = true;
      } else {
        vm->huge = moved;
        vm->huge_capacity = capacity;
      }
    }
    if (vm->huge_count < vm->huge_capacity) vm->huge[vm->huge_count++] = block;
  }
  if (vm->run.thread != NULL) latch_shorten_period(vm, vm->run.current);
}

void latch_forget_string(latch_vm *vm, const void *block, size_t size) {
  if (size < LATCH_HUGE_STRING) return;
  for (size_t i = 0; i < vm->huge_count; i++) {
    if (vm->huge[i] != block) continue;
    vm->huge[i] = vm->huge[--vm->huge_count];
    return;
  }
}
