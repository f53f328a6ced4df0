/// Running readers: views, whose values are kept, and invariants.

#include "vm.h"

/// Calls the reader's function with a recording root. Leaves its results.
static int call_reader(lua_State *L, int record, int results) {
  int top = lua_gettop(L);
  lua_rawgeti(L, record, LATCH_READER_FUNCTION);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
  latch_push_recorder(L, -1);
  lua_remove(L, -2);
  lua_call(L, 1, results);
  return lua_gettop(L) - top;
}

/// (reader): runs it from a clean slate; returns its results.
static int run_reader(lua_State *L) {
  latch_vm *vm = latch_of(L);
  lua_Integer reader = lua_tointeger(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_READERS);
  lua_rawgeti(L, 2, reader + 1);
  latch_forget_reads(L, 3, reader);
  lua_newtable(L);
  lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_RECORDERS);
  vm->recording = (int32_t)reader;
  latch_reader_runs_now(vm, (int32_t)reader);
  int count = call_reader(L, 3, LUA_MULTRET);
  return count;
}

/// Copies the value on top of the stack into a read-only one of its own.
static void detach_value(lua_State *L) {
  latch_vm *vm = latch_of(L);
  if (!lua_istable(L, -1)) {
    latch_encoder probe;
    latch_encoder_begin(&probe, vm, &vm->out);
    latch_buffer_clear(&vm->out);
    if (!latch_encode(&probe, L, -1)) luaL_error(L, "%s", probe.fault);
    return;
  }
  latch_buffer_clear(&vm->out);
  latch_encoder encoder;
  latch_encoder_begin(&encoder, vm, &vm->out);
  if (!latch_encode(&encoder, L, -1)) luaL_error(L, "a view returns plain data; %s", encoder.fault);
  if (vm->out.failed) latch_raise_no_memory(L);
  const uint8_t *cursor = vm->out.bytes;
  latch_decode(L, &cursor, vm->out.bytes + vm->out.length, 0);
  latch_freeze(L);
  lua_replace(L, -2);
}

/// (reader): runs a view and keeps its value, which it returns.
static int run_view(lua_State *L) {
  latch_vm *vm = latch_of(L);
  lua_settop(L, 1);
  lua_Integer reader = lua_tointeger(L, 1);
  int count = run_reader(L);
  if (count == 0) lua_pushnil(L);
  else lua_settop(L, lua_gettop(L) - count + 1);
  detach_value(L);
  vm->recording = LATCH_NO_READER;
  latch_reader_has_run(vm, (int32_t)reader);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_READERS);
  lua_rawgeti(L, -1, reader + 1);
  lua_pushvalue(L, -3);
  lua_rawseti(L, -2, LATCH_READER_VALUE);
  lua_pop(L, 2);
  return 1;
}

static int push_kept(lua_State *L, lua_Integer reader) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_READERS);
  lua_rawgeti(L, -1, reader + 1);
  lua_rawgeti(L, -1, LATCH_READER_VALUE);
  return 1;
}

/// (reader), from a script: the view's value, computed first if it is stale. A view that is read
/// by a view is part of that view: its reads are the other's.
int latch_view_read(lua_State *L) {
  latch_vm *vm = latch_of(L);
  lua_Integer reader = luaL_checkinteger(L, 1);
  if (reader < 0 || reader >= vm->reader_count) return luaL_error(L, "no such view");
  lua_settop(L, 1);
  if (vm->recording >= 0) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_READERS);
    lua_rawgeti(L, -1, reader + 1);
    latch_check_stack(L, 10, "views read each other too deeply");
    call_reader(L, lua_gettop(L), 1);
    return 1;
  }
  if (!latch_reader_is_stale(vm, (int32_t)reader)) return push_kept(L, reader);
  latch_phase phase = vm->phase;
  vm->phase = LATCH_VIEW;
  lua_pushcfunction(L, run_view);
  lua_pushinteger(L, reader);
  int status = lua_pcall(L, 1, 1, 0);
  vm->phase = phase;
  vm->recording = LATCH_NO_READER;
  if (status == LUA_OK) return 1;
  if (latch_must_pass_on(L, status)) return latch_rekill(L);
  return lua_error(L);
}

static int encode_kept(lua_State *L) {
  latch_vm *vm = latch_of(L);
  push_kept(L, (lua_Integer)(intptr_t)lua_touserdata(L, 1));
  latch_buffer_clear(&vm->out);
  latch_encoder encoder;
  latch_encoder_begin(&encoder, vm, &vm->out);
  if (!latch_encode(&encoder, L, -1)) return luaL_error(L, "%s", encoder.fault);
  return 0;
}

latch_status latch_view_value(latch_vm *vm, int32_t reader, int64_t budget, latch_bytes *value) {
  if (latch_reader_is_stale(vm, reader)) {
    int count = 0;
    lua_State *thread;
    latch_status status = latch_run_function(
      vm, run_view, reader, (latch_run){LATCH_VIEW, budget}, &thread, &count);
    vm->recording = LATCH_NO_READER;
    if (status != LATCH_OK) return status;
    lua_settop(thread, 0);
  }
  vm->unlimited++;
  latch_status status = latch_protect(vm, encode_kept, (void *)(intptr_t)reader, 0);
  vm->unlimited--;
  *value = latch_buffer_view(&vm->out);
  return status;
}

latch_rule_result latch_check_invariant(latch_vm *vm, int32_t reader, int64_t budget) {
  if (!latch_reader_is_stale(vm, reader)) return LATCH_RULE_PASSED;
  int count = 0;
  lua_State *thread;
  latch_status status = latch_run_function(
    vm, run_reader, reader, (latch_run){LATCH_INVARIANT, budget}, &thread, &count);
  vm->recording = LATCH_NO_READER;
  if (status != LATCH_OK) return LATCH_RULE_RAISED;
  latch_rule_result result = latch_take_rule_result(vm, thread, count);
  if (result == LATCH_RULE_PASSED) latch_reader_has_run(vm, reader);
  return result;
}
