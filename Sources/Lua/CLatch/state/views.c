/// Running readers: views, whose values are kept, and invariants.
///
/// A view's value is kept as bytes if the host asks for it, and as a table if a script does:
/// usually only one of the two does.

#include <string.h>

#include "state/state.h"

// MARK: Running

/// Pushes the parts that are kept of the reader.
static const void *push_record(lua_State *L, lua_Integer reader) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_READERS);
  lua_rawgeti(L, -1, reader + 1);
  lua_replace(L, -2);
  return latch_top_cells(L, 1)->object;
}

/// Calls the reader's function with the state. Leaves its results.
///
/// A table of the state that a reader has kept is read without being recorded, since its reads are
/// recorded only while it is given out.
static void call_reader(lua_State *L, const void *record, lua_Integer reader, int results) {
  latch_push_cell(L, latch_element_cell(record, LATCH_READER_FUNCTION));
  latch_push_read_state(L);
  if (latch_of(L)->readers[reader].keeps) latch_depend_on_all(L);
  lua_call(L, 1, results);
}

/// (reader): runs it without its former reads. Leaves the reader, its record and its results.
static int32_t run(lua_State *L, int results) {
  latch_vm *vm = latch_of(L);
  int32_t reader = (int32_t)latch_argument_cells(L)->integer;
  const void *record = push_record(L, reader);
  vm->recording = reader;
  vm->read_again = 0;
  vm->former_reads = latch_element_cell(record, LATCH_READER_READS)->object;
  memset(&vm->walk, 0, sizeof vm->walk);
  latch_reader_runs_now(vm, reader);
  call_reader(L, record, reader, results);
  return reader;
}

/// (reader): runs it, and returns its results.
static int run_reader(lua_State *L) {
  run(L, LUA_MULTRET);
  return lua_gettop(L) - 2;
}

static int forget_unread(lua_State *L) {
  latch_forget_unread(L);
  return 0;
}

/// A run for the host has ended, in whatever way.
static void end_recording(latch_vm *vm) {
  if (vm->recording < 0) return;
  if (vm->read_again < vm->readers[vm->recording].reads) {
    latch_protect_unlimited(vm, forget_unread, NULL);
  }
  latch_stop_recording(vm);
}

// MARK: Values

/// Encodes the value on top of the stack, which must be plain data.
static void encode_value(lua_State *L, latch_vm *vm) {
  latch_buffer_clear(&vm->out);
  latch_encoder encoder;
  latch_encoder_begin(&encoder, vm, &vm->out);
  if (!latch_encode(&encoder, L, -1)) {
    luaL_error(
      L, "%s%s", lua_istable(L, -1) ? "a view must return plain data; " : "", encoder.fault);
  }
  if (vm->out.failed) latch_raise_no_memory(L);
}

/// Replaces the bytes on top of the stack by a read-only table of its own.
static void push_frozen(lua_State *L, const uint8_t *bytes, size_t length) {
  latch_decode(L, &bytes, bytes + length, 0);
  latch_freeze(L);
}

/// (reader): runs a view and keeps its value, which is also in vm->out. Returns the kept value: the
/// value itself, or the bytes of a table.
static int run_view(lua_State *L) {
  latch_vm *vm = latch_of(L);
  int64_t before = vm->budget.left;
  int32_t reader = run(L, 1);
  encode_value(L, vm);
  if (lua_istable(L, -1))
    memcpy(lua_newuserdatauv(L, vm->out.length, 0), vm->out.bytes, vm->out.length);
  latch_forget_unread(L);
  latch_stop_recording(vm);
  latch_reader_has_run(vm, reader);
  vm->readers[reader].cost = before - vm->budget.left;
  lua_pushvalue(L, -1);
  lua_rawseti(L, 2, LATCH_READER_VALUE);
  return 1;
}

/// Pushes the kept value of a reader for a script; it may be decoded to a table for that.
static void push_kept(lua_State *L, lua_Integer reader) {
  push_record(L, reader);
  int record = lua_gettop(L);
  if (lua_rawgeti(L, record, LATCH_READER_VALUE) == LUA_TUSERDATA) {
    push_frozen(L, lua_touserdata(L, -1), lua_rawlen(L, -1));
    lua_pushvalue(L, -1);
    lua_rawseti(L, record, LATCH_READER_VALUE);
    lua_remove(L, -2);
  }
  lua_remove(L, record);
}

/// Charges the script for the part that the hook has not counted yet.
static void count_from_here(lua_State *L, latch_vm *vm) {
  latch_charge_instructions(L, lua_gethookcount(L));
  latch_count_anew(vm, L);
}

/// Runs a view for a script.
static void compute(lua_State *L, latch_vm *vm, lua_Integer reader) {
  latch_phase phase = vm->phase;
  vm->phase = LATCH_VIEW;
  lua_pushcfunction(L, run_view);
  lua_pushinteger(L, reader);
  int status = lua_pcall(L, 1, 0, 0);
  vm->phase = phase;
  latch_forget_unread(L);
  latch_stop_recording(vm);
  if (phase == LATCH_EFFECT && vm->search_stored_nodes != NULL) {
    lua_pushcfunction(L, vm->search_stored_nodes);
    lua_call(L, 0, 0);
  }
  if (status == LUA_OK) return;
  if (latch_must_pass_on(L, status)) latch_rekill(L);
  lua_error(L);
}

/// (reader), from a script: the view's value, computed first if it is stale. If a view reads
/// another view, the reads of that one count as its own.
///
/// In each budget, the first call costs as much as computing the value, even if the value had been
/// computed before: watching a view must not change where a limit ends a run.
int latch_view_read(lua_State *L) {
  latch_vm *vm = latch_of(L);
  lua_Integer reader = latch_check_integer(L, 1);
  if (reader < 0 || reader >= vm->reader_count) return luaL_error(L, "no such view");
  lua_settop(L, 1);
  if (vm->views_are_elsewhere && vm->phase == LATCH_EFFECT)
    return latch_ask_host(L, LATCH_HOST_VIEW);
  if (vm->recording >= 0) {
    latch_check_stack(L, 10, "views read each other too deeply");
    call_reader(L, push_record(L, reader), reader, 1);
    return 1;
  }
  if (vm->trace != NULL) vm->trace->is_hidden = true;
  const latch_reader *known = &vm->readers[reader];
  bool is_stale = latch_reader_is_stale(vm, (int32_t)reader);
  bool pays = is_stale || known->paid != vm->budget.grant;
  if (pays) count_from_here(L, vm);
  // If the remaining budget is less than the cost, the run ends where computing the value would
  // have ended.
  if (is_stale || (pays && known->cost > vm->budget.left)) compute(L, vm, reader);
  else if (pays) latch_charge_instructions(L, known->cost);
  if (pays) {
    vm->readers[reader].paid = vm->budget.grant;
    latch_count_anew(vm, L);
  }
  push_kept(L, reader);
  return 1;
}

void latch_read_views_elsewhere(latch_vm *vm) { vm->views_are_elsewhere = true; }

static int encode_kept(lua_State *L) {
  latch_vm *vm = latch_of(L);
  push_record(L, (lua_Integer)(intptr_t)lua_touserdata(L, 1));
  if (lua_rawgeti(L, -1, LATCH_READER_VALUE) == LUA_TUSERDATA) {
    latch_buffer_clear(&vm->out);
    latch_buffer_add(&vm->out, lua_touserdata(L, -1), lua_rawlen(L, -1));
    return vm->out.failed ? latch_raise_no_memory(L) : 0;
  }
  encode_value(L, vm);
  return 0;
}

latch_status latch_view_value(latch_vm *vm, int32_t reader, int64_t budget, latch_bytes *value) {
  latch_status status = LATCH_OK;
  if (latch_reader_is_stale(vm, reader)) {
    latch_run_kind kind = latch_kind_of_run(vm, vm->readers[reader].function);
    latch_run run = {LATCH_VIEW, budget};
    status = latch_run_function(vm, run_view, reader, run, kind, NULL, NULL);
    end_recording(vm);
  } else {
    status = latch_protect_unlimited(vm, encode_kept, (void *)(intptr_t)reader);
  }
  *value = latch_buffer_view(&vm->out);
  return status;
}

/// Runs an invariant or a condition.
static latch_rule_result ask(latch_vm *vm, int32_t reader, latch_run run) {
  int count = 0;
  lua_State *thread;
  latch_run_kind kind = latch_kind_of_run(vm, vm->readers[reader].function);
  latch_status status = latch_run_function(vm, run_reader, reader, run, kind, &thread, &count);
  end_recording(vm);
  return status == LATCH_OK ? latch_take_rule_result(vm, thread, count) : LATCH_RULE_RAISED;
}

/// Runs a condition that is known to read only fields of the state: nothing is recorded.
static latch_rule_result ask_plainly(latch_vm *vm, int32_t reader, latch_run run) {
  int count = 0;
  lua_State *thread;
  latch_reader_runs_now(vm, reader);
  latch_status status =
    latch_run_kept(vm, vm->readers[reader].function, LATCH_NO_REF, run, &thread, &count);
  return status == LATCH_OK ? latch_take_rule_result(vm, thread, count) : LATCH_RULE_RAISED;
}

latch_rule_result latch_check_invariant(latch_vm *vm, int32_t reader, int64_t budget) {
  if (!latch_reader_is_stale(vm, reader)) return LATCH_RULE_PASSED;
  latch_rule_result result = ask(vm, reader, (latch_run){LATCH_INVARIANT, budget});
  if (result == LATCH_RULE_PASSED) latch_reader_has_run(vm, reader);
  return result;
}

latch_rule_result latch_ask_condition(latch_vm *vm, int32_t reader, int64_t budget) {
  if (!latch_reader_is_stale(vm, reader)) {
    return latch_condition_holds(vm, reader) ? LATCH_RULE_PASSED : LATCH_RULE_REFUSED;
  }
  latch_run run = {LATCH_CONDITION, budget};
  bool is_plain = vm->readers[reader].field_count >= 0;
  latch_rule_result result = is_plain ? ask_plainly(vm, reader, run) : ask(vm, reader, run);
  if (result == LATCH_RULE_PASSED || result == LATCH_RULE_REFUSED) {
    latch_condition_has_run(vm, reader, result == LATCH_RULE_PASSED);
  }
  return result;
}
