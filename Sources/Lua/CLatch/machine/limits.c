/// The limits other than instructions and memory, and the space on Lua's stack.

#include "machine/machine.h"

void latch_set_limits(latch_vm *vm, latch_limits limits) {
  if (limits.nesting > LATCH_DEEPEST_NESTING) limits.nesting = LATCH_DEEPEST_NESTING;
  if (limits.nesting < LATCH_LEAST_NESTING) limits.nesting = LATCH_LEAST_NESTING;
  vm->limits = limits;
  if (limits.milliseconds > 0) latch_watch_time(limits.milliseconds);
  vm->state_bound = limits.state;  // not known yet: the next change makes the state be measured
}

void latch_check_stack(lua_State *L, int count, const char *what) {
  unsigned before = latch_of(L)->memory.refused;
  if (lua_checkstack(L, count)) return;
  if (latch_of(L)->memory.refused != before) latch_raise_no_memory(L);
  if (what == NULL) luaL_error(L, "stack overflow");
  else luaL_error(L, "stack overflow (%s)", what);
}

void latch_set_memory_limit(latch_vm *vm, size_t bytes) {
  vm->memory.limit = bytes;
  // A script that fills the memory with blocks of one size after another leaves slabs behind that
  // hold little: they are limited too.
  vm->memory.blocks.most = bytes + bytes / 2;
  // Buffers that a script can make large outside of Lua's memory: patches, arguments, values,
  // failures. Every buffer has a maximum.
  latch_buffer *large[] = {&vm->out, &vm->reply, &vm->arguments, &vm->scratch, &vm->patch,
    &vm->log.paths, &vm->log.pieces, &vm->log.fillings};
  for (size_t i = 0; i < sizeof large / sizeof *large; i++) large[i]->most = bytes;
  latch_buffer *small[] = {&vm->payload, &vm->reason, &vm->failure.message, &vm->failure.chunk,
    &vm->failure.traceback, &vm->failure.value};
  for (size_t i = 0; i < sizeof small / sizeof *small; i++)
    small[i]->most = 2 * LATCH_LONGEST_MESSAGE;
  vm->failure.value.most = LATCH_LONGEST_MESSAGE;
}
