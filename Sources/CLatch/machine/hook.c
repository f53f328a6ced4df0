/// The count hook, which ends what has used its budget.
///
/// When the budget is spent the hook yields, which freezes the coroutine for good without running
/// any more of the script: no handler, no `__close`. Where it cannot yield (a comparator, a
/// metamethod called from C) it raises, and so does every following instruction until a frame is
/// reached that can yield or the run ends. Protected calls of scripts pass the error on (pcall.c).
///
/// The hook is set anew for each run, so that the count starts from the same point every time: a
/// script ends at the same instruction in every process.

#include <stdio.h>
#include <string.h>

#include "machine/machine.h"

/// From which length of a text on an error is charged for what looking for names in it takes.
enum { LATCH_LONG_TEXT = 64 << 10, LATCH_TEXT_PER_INSTRUCTION = 16 };

/// So many extra arguments (`...`) cost nothing extra.
enum { LATCH_FEW_ARGUMENTS = 64 };

static void note_place(latch_vm *vm, lua_State *L) {
  lua_Debug frame;
  for (int level = 0; lua_getstack(L, level, &frame); level++) {
    lua_getinfo(L, "Sl", &frame);
    if (frame.currentline < 1 || strcmp(frame.source, LATCH_PRELUDE_CHUNK) == 0) continue;
    snprintf(vm->end_chunk, sizeof vm->end_chunk, "%s", latch_chunk_name(frame.source));
    vm->end_line = frame.currentline;
    return;
  }
}

static bool has_extra_argument(lua_State *L, lua_Debug *frame, int number) {
  if (lua_getlocal(L, frame, -number) == NULL) return false;
  lua_pop(L, 1);
  return true;
}

/// How many extra arguments the function that runs has; 0 for few.
static int extra_arguments(lua_State *L, lua_Debug *frame) {
  int least = LATCH_FEW_ARGUMENTS;
  if (!has_extra_argument(L, frame, least)) return 0;
  int most = 2 * least;
  while (has_extra_argument(L, frame, most)) most *= 2;
  while (most - least > 1) {
    int middle = least + (most - least) / 2;
    *(has_extra_argument(L, frame, middle) ? &least : &most) = middle;
  }
  return least;
}

latch_end latch_reason_to_end(const latch_vm *vm) {
  if (atomic_load_explicit(&vm->interrupt, memory_order_relaxed)) return LATCH_INTERRUPTED;
  if (latch_is_overdue(vm)) return LATCH_OUT_OF_TIME;
  if (latch_is_out_of_stack(vm)) return LATCH_OUT_OF_STACK;
  return vm->budget < 0 ? LATCH_OUT_OF_INSTRUCTIONS : LATCH_ALIVE;
}

static void on_count(lua_State *L, lua_Debug *frame) {
  latch_vm *vm = latch_of(L);
  vm->grown_stack = 0;
  vm->stack_has_grown = false;
  if (frame->event == LUA_HOOKLINE) {
    latch_note_line(vm, L, frame);
    return;
  }
  if (vm->end == LATCH_ALIVE) {
    // Lua copies all of `...` in one instruction, and such instructions may follow each other.
    int64_t copied = extra_arguments(L, frame) / LATCH_UNITS_PER_INSTRUCTION;
    // A coroutine that waited meanwhile may still count in a longer period than the VM's.
    int64_t period = lua_gethookcount(L);
    uint64_t units = latch_instruction_units(L, frame, period);
    latch_take_off(vm, period * (1 + copied + (int64_t)(units / LATCH_UNITS_PER_INSTRUCTION)));
    latch_shorten_period(vm, L);
    if (period < vm->period) lua_sethook(L, on_count, lua_gethookmask(L), vm->period);
    latch_end end = latch_reason_to_end(vm);
    if (end != LATCH_ALIVE) latch_kill(vm, L, end);
  }
  if (vm->end == LATCH_ALIVE) return;
  if (vm->end_line == 0) note_place(vm, L);
  lua_sethook(L, on_count, LUA_MASKCOUNT, 1);
  if (lua_isyieldable(L)) {
    lua_yield(L, 0);
  } else {
    lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_KILLED);
    lua_error(L);
  }
}

void latch_start_budget(latch_vm *vm, lua_State *thread) {
  int period = latch_longest_period(vm);
  vm->period = vm->budget < period ? (vm->budget < 1 ? 1 : (int)vm->budget) : period;
  int mask = vm->covers ? LUA_MASKCOUNT | LUA_MASKLINE : LUA_MASKCOUNT;
  lua_sethook(thread, on_count, mask, vm->period);
}

void latch_count_anew(latch_vm *vm, lua_State *L) {
  if (vm->period == 0 || vm->end != LATCH_ALIVE) return;
  lua_sethook(L, on_count, lua_gethookmask(L) | LUA_MASKCOUNT, lua_gethookcount(L));
}

void latch_shorten_period(latch_vm *vm, lua_State *thread) {
  if (vm->period == 0 || vm->end != LATCH_ALIVE) return;
  int period = latch_longest_period(vm);
  if (period < vm->period) vm->period = period;
  if (vm->period < lua_gethookcount(thread)) {
    lua_sethook(thread, on_count, lua_gethookmask(thread) | LUA_MASKCOUNT, vm->period);
  }
}

void latch_look_at_next(lua_State *L) {
  lua_sethook(L, on_count, lua_gethookmask(L) | LUA_MASKCOUNT, 1);
}

void latch_kill(latch_vm *vm, lua_State *L, latch_end end) {
  if (vm->end != LATCH_ALIVE) return;
  vm->end = end;
  vm->end_line = 0;
  vm->end_chunk[0] = 0;
  // The allocator kills from inside an allocation, where the stack must not be looked at: there
  // the hook notes the place at the next instruction.
  lua_sethook(L, on_count, LUA_MASKCOUNT, 1);
}

bool latch_is_killed(lua_State *L) { return latch_of(L)->end != LATCH_ALIVE; }

bool latch_must_pass_on(lua_State *L, int status) {
  latch_vm *vm = latch_of(L);
  // To name the variable in its message, Lua looks at each instruction of the function before that
  // which has failed.
  if (vm->longest_text > LATCH_LONG_TEXT)
    latch_take_off(vm, (int64_t)(vm->longest_text / LATCH_TEXT_PER_INSTRUCTION));
  if (status == LUA_ERRMEM) latch_kill(vm, L, LATCH_OUT_OF_MEMORY);
  return vm->end != LATCH_ALIVE;
}

int latch_rekill(lua_State *L) {
  latch_vm *vm = latch_of(L);
  if (vm->end_line == 0) note_place(vm, L);
  lua_sethook(L, on_count, LUA_MASKCOUNT, 1);
  if (lua_isyieldable(L)) return lua_yield(L, 0);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_KILLED);
  return lua_error(L);
}
