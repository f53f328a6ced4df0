/// The budget of runs: it is granted, taken off the surrounding budget, and counted by the count
/// hook, which ends a run that has used it up.
///
/// When the budget is spent, the hook yields, which freezes the coroutine for good without running
/// any more of the script: no handler, no `__close`. If it cannot yield (in a comparator, a
/// metamethod called from C) it raises an error, and so does every following instruction until a
/// frame is reached that can yield or the run ends. Protected calls of scripts pass the error on
/// (pcall.c).
///
/// The hook is set again for each run, so that the count starts from the same point every time: a
/// script ends at the same instruction in every process.

#include <stdio.h>

#include "machine/machine.h"

/// The length of a text from which an error is charged for the search for names in it.
enum { LATCH_LONG_TEXT = 64 << 10, LATCH_TEXT_PER_INSTRUCTION = 16 };

/// The size of a stack from which an error is charged for what is on it.
enum { LATCH_DEEP_STACK = 2048, LATCH_SLOTS_PER_INSTRUCTION = 256 };

/// So many extra arguments (`...`) cost nothing extra.
enum { LATCH_FEW_ARGUMENTS = 64 };

// MARK: Spending

/// Takes instructions off the budget, without a numeric overflow.
static inline void take_off(latch_vm *vm, int64_t instructions) {
  if (instructions <= vm->budget.left) vm->budget.left -= instructions;
  else if (vm->budget.left >= 0) vm->budget.left = -1;
}

void latch_spend(latch_vm *vm, int64_t instructions) {
  if (latch_is_at_work(vm)) take_off(vm, instructions);
  else vm->budget.total += instructions;
}

/// The reason why the current run must end now, if there is one.
static latch_end reason_to_end(const latch_vm *vm) {
  if (atomic_load_explicit(&vm->interrupt, memory_order_relaxed)) return LATCH_INTERRUPTED;
  if (latch_is_overdue(vm))
    return latch_is_over_time(vm) ? LATCH_OUT_OF_PROCESSOR_TIME : LATCH_OUT_OF_TIME;
  if (latch_is_out_of_stack(vm)) return LATCH_OUT_OF_STACK;
  return vm->budget.left < 0 ? LATCH_OUT_OF_INSTRUCTIONS : LATCH_ALIVE;
}

void latch_charge_instructions(lua_State *L, int64_t instructions) {
  latch_vm *vm = latch_of(L);
  if (vm->run.thread == NULL) return;  // work of the host itself
  take_off(vm, instructions);
  latch_end end = reason_to_end(vm);
  if (end != LATCH_ALIVE) latch_kill(vm, L, end);
  if (vm->run.end != LATCH_ALIVE) latch_rekill(L);
}

// MARK: The hook

static bool has_extra_argument(lua_State *L, lua_Debug *frame, int number) {
  if (lua_getlocal(L, frame, -number) == NULL) return false;
  lua_pop(L, 1);
  return true;
}

/// The number of extra arguments of the running function; 0 if they are few.
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

/// The number of instructions for which the hook charges, all like the one that it has found. If it
/// was called out of turn, it charges only for that one, and `next` becomes the rest of the period:
/// an instruction is found as often as without that.
static int64_t weigh(latch_vm *vm, lua_State *L, int64_t period, int *next) {
  if (vm->hook.looked != L) return period;
  if (vm->hook.left > 0) {
    if (vm->hook.left < *next) *next = vm->hook.left;
    vm->hook.left = 0;
    return period;
  }
  vm->hook.looked = NULL;
  return vm->hook.weight > period ? vm->hook.weight : period;
}

static void on_count(lua_State *L, lua_Debug *frame);

static void count_in(lua_State *L, int mask, int period) {
  if (lua_gethook(L) == on_count && lua_gethookmask(L) == mask) latch_set_count(L, period);
  else lua_sethook(L, on_count, mask, period);
}

static void on_count(lua_State *L, lua_Debug *frame) {
  latch_vm *vm = latch_of(L);
  vm->memory.grown_from = 0;
  if (frame->event == LUA_HOOKLINE) {
    latch_note_line(vm, L, frame);
    return;
  }
  if (vm->run.end == LATCH_ALIVE) {
    // Lua copies all of `...` in one instruction, and such instructions may follow each other.
    int64_t copied = extra_arguments(L, frame) / LATCH_UNITS_PER_INSTRUCTION;
    // A coroutine that waited meanwhile may still have another period than the VM.
    int64_t period = lua_gethookcount(L);
    uint64_t units = latch_instruction_units(L, frame, period);
    bool is_endless = units == LATCH_ENDLESS;
    int64_t besides = is_endless ? 0 : (int64_t)(units / LATCH_UNITS_PER_INSTRUCTION);
    latch_shrink_stack(L);
    latch_shorten_period(vm, L);
    int next = latch_next_period(vm, L, period);
    take_off(vm, period + weigh(vm, L, period, &next) * (copied + besides));
    // If nothing is left, the next instruction is one too many.
    if (vm->budget.left < 1) next = 1;
    if (next != lua_gethookcount(L)) count_in(L, lua_gethookmask(L), next);
    latch_end end = is_endless ? LATCH_OUT_OF_CALLS : reason_to_end(vm);
    if (end != LATCH_ALIVE) latch_kill(vm, L, end);
  }
  if (vm->run.end != LATCH_ALIVE) latch_rekill(L);
}

static inline void start_count(latch_vm *vm, lua_State *thread) {
  int period = latch_longest_period(vm);
  vm->hook.period =
    vm->budget.left < period ? (vm->budget.left < 1 ? 1 : (int)vm->budget.left) : period;
  int mask = vm->covers ? LUA_MASKCOUNT | LUA_MASKLINE : LUA_MASKCOUNT;
  count_in(thread, mask, vm->hook.period);
}

static inline void stop_count(latch_vm *vm, lua_State *thread) {
  vm->hook.period = 0;
  if (lua_gethookmask(thread) != 0) lua_sethook(thread, NULL, 0, 0);
}

void latch_count_anew(latch_vm *vm, lua_State *L) {
  if (vm->hook.period == 0 || vm->run.end != LATCH_ALIVE) return;
  count_in(L, lua_gethookmask(L) | LUA_MASKCOUNT, lua_gethookcount(L));
}

void latch_shorten_period(latch_vm *vm, lua_State *thread) {
  if (vm->hook.period == 0 || vm->run.end != LATCH_ALIVE) return;
  int period = latch_longest_period(vm);
  if (period < vm->hook.period) vm->hook.period = period;
  if (vm->hook.period < lua_gethookcount(thread)) {
    count_in(thread, lua_gethookmask(thread) | LUA_MASKCOUNT, vm->hook.period);
  }
}

void latch_count_on(lua_State *L, lua_State *co) {
  latch_vm *vm = latch_of(L);
  // A coroutine of an earlier run may still have that run's period.
  latch_shorten_period(vm, L);
  int count = lua_gethookcount(L), own = latch_period_on(vm, co);
  if (own < count && vm->hook.period > 0) count = own;
  if (lua_gethookcount(co) != count) lua_sethook(co, lua_gethook(L), lua_gethookmask(L), count);
}

void latch_look_at_next(lua_State *L) {
  latch_vm *vm = latch_of(L);
  int count = lua_gethookcount(L), left = latch_count_left(L);
  if (vm->hook.period == 0 || vm->run.end != LATCH_ALIVE || left <= 1) return;
  take_off(vm, count - left);
  bool is_again = vm->hook.looked == L && vm->hook.weight > count;
  vm->hook.looked = L;
  vm->hook.left = left - 1;
  vm->hook.weight = is_again ? vm->hook.weight : count;
  count_in(L, lua_gethookmask(L) | LUA_MASKCOUNT, 1);
}

// MARK: Ending a run

void latch_kill(latch_vm *vm, lua_State *L, latch_end end) {
  if (vm->run.end != LATCH_ALIVE) return;
  vm->run.end = end;
  vm->run.end_line = 0;
  vm->run.end_chunk[0] = 0;
  // The allocator ends a run during an allocation, when the stack must not be examined: the hook
  // records the place at the next instruction.
  count_in(L, LUA_MASKCOUNT, 1);
}

bool latch_is_killed(lua_State *L) { return latch_of(L)->run.end != LATCH_ALIVE; }

bool latch_must_pass_on(lua_State *L, int status) {
  latch_vm *vm = latch_of(L);
  // To name the variable in its message, Lua examines each instruction of the function before the
  // one that has failed.
  if (vm->hook.longest_text > LATCH_LONG_TEXT) {
    take_off(vm, (int64_t)(vm->hook.longest_text / LATCH_TEXT_PER_INSTRUCTION));
  }
  // After an error Lua examines all current calls, to make the stack smaller.
  size_t slots = latch_stack_use(L);
  if (slots > LATCH_DEEP_STACK) take_off(vm, (int64_t)(slots / LATCH_SLOTS_PER_INSTRUCTION));
  if (status == LUA_ERRMEM) latch_kill(vm, L, LATCH_OUT_OF_MEMORY);
  return vm->run.end != LATCH_ALIVE;
}

int latch_rekill(lua_State *L) {
  latch_vm *vm = latch_of(L);
  lua_Debug frame;
  if (vm->run.end_line == 0 && latch_find_script(L, &frame)) {
    snprintf(vm->run.end_chunk, sizeof vm->run.end_chunk, "%s", latch_chunk_name(frame.source));
    vm->run.end_line = frame.currentline;
  }
  count_in(L, LUA_MASKCOUNT, 1);
  if (lua_isyieldable(L)) return lua_yield(L, 0);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_KILLED);
  return lua_error(L);
}

// MARK: Grants

/// The relation of a grant to the budget around it: nothing is around the outermost one.
enum { OUTERMOST, OWN, PART, INHERITED };

/// True if the run or work that begins simply uses the rest of the budget around it.
static inline bool inherits(const latch_vm *vm, latch_phase phase, int64_t budget) {
  return vm->budget.surrounding == LATCH_IN_WORK && phase != LATCH_SCRIPT &&
         budget != LATCH_UNCOUNTED && (budget < 1 || vm->budget.left <= budget);
}

static inline void grant_anew(latch_vm *vm, int64_t budget) {
  vm->budget.grant = ++vm->budget.grants;
  vm->budget.left = vm->budget.granted = vm->budget.most = budget;
}

static inline void count_used(latch_vm *vm, int64_t used) {
  vm->budget.total += used;
  vm->budget.last_used = used;
}

/// Grants the budget of a run or work that begins, and records what is around it.
__attribute__((noinline)) static void open_grant(
  latch_vm *vm, latch_grant *outside, latch_phase phase, int64_t budget, bool apart) {
  bool counts = budget != LATCH_UNCOUNTED,
       is_part = vm->budget.surrounding == LATCH_IN_WORK && !apart;
  outside->budget = vm->budget.left;
  outside->granted = vm->budget.granted;
  outside->most_instructions = vm->budget.most;
  outside->number = vm->budget.grant;
  outside->surrounding = (uint8_t)vm->budget.surrounding;
  outside->share = OWN;
  outside->inherits = false;
  if (counts && (budget < 1 || (is_part && vm->budget.left <= budget))) {
    outside->share = INHERITED;
  } else {
    uint32_t number = vm->budget.grant;
    grant_anew(vm, counts ? budget : INT64_MAX);
    if (counts && is_part) {
      outside->share = PART;
      vm->budget.grant = number;
    }
  }
  if (budget != 0 || vm->budget.surrounding != LATCH_IN_NOTHING) {
    vm->budget.surrounding = phase == LATCH_SCRIPT ? LATCH_IN_SCRIPT : LATCH_IN_WORK;
  }
}

/// Takes the used instructions off the surrounding budget.
__attribute__((noinline)) static void close_grant(latch_vm *vm, const latch_grant *outside) {
  vm->budget.surrounding = outside->surrounding;
  if (outside->share == INHERITED) return;
  int64_t used = vm->budget.granted - vm->budget.left;
  if (outside->share == OWN) count_used(vm, used);
  vm->budget.left = outside->share == PART ? outside->budget - used : outside->budget;
  vm->budget.granted = outside->granted;
  vm->budget.most = outside->most_instructions;
  vm->budget.grant = outside->number;
}

// MARK: Runs

/// True if a run of few instructions ends before the hook would be called for the first time.
static inline bool ends_before_hook(const latch_vm *vm) {
  return !vm->covers && vm->budget.left > LATCH_MOST_WITHOUT_HOOK &&
         latch_longest_period(vm) > LATCH_MOST_WITHOUT_HOOK;
}

void latch_enter_run(
  latch_vm *vm, latch_saved *saved, lua_State *thread, latch_run run, bool is_short) {
  bool counts = run.budget != LATCH_UNCOUNTED;
  saved->outside.inherits = inherits(vm, run.phase, run.budget);
  if (!saved->outside.inherits) open_grant(vm, &saved->outside, run.phase, run.budget, false);
  saved->is_callers = counts && run.budget < 1 && vm->run.thread != NULL;
  saved->end = vm->run.end;
  saved->phase = vm->phase;
  saved->running = vm->run.thread;
  saved->current = vm->run.current;
  saved->period = vm->hook.period;
  saved->refusals = vm->memory.refusals;
  saved->deep = vm->memory.deep;
  saved->looks = vm->hook.looks;
  vm->hook.looks = 0;
  vm->hook.is_cut = false;
  vm->hook.looked = NULL;
  vm->phase = run.phase;
  vm->run.end = LATCH_ALIVE;
  vm->memory.refusals = 0;
  vm->memory.deep = false;
  latch_set_running(vm, thread);
  latch_set_current(vm, thread);
  vm->run.depth++;
  if (vm->run.depth == 1) {
    vm->run.begun++;
    vm->host.was_asked = false;
  }
  // The earlier run may have been on another thread; a run that needs no hook calls nothing, but
  // may allocate.
  if (vm->run.depth == 1 || !counts) vm->run.stack = __builtin_frame_address(0);
  if (counts && !(is_short && ends_before_hook(vm))) start_count(vm, thread);
  else stop_count(vm, thread);
  if (vm->run.depth == 1 && vm->budget.works == 0) latch_mark_progress(vm, true);
}

void latch_leave_run(latch_vm *vm, const latch_saved *saved) {
  latch_set_running(vm, saved->running);
  latch_set_current(vm, saved->current);
  vm->phase = saved->phase;
  vm->run.depth--;
  // A refusal in this run is not a reason for the surrounding run to end.
  vm->memory.refusals = saved->refusals;
  vm->memory.deep = saved->deep;
  // An error of a clean-up is not reported.
  vm->is_raised = false;
  vm->hook.period = saved->period;
  vm->hook.looks = saved->looks;
  if (!saved->outside.inherits) close_grant(vm, &saved->outside);
  // The surrounding run finds its own reasons to end, when the hook is next called.
  if (vm->run.end == LATCH_ALIVE || !saved->is_callers) vm->run.end = saved->end;
  if (vm->run.thread != NULL) latch_shorten_period(vm, vm->run.current);
  if (!latch_is_at_work(vm)) latch_mark_progress(vm, false);
}

// MARK: Pieces of work

/// Handles the outermost piece of work: a dispatch, most of the time.
static inline void begin_outermost(latch_vm *vm, latch_phase phase, int64_t budget) {
  latch_mark_work(vm, phase);
  vm->budget.works = 1;
  vm->budget.outside[0].share = OUTERMOST;
  vm->budget.outside[0].inherits = false;
  vm->budget.surrounding = LATCH_IN_WORK;
  grant_anew(vm, budget);
}

static inline void end_outermost(latch_vm *vm) {
  vm->budget.works = 0;
  vm->budget.surrounding = LATCH_IN_NOTHING;
  count_used(vm, vm->budget.granted - vm->budget.left);
  latch_mark_progress(vm, false);
}

__attribute__((noinline)) static void begin_inside(
  latch_vm *vm, latch_phase phase, int64_t budget, bool apart) {
  if (!latch_is_at_work(vm)) latch_mark_work(vm, phase);
  if (vm->budget.works++ >= LATCH_MAX_WORKS)
    return;  // nested too deeply, it uses the budget around it
  latch_grant *outside = &vm->budget.outside[vm->budget.works - 1];
  outside->inherits = !apart && inherits(vm, phase, budget);
  if (!outside->inherits) open_grant(vm, outside, phase, budget, apart);
}

__attribute__((noinline)) static void end_inside(latch_vm *vm) {
  uint32_t last = --vm->budget.works;
  if (last < LATCH_MAX_WORKS && !vm->budget.outside[last].inherits) {
    close_grant(vm, &vm->budget.outside[last]);
  }
  if (!latch_is_at_work(vm)) latch_mark_progress(vm, false);
}

void latch_begin_work(latch_vm *vm, latch_phase phase, int64_t budget, bool apart) {
  if (!latch_is_at_work(vm) && budget > 0) begin_outermost(vm, phase, budget);
  else begin_inside(vm, phase, budget, apart);
}

void latch_end_work(latch_vm *vm) {
  if (vm->budget.works == 1 && vm->budget.outside[0].share == OUTERMOST &&
      !vm->budget.outside[0].inherits) {
    end_outermost(vm);
  } else {
    end_inside(vm);
  }
}

bool latch_is_inside_work(const latch_vm *vm) { return vm->budget.works > 1; }

int64_t latch_instructions_total(const latch_vm *vm) { return vm->budget.total; }
int64_t latch_instructions_left(const latch_vm *vm) {
  lua_State *L = vm->run.current;
  int uncounted = vm->hook.period == 0 ? 0 : lua_gethookcount(L) - latch_count_left(L);
  return vm->budget.left - uncounted;
}

int64_t latch_instructions_used(const latch_vm *vm) { return vm->budget.last_used; }
