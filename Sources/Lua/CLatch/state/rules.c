/// Calls of rules and reducers, with their arguments and the results that they may return; and the
/// steps of a transaction, which write machines' states and call several reducers in one run.

#include "state/state.h"

// MARK: Rules

/// The bytes that are kept of a reason that is not UTF-8.
enum { MOST_ESCAPED = 1000 };

/// Keeps the reason of a rule, the value at `index` of its thread.
static void keep_reason(latch_vm *vm, lua_State *thread, int index) {
  latch_buffer_clear(&vm->reason);
  size_t length;
  char number[64];
  switch (lua_type(thread, index)) {
    case LUA_TSTRING: {
      const char *text = lua_tolstring(thread, index, &length);
      if (latch_is_utf8(text, length)) latch_buffer_add_start(&vm->reason, text, length);
      else latch_add_printable(&vm->reason, text, length < MOST_ESCAPED ? length : MOST_ESCAPED);
      break;
    }
    case LUA_TNUMBER:
      if (lua_isinteger(thread, index)) {
        lua_integer2str(number, sizeof number, lua_tointeger(thread, index));
      } else {
        lua_number2str(number, sizeof number, lua_tonumber(thread, index));
      }
      latch_buffer_text(&vm->reason, number);
      break;
    case LUA_TBOOLEAN:
      latch_buffer_text(&vm->reason, lua_toboolean(thread, index) ? "true" : "false");
      break;
    default: break;
  }
}

latch_bytes latch_rule_reason(const latch_vm *vm) { return latch_buffer_view(&vm->reason); }

latch_rule_result latch_take_rule_result(latch_vm *vm, lua_State *thread, int count) {
  latch_rule_result result = LATCH_RULE_NOTHING;
  latch_buffer_clear(&vm->reason);
  if (count > 0) {
    result = lua_toboolean(thread, -count) ? LATCH_RULE_PASSED : LATCH_RULE_REFUSED;
    if (result == LATCH_RULE_REFUSED && count > 1) keep_reason(vm, thread, 1 - count);
  }
  lua_pop(thread, count);
  return result;
}

latch_rule_result latch_call_rule(latch_vm *vm, latch_ref function, latch_ref name, latch_run run) {
  lua_State *thread;
  int count = 0;
  latch_status status = latch_run_kept(vm, function, name, run, &thread, &count);
  return status == LATCH_OK ? latch_take_rule_result(vm, thread, count) : LATCH_RULE_RAISED;
}

// MARK: Reducers

/// True if a reducer's results, on top of the stack, are allowed: none, nil or the state.
static bool returned_nothing(lua_State *L, int count) {
  if (count == 0) return true;
  if (count > 1) return false;
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
  bool fine = lua_isnil(L, -2) || lua_rawequal(L, -1, -2);
  lua_pop(L, 1);
  return fine;
}

static const char RETURNED_SOMETHING[] =
  "a reducer changes the state in place and returns nothing: write \"s.field = value\"";

latch_status latch_call_reducer(latch_vm *vm, latch_ref function, latch_run run) {
  lua_State *thread;
  int count = 0;
  vm->ending = function;
  latch_status status = latch_run_kept(vm, function, LATCH_NO_REF, run, &thread, &count);
  if (status != LATCH_OK) return status;
  bool fine = returned_nothing(thread, count);
  lua_pop(thread, count);
  return fine ? LATCH_OK : latch_record_text(vm, LATCH_RUNTIME, RETURNED_SOMETHING);
}

// MARK: Steps

typedef struct {
  const latch_step *steps;
  size_t count;
  latch_run run;
  bool returned;  ///< a reducer has returned something that it may not return
} latch_course;

/// A run that waits never returns here: only one that a limit has ended does.
static int never(lua_State *L, int status, lua_KContext context) {
  (void)L, (void)status, (void)context;
  return 0;
}

static int take_steps(lua_State *L) {
  latch_vm *vm = latch_of(L);
  latch_course *course = lua_touserdata(L, 1);
  for (size_t i = 0; i < course->count && !course->returned; i++) {
    const latch_step *step = &course->steps[i];
    lua_settop(L, 0);
    vm->record_arguments = 0;
    if (step->record != 0 && !latch_focus(L, step->machine, step->record)) continue;
    if (step->moves_to != LATCH_NO_REF) {
      latch_move_machine(L, vm, step);
      continue;
    }
    if (latch_may_keep_payload(vm, step->function)) {
      latch_push_frozen_payload(L);
      lua_settop(L, 0);
    }
    vm->ending = step->function;
    int arguments = latch_push_kept(L, step->function, LATCH_NO_REF);
    lua_callk(L, arguments, LUA_MULTRET, 0, never);
    course->returned = !returned_nothing(L, lua_gettop(L));
    if (!course->returned) latch_end_function(L);
  }
  return 0;
}

/// Writes the states of the machines that are first among the steps, as long as only fields have to
/// be written. Returns the number of these steps.
static size_t move_first(latch_vm *vm, lua_State *thread, const latch_step *steps, size_t count) {
  size_t moved = 0;
  while (moved < count && steps[moved].moves_to != LATCH_NO_REF &&
         latch_try_move(thread, vm, &steps[moved])) {
    moved++;
  }
  return moved;
}

/// True if the function of a step can be called directly: it needs no record, or its record is in
/// focus; then it becomes the argument.
static bool may_call_alone(latch_vm *vm, const latch_step *step) {
  if (step->record == 0) return true;
  if (!latch_is_in_focus(vm, step->machine, step->record)) return false;
  vm->record_arguments = vm->records.focused_arguments;
  return true;
}

latch_status latch_take_steps(latch_vm *vm, const latch_step *steps, size_t count, latch_run run) {
  lua_State *thread = latch_thread_for_run(vm);
  if (thread == NULL) return vm->failure.status;
  size_t moved = move_first(vm, thread, steps, count);
  steps += moved;
  count -= moved;
  if (count == 0) return LATCH_OK;
  if (count == 1 && steps->moves_to == LATCH_NO_REF && may_call_alone(vm, steps)) {
    latch_status status = latch_call_reducer(vm, steps->function, run);
    vm->record_arguments = 0;
    return status;
  }
  latch_course course = {steps, count, run, false};
  int results = 0;
  lua_pushcfunction(thread, take_steps);
  lua_pushlightuserdata(thread, &course);
  latch_status status = latch_run_thread(vm, thread, 1, run, &results);
  vm->host_writes = false;  // an error in writing a machine's state leaves it set
  vm->record_arguments = 0;
  if (status != LATCH_OK) return status;
  lua_pop(thread, results);
  if (!course.returned) return LATCH_OK;
  return latch_record_text(vm, LATCH_RUNTIME, RETURNED_SOMETHING);
}

// MARK: Other calls with the state

latch_status latch_call_on_state(
  latch_vm *vm, latch_ref function, latch_run run, latch_bytes *results) {
  lua_State *thread;
  int count = 0;
  latch_status status = latch_run_kept(vm, function, LATCH_NO_REF, run, &thread, &count);
  return status == LATCH_OK ? latch_encode_results(vm, thread, count, results) : status;
}

latch_status latch_call_writer(
  latch_vm *vm, latch_ref function, latch_bytes arguments, latch_run run) {
  run.phase = LATCH_REDUCER;
  vm->ending = LATCH_NO_REF;
  vm->host_writes = vm->records.by_host = true;  // the host may also write the states of machines
  latch_status status = latch_call(vm, function, arguments, run, NULL);
  vm->host_writes = false;
  return status;
}
