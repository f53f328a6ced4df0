/// The instruction budget of a run: a count hook, and charges for work done in C.
///
/// When the budget is spent the hook yields, which freezes the coroutine for good without running
/// any more of the script: no handler, no `__close`. Where it cannot yield (a comparator, a
/// metamethod called from C) it raises, and so does every following instruction until a frame is
/// reached that can yield or the run ends. Protected calls of scripts pass the error on (base.c).
///
/// The hook is set anew for each run, so that the count starts from the same point every time: a
/// script ends at the same instruction in every process.

#include <stdio.h>
#include <string.h>

#include "vm.h"

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

/// Takes off what was done: never so much that the number would run over.
static void spend(latch_vm *vm, int64_t instructions) {
  if (instructions <= vm->budget) vm->budget -= instructions;
  else if (vm->budget >= 0) vm->budget = -1;
}

void latch_spend(latch_vm *vm, int64_t instructions) {
  if (latch_is_at_work(vm)) spend(vm, instructions);
  else vm->total += instructions;
}

bool latch_must_end(const latch_vm *vm) {
  return atomic_load_explicit(&vm->interrupt, memory_order_relaxed) || latch_is_overdue(vm);
}

// MARK: The hook

static latch_end reason_to_end(const latch_vm *vm) {
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
    spend(vm, period * (1 + copied + (int64_t)(units / LATCH_UNITS_PER_INSTRUCTION)));
    latch_shorten_period(vm, L);
    if (period < vm->period) lua_sethook(L, on_count, lua_gethookmask(L), vm->period);
    latch_end end = reason_to_end(vm);
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

void latch_look_at_next(lua_State *L) { lua_sethook(L, on_count, lua_gethookmask(L) | LUA_MASKCOUNT, 1); }

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
  // To name the variable in its message, Lua looks at each instruction of the function before that which
  // has failed.
  if (vm->longest_text > LATCH_LONG_TEXT) spend(vm, (int64_t)(vm->longest_text / LATCH_TEXT_PER_INSTRUCTION));
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

void latch_charge_instructions(lua_State *L, int64_t instructions) {
  latch_vm *vm = latch_of(L);
  if (vm->running == NULL) return;  // the host's own work
  spend(vm, instructions);
  latch_end end = reason_to_end(vm);
  if (end != LATCH_ALIVE) latch_kill(vm, L, end);
  if (vm->end != LATCH_ALIVE) latch_rekill(L);
}

void latch_charge(lua_State *L, size_t units) {
  if (units >= LATCH_UNITS_PER_INSTRUCTION) {
    latch_charge_instructions(L, (int64_t)(units / LATCH_UNITS_PER_INSTRUCTION));
  }
}

// MARK: Numbers that are texts

static void charge_numeral(lua_State *L, int argument) {
  if (lua_type(L, argument) == LUA_TSTRING) latch_charge(L, lua_rawlen(L, argument));
}

void latch_charge_numerals(lua_State *L) {
  for (int i = lua_gettop(L); i > 0; i--) charge_numeral(L, i);
}

lua_Integer latch_check_integer(lua_State *L, int argument) {
  charge_numeral(L, argument);
  return luaL_checkinteger(L, argument);
}

lua_Integer latch_opt_integer(lua_State *L, int argument, lua_Integer otherwise) {
  return lua_isnoneornil(L, argument) ? otherwise : latch_check_integer(L, argument);
}

lua_Number latch_check_number(lua_State *L, int argument) {
  charge_numeral(L, argument);
  return luaL_checknumber(L, argument);
}

void latch_interrupt(latch_vm *vm) { atomic_store(&vm->interrupt, true); }
void latch_clear_interrupt(latch_vm *vm) { atomic_store(&vm->interrupt, false); }

int64_t latch_instructions_total(const latch_vm *vm) { return vm->total; }
int64_t latch_instructions_used(const latch_vm *vm) { return vm->last_used; }
