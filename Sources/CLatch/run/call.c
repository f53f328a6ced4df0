/// Protected calls: each run of a script has a coroutine of its own, kept for the next run at the
/// same depth and dropped when it dies. `lua_resume` costs no more than `lua_pcall`, leaves the
/// dead stack for the traceback, and lets the hook freeze a run that has reached its limit.

#include <string.h>

#include "run/run.h"

/// What the host does for a script counts from so many bytes on, one instruction for each few.
enum { LATCH_MUCH_WORK = 4096, LATCH_WORK_BYTES_PER_INSTRUCTION = 4 };

/// What it takes to describe a failure, with its traceback.
enum { LATCH_INSTRUCTIONS_PER_FAILURE = 2000 };

// MARK: Runs

/// What a run inside a run has to put back.
typedef struct {
  latch_grant outside;
  bool is_callers;  ///< it is a part of the caller's run: what ends it ends that too
  latch_end end;
  latch_phase phase;
  lua_State *running, *current;
  int period;
} latch_saved;

static int new_thread(lua_State *L) {
  latch_vm *vm = latch_of(L);
  lua_State *thread = lua_newthread(L);
  lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_THREADS + vm->depth);
  vm->threads[vm->depth] = thread;
  return 0;
}

/// The coroutine for the next run, or NULL (the failure is recorded).
lua_State *latch_thread_for_run(latch_vm *vm) {
  if (vm->depth >= LATCH_MAX_RUNS) {
    latch_record_text(vm, LATCH_LIMIT, "runs are nested too deeply");
    return NULL;
  }
  if (vm->threads[vm->depth] == NULL) {
    vm->unlimited++;
    latch_status status = latch_protect(vm, new_thread, NULL, 0);
    vm->unlimited--;
    if (status != LATCH_OK) return NULL;
  }
  return vm->threads[vm->depth];
}

/// Whether a run that needs no hook ends before it would come by for the first time. While the
/// state holds a table that a script has put there in this transition, nobody knows: it may have a
/// metatable.
static bool ends_before_hook(const latch_vm *vm) {
  return !vm->structural && !vm->covers && vm->budget > LATCH_MOST_WITHOUT_HOOK &&
         latch_longest_period(vm) > LATCH_MOST_WITHOUT_HOOK;
}

static inline __attribute__((always_inline)) latch_saved enter_run(
  latch_vm *vm, lua_State *thread, latch_run options, latch_run_kind kind) {
  bool counts = options.budget != LATCH_UNCOUNTED, begins = !latch_is_at_work(vm);
  latch_saved saved;
  saved.outside.inherits = latch_inherits(vm, options.phase, options.budget);
  if (!saved.outside.inherits) {
    latch_open_grant(vm, &saved.outside, options.phase, options.budget, false);
  }
  saved.is_callers = counts && options.budget < 1 && vm->running != NULL;
  saved.end = vm->end;
  saved.phase = vm->phase;
  saved.running = vm->running;
  saved.current = vm->current;
  saved.period = vm->period;
  vm->phase = options.phase;
  vm->end = LATCH_ALIVE;
  vm->refusals = 0;
  vm->deep = false;
  vm->running = vm->current = thread;
  vm->depth++;
  // Another thread may have run what ran before; what needs no hook calls nothing, but asks too.
  if (vm->depth == 1 || !counts) vm->stack = __builtin_frame_address(0);
  if (begins) latch_mark_progress(vm, true);
  if (counts && !(kind == LATCH_RUN_WITHOUT_HOOK && ends_before_hook(vm))) {
    latch_start_budget(vm, thread);
  } else {
    vm->period = 0;
    if (lua_gethookmask(thread) != 0) lua_sethook(thread, NULL, 0, 0);
  }
  return saved;
}

static inline __attribute__((always_inline)) void leave_run(
  latch_vm *vm, const latch_saved *saved) {
  vm->running = saved->running;
  vm->current = saved->current;
  vm->phase = saved->phase;
  vm->depth--;
  if (!latch_is_at_work(vm)) latch_mark_progress(vm, false);
  vm->period = saved->period;
  if (!saved->outside.inherits) latch_close_grant(vm, &saved->outside);
  // Who runs around it finds reasons of its own to end, when the hook comes by next.
  if (vm->end == LATCH_ALIVE || !saved->is_callers) vm->end = saved->end;
  if (vm->running != NULL) latch_shorten_period(vm, vm->current);
}

/// Runs what a dead or dropped coroutine has still to close, on what is left of its budget. One
/// that a limit has ended is frozen in the middle of an instruction and is left alone.
static void close_thread(latch_vm *vm, lua_State *thread, lua_State *from) {
  if (vm->end != LATCH_ALIVE) return;
  vm->closing = true;
  latch_close_coroutine(thread, from);
  vm->closing = false;
  lua_settop(thread, 0);
}

latch_status latch_resume_thread(latch_vm *vm, lua_State *thread, int arguments, latch_run options,
  latch_run_kind kind, int *results) {
  latch_saved saved = enter_run(vm, thread, options, kind);
  lua_State *task = vm->task;
  vm->task = kind == LATCH_RUN_MAY_WAIT ? thread : NULL;
  vm->waiting = false;
  int status = lua_resume(thread, saved.current, arguments, results);
  latch_status outcome = LATCH_OK;
  if (status == LUA_YIELD && vm->end == LATCH_ALIVE && vm->waiting) {
    outcome = LATCH_PENDING;
  } else if (status != LUA_OK) {
    if (status == LUA_YIELD && vm->end == LATCH_ALIVE) {
      latch_record_text(vm, LATCH_RUNTIME, "this function may not wait");
    } else {
      // A dead thread may be full to its last slot.
      vm->unlimited++;
      bool has_room = lua_checkstack(thread, 2);
      vm->unlimited--;
      if (has_room) {
        if (status == LUA_YIELD) lua_pushnil(thread);
        lua_pushvalue(thread, -1);  // stays: what is closed is told of the error
        latch_record_failure(vm, thread, thread, status);
      } else {
        latch_record_text(vm, LATCH_LIMIT, "stack overflow");
      }
      latch_spend(vm, LATCH_INSTRUCTIONS_PER_FAILURE);
    }
    outcome = vm->failure.status;
    close_thread(vm, thread, saved.current);
  }
  vm->waiting = false;
  vm->task = task;
  leave_run(vm, &saved);
  return outcome;
}

void latch_close_thread(latch_vm *vm, lua_State *thread, latch_run options) {
  latch_saved saved = enter_run(vm, thread, options, LATCH_RUN_ANY);
  close_thread(vm, thread, saved.current);
  leave_run(vm, &saved);
}

/// Resumes the function and `arguments` on top of `thread`. On success `*results` values are left
/// there for the caller, who takes them off; on failure the coroutine is dropped.
static latch_status run_thread(latch_vm *vm, lua_State *thread, int arguments, latch_run options,
  latch_run_kind kind, int *results) {
  latch_status outcome = latch_resume_thread(vm, thread, arguments, options, kind, results);
  if (outcome != LATCH_OK) {
    vm->threads[vm->depth] = NULL;
    lua_pushboolean(vm->L, 0);  // see open.c: the slot is never nil
    lua_rawseti(vm->L, LUA_REGISTRYINDEX, LATCH_R_THREADS + vm->depth);
  }
  return outcome;
}

latch_status latch_run_thread(
  latch_vm *vm, lua_State *thread, int arguments, latch_run options, int *results) {
  return run_thread(vm, thread, arguments, options, LATCH_RUN_ANY, results);
}

// MARK: Functions that need no hook

void latch_note_kept(latch_vm *vm, lua_State *L) {
  int32_t number = vm->kept + 1;
  if (number >= LATCH_KNOWN_WITHOUT_HOOK || !latch_runs_without_hook(L, -1)) return;
  vm->without_hook[number / 64] |= (uint64_t)1 << (number % 64);
}

static bool is_known_without_hook(const latch_vm *vm, latch_ref function) {
  int32_t number = -function;
  if (number <= 0 || number >= LATCH_KNOWN_WITHOUT_HOOK) return false;
  return vm->without_hook[number / 64] >> (number % 64) & 1;
}

latch_status latch_run_kept(latch_vm *vm, latch_ref function, lua_State *thread, int arguments,
  latch_run options, int *results) {
  latch_run_kind kind =
    is_known_without_hook(vm, function) ? LATCH_RUN_WITHOUT_HOOK : LATCH_RUN_ANY;
  return run_thread(vm, thread, arguments, options, kind, results);
}

/// Bytes that were allocated and encoded so far: a measure of the host's own work.
static uint64_t work_done(const latch_vm *vm) {
  return vm->allocated + vm->out.length + vm->patch.length;
}

/// Adoption, patches, payloads and values: a script cannot be stopped in the middle of that, but
/// what follows from it can (the instructions of a chain of actions are limited together).
static void count_work(latch_vm *vm, uint64_t before) {
  uint64_t after = work_done(vm);
  if (after < before + LATCH_MUCH_WORK) return;
  int64_t instructions = (int64_t)((after - before) / LATCH_WORK_BYTES_PER_INSTRUCTION);
  latch_spend(vm, instructions);
}

latch_status latch_protect(latch_vm *vm, lua_CFunction function, void *argument, int results) {
  lua_State *L = vm->L;
  if (!lua_checkstack(L, LUA_MINSTACK)) {
    latch_record_text(vm, LATCH_MEMORY, "not enough memory");
    return LATCH_MEMORY;
  }
  lua_pushcfunction(L, function);
  lua_pushlightuserdata(L, argument);
  lua_State *running = vm->running;
  uint64_t before = work_done(vm);
  vm->running = NULL;  // the host's own work is not killed
  bool begins = !latch_is_at_work(vm);
  if (begins) latch_mark_progress(vm, true);
  int status = lua_pcall(L, 1, results, 0);
  if (begins) latch_mark_progress(vm, false);
  vm->running = running;
  count_work(vm, before);
  if (status == LUA_OK) return LATCH_OK;
  latch_end end = vm->end;
  vm->end = LATCH_ALIVE;
  latch_record_failure(vm, L, NULL, status);
  vm->end = end;
  return vm->failure.status;
}

// MARK: Calls with encoded arguments and results

typedef struct {
  latch_vm *vm;
  lua_State *thread;
  latch_bytes arguments;
  int count;
} latch_arguments;

static int push_arguments(lua_State *L) {
  latch_arguments *request = lua_touserdata(L, 1);
  const uint8_t *cursor = request->arguments.bytes, *end = cursor + request->arguments.length;
  while (cursor < end) {
    if (!lua_checkstack(L, 2) || !lua_checkstack(request->thread, 2)) {
      return luaL_error(L, "too many arguments");
    }
    latch_decode(L, &cursor, end, 0);
    lua_xmove(L, request->thread, 1);
    request->count++;
  }
  return 0;
}

static int encode_results(lua_State *L) {
  latch_arguments *request = lua_touserdata(L, 1);
  latch_vm *vm = request->vm;
  latch_encoder encoder;
  latch_encoder_begin(&encoder, vm, &vm->out);
  encoder.pays = true;
  if (!lua_checkstack(L, request->count)) return luaL_error(L, "too many results");
  lua_xmove(request->thread, L, request->count);
  for (int i = 0; i < request->count; i++) {
    if (!latch_encode(&encoder, L, 2 + i)) return luaL_error(L, "%s", encoder.fault);
  }
  if (vm->out.failed) return latch_raise_no_memory(L);
  return 0;
}

latch_status latch_encode_results(
  latch_vm *vm, lua_State *thread, int count, latch_bytes *results) {
  latch_arguments request = {vm, thread, {NULL, 0}, count};
  latch_buffer_clear(&vm->out);
  latch_status status = latch_protect(vm, encode_results, &request, 0);
  lua_settop(thread, 0);
  if (status == LATCH_OK && results != NULL) *results = latch_buffer_view(&vm->out);
  return status;
}

latch_status latch_call(latch_vm *vm, latch_ref function, latch_bytes arguments, latch_run options,
  latch_bytes *results) {
  lua_State *thread = latch_thread_for_run(vm);
  if (thread == NULL) return vm->failure.status;
  lua_rawgeti(thread, LUA_REGISTRYINDEX, function);
  latch_arguments request = {vm, thread, arguments, 0};
  latch_status status = latch_protect(vm, push_arguments, &request, 0);
  if (status != LATCH_OK) {
    lua_settop(thread, 0);
    return status;
  }
  status = latch_run_thread(vm, thread, request.count, options, &request.count);
  if (status != LATCH_OK) return status;
  return latch_encode_results(vm, thread, request.count, results);
}

latch_status latch_run_function(latch_vm *vm, lua_CFunction function, lua_Integer argument,
  latch_run options, lua_State **thread, int *results) {
  *thread = latch_thread_for_run(vm);
  if (*thread == NULL) return vm->failure.status;
  lua_pushcfunction(*thread, function);
  lua_pushinteger(*thread, argument);
  return latch_run_thread(vm, *thread, 1, options, results);
}
