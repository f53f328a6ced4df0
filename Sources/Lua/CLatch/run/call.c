/// Protected calls. Each run of a script has its own coroutine, which is kept for the next run at
/// the same depth and dropped when it dies. `lua_resume` costs no more than `lua_pcall`, leaves the
/// dead stack for the traceback, and lets the hook freeze a run that has reached a limit.

#include "run/run.h"

/// Work of the host for a script is charged if it is at least so many bytes: one instruction for
/// each few bytes.
enum { LATCH_MUCH_WORK = 4096, LATCH_WORK_BYTES_PER_INSTRUCTION = 4 };

/// The cost of describing a failure, with its traceback.
enum { LATCH_INSTRUCTIONS_PER_FAILURE = 2000 };

// MARK: Work of the host's own

/// Calls a C function on the main thread, where nothing is ended by a limit. Returns the status of
/// Lua.
static int call_on_main(latch_vm *vm, lua_CFunction function, void *argument, int results) {
  lua_State *running = vm->run.thread;
  latch_set_running(vm, NULL);
  lua_pushcfunction(vm->L, function);
  lua_pushlightuserdata(vm->L, argument);
  int status = lua_pcall(vm->L, 1, results, 0);
  latch_set_running(vm, running);
  return status;
}

/// The bytes that were allocated and encoded so far: a measure of the host's own work.
static uint64_t work_done(const latch_vm *vm) {
  return vm->memory.allocated + vm->out.length + vm->patch.length;
}

/// Charges for adopting state, for patches, payloads and values: a script cannot be stopped during
/// that work, but it can be later (the instructions of a chain of actions are limited together).
static void count_work(latch_vm *vm, uint64_t before) {
  uint64_t after = work_done(vm);
  if (after < before + LATCH_MUCH_WORK) return;
  int64_t instructions = (int64_t)((after - before) / LATCH_WORK_BYTES_PER_INSTRUCTION);
  latch_spend(vm, instructions);
}

latch_status latch_protect(latch_vm *vm, lua_CFunction function, void *argument, int results) {
  if (!lua_checkstack(vm->L, LUA_MINSTACK)) {
    return latch_record_text(vm, LATCH_MEMORY, "not enough memory");
  }
  uint64_t before = work_done(vm);
  bool begins = !latch_is_at_work(vm);
  if (begins) latch_mark_progress(vm, true);
  int status = call_on_main(vm, function, argument, results);
  if (begins) latch_mark_progress(vm, false);
  count_work(vm, before);
  return status == LUA_OK ? LATCH_OK : latch_record_error(vm, status);
}

latch_status latch_protect_unlimited(latch_vm *vm, lua_CFunction function, void *argument) {
  vm->unlimited++;
  latch_status status = latch_protect(vm, function, argument, 0);
  vm->unlimited--;
  return status;
}

void latch_search_stored_nodes(latch_vm *vm) {
  if (vm->search_stored_nodes != NULL) latch_protect_unlimited(vm, vm->search_stored_nodes, NULL);
}

// MARK: Coroutines

static int new_thread(lua_State *L) {
  latch_vm *vm = latch_of(L);
  lua_State *thread = lua_newthread(L);
  lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_THREADS + vm->run.depth);
  vm->threads[vm->run.depth] = thread;
  return 0;
}

/// Creates the coroutine for the next depth; false if memory runs out.
__attribute__((noinline)) static bool make_thread(latch_vm *vm) {
  vm->unlimited++;
  bool has_room = lua_checkstack(vm->L, LUA_MINSTACK);
  bool made = has_room && call_on_main(vm, new_thread, NULL, 0) == LUA_OK;
  vm->unlimited--;
  if (has_room && !made) lua_pop(vm->L, 1);
  return made;
}

/// The coroutine for the next run, or NULL.
static inline lua_State *next_thread(latch_vm *vm) {
  if (vm->run.depth >= LATCH_MAX_RUNS) return NULL;
  if (vm->threads[vm->run.depth] == NULL && !make_thread(vm)) return NULL;
  return vm->threads[vm->run.depth];
}

lua_State *latch_thread_for_run(latch_vm *vm) {
  lua_State *thread = next_thread(vm);
  if (thread == NULL) latch_record_no_thread(vm);
  return thread;
}

// MARK: Runs

/// Stores the error that has ended the run: it is on top of the thread's stack.
static void keep_raised(lua_State *thread) {
  lua_pushvalue(thread, -1);
  lua_rawseti(thread, LUA_REGISTRYINDEX, LATCH_R_RAISED);
}

// Every dispatch calls this several times.
inline __attribute__((always_inline)) latch_status latch_resume_thread(latch_vm *vm,
  lua_State *thread, int arguments, latch_run run, latch_run_kind kind, int *results) {
  latch_saved saved;
  latch_enter_run(vm, &saved, thread, run, kind == LATCH_RUN_SHORT);
  lua_State *task = vm->task.thread;
  vm->task.thread = kind == LATCH_RUN_MAY_WAIT ? thread : NULL;
  vm->task.waiting = false;
  int status = lua_resume(thread, saved.current, arguments, results);
  latch_status outcome = LATCH_OK;
  if (status == LUA_YIELD && vm->run.end == LATCH_ALIVE && vm->task.waiting) {
    outcome = LATCH_PENDING;
  } else if (status != LUA_OK) {
    outcome = latch_record_end(vm, thread, status);
    if (kind == LATCH_RUN_MAY_WAIT && outcome == LATCH_RUNTIME) keep_raised(thread);
    latch_spend(vm, LATCH_INSTRUCTIONS_PER_FAILURE);
    latch_close_remains(vm, thread, saved.current);
  }
  vm->task.waiting = false;
  vm->task.thread = task;
  latch_leave_run(vm, &saved);
  if (vm->phase == LATCH_EFFECT) latch_search_stored_nodes(vm);  // in what it has stored
  return outcome;
}

void latch_close_thread(latch_vm *vm, lua_State *thread, latch_run run) {
  latch_saved saved;
  latch_enter_run(vm, &saved, thread, run, false);
  latch_close_remains(vm, thread, saved.current);
  latch_leave_run(vm, &saved);
}

/// Resumes the coroutine of this depth. Drops it if the run fails.
static latch_status run_thread(latch_vm *vm, lua_State *thread, int arguments, latch_run run,
  latch_run_kind kind, int *results) {
  latch_status outcome = latch_resume_thread(vm, thread, arguments, run, kind, results);
  if (outcome != LATCH_OK) {
    vm->threads[vm->run.depth] = NULL;
    lua_pushboolean(vm->L, 0);  // see open.c: the slot is never nil
    lua_rawseti(vm->L, LUA_REGISTRYINDEX, LATCH_R_THREADS + vm->run.depth);
  }
  return outcome;
}

latch_status latch_run_thread(
  latch_vm *vm, lua_State *thread, int arguments, latch_run run, int *results) {
  return run_thread(vm, thread, arguments, run, LATCH_RUN_ANY, results);
}

latch_status latch_run_function(latch_vm *vm, lua_CFunction function, lua_Integer argument,
  latch_run run, latch_run_kind kind, lua_State **thread, int *results) {
  lua_State *next = latch_thread_for_run(vm);
  if (next == NULL) return vm->failure.status;
  lua_pushcfunction(next, function);
  lua_pushinteger(next, argument);
  int count;
  latch_status status = run_thread(vm, next, 1, run, kind, results == NULL ? &count : results);
  if (thread != NULL) *thread = next;
  else if (status == LATCH_OK) lua_settop(next, 0);
  return status;
}

// MARK: Functions of the flow

void latch_note_kept(latch_vm *vm, lua_State *L) {
  int32_t number = vm->kept + 1;
  if (number >= LATCH_KNOWN_FUNCTIONS) return;
  uint64_t bit = (uint64_t)1 << (number % 64);
  if (latch_runs_without_hook(L, -1)) vm->without_hook[number / 64] |= bit;
  if (latch_only_reads(L, -1, 2)) vm->reads_payload[number / 64] |= bit;
}

/// True if the function's bit is set.
static bool is_known(const uint64_t *bits, latch_ref function) {
  int32_t number = -function;
  return number > 0 && number < LATCH_KNOWN_FUNCTIONS && (bits[number / 64] >> (number % 64) & 1);
}

latch_run_kind latch_kind_of_run(const latch_vm *vm, latch_ref function) {
  return !vm->structural && is_known(vm->without_hook, function) ? LATCH_RUN_SHORT : LATCH_RUN_ANY;
}

bool latch_may_keep_payload(const latch_vm *vm, latch_ref function) {
  return !vm->payload_is_frozen && !is_known(vm->reads_payload, function);
}

/// Pushes the record that functions get, and its keys, after so many arguments.
static int push_record(lua_State *L, const latch_vm *vm, int count) {
  if (vm->only_record) lua_pop(L, count);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_RECORD_ARGUMENTS);
  const void *arguments = lua_topointer(L, -1);
  lua_pop(L, 1);
  int more = vm->only_record ? 1 : vm->record_arguments;
  // The table was created with space for all of them.
  for (int i = 1; i <= more; i++) latch_push_cell(L, latch_element_cell(arguments, i));
  return vm->only_record ? 1 : count + more;
}

int latch_push_kept(lua_State *L, latch_ref function, latch_ref name) {
  latch_vm *vm = latch_of(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, function);
  if (vm->root != NULL) latch_push_table(L, vm->root);
  else lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
  // A function that only reads the payload may get the table itself.
  bool is_frozen = vm->payload_is_frozen;
  lua_rawgeti(L, LUA_REGISTRYINDEX, is_frozen ? LATCH_R_PAYLOAD : LATCH_R_PAYLOAD_FIELDS);
  int count = 2;
  if (name != LATCH_NO_REF) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, name);
    count = 3;
  }
  return vm->record_arguments == 0 ? count : push_record(L, vm, count);
}

static int freeze_payload(lua_State *L) {
  latch_push_frozen_payload(L);
  return 0;
}

latch_status latch_run_kept(latch_vm *vm, latch_ref function, latch_ref name, latch_run run,
  lua_State **thread, int *results) {
  latch_run_kind kind = latch_kind_of_run(vm, function);
  if (latch_may_keep_payload(vm, function)) {
    latch_status status = latch_protect(vm, freeze_payload, NULL, 0);
    if (status != LATCH_OK) return status;
  }
  *thread = next_thread(vm);
  if (*thread != NULL) {
    int arguments = latch_push_kept(*thread, function, name);
    return run_thread(vm, *thread, arguments, run, kind, results);
  }
  return latch_record_no_thread(vm);
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
  encoder.unnamed_map = LATCH_TAG_UNNAMED_MAP;
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

latch_status latch_call(
  latch_vm *vm, latch_ref function, latch_bytes arguments, latch_run run, latch_bytes *results) {
  lua_State *thread = latch_thread_for_run(vm);
  if (thread == NULL) return vm->failure.status;
  lua_rawgeti(thread, LUA_REGISTRYINDEX, function);
  latch_arguments request = {vm, thread, arguments, 0};
  latch_status status = latch_protect(vm, push_arguments, &request, 0);
  if (status != LATCH_OK) {
    lua_settop(thread, 0);
    return status;
  }
  status = latch_run_thread(vm, thread, request.count, run, &request.count);
  if (status != LATCH_OK) return status;
  return latch_encode_results(vm, thread, request.count, results);
}
