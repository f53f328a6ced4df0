/// Readers (views and invariants) and what they have read.
///
/// A reader runs on recording nodes, whose `__index` is a function: each read is remembered as
/// (node, key) -> reader, and a transition that changes (node, key) makes the reader stale. Whole
/// tables (`pairs`, `#`, a node returned as a value) are remembered under the key `true`.

#include <stdlib.h>

#include "vm.h"

enum { FUNCTION = 1, KEPT_VALUE = 2, DEPENDENCIES = 3 };

// MARK: Staleness

/// What is known of a reader. What a transition made stale is as good as before once the
/// transition is rolled back, unless the reader has run in the meantime.
enum {
  STALE = 1,    ///< it has to run before its value can be used
  TOUCHED = 2,  ///< it became stale, and the host has not asked yet
  DOUBTED = 4,  ///< it became stale in the transition under way
  RAN = 8,      ///< it has run in the transition under way
};

static void mark(latch_vm *vm, lua_Integer reader) {
  if (reader < 0 || reader >= vm->reader_count) return;
  uint8_t *known = &vm->readers[reader];
  if (vm->in_transition && (*known & STALE) == 0) *known |= DOUBTED;
  *known |= STALE | TOUCHED;
}

void latch_settle_readers(latch_vm *vm, bool rolled_back) {
  for (int32_t reader = 0; reader < vm->reader_count; reader++) {
    uint8_t *known = &vm->readers[reader];
    if (rolled_back && (*known & RAN)) *known |= STALE;
    else if (rolled_back && (*known & DOUBTED)) *known &= (uint8_t)~STALE;
    *known &= (uint8_t)~(DOUBTED | RAN);
  }
}

/// The value on top of the stack (popped) is a reader, a set of readers, or nil.
static void mark_all(latch_vm *vm, lua_State *L) {
  if (lua_isinteger(L, -1)) {
    mark(vm, lua_tointeger(L, -1));
  } else if (lua_istable(L, -1)) {
    lua_pushnil(L);
    while (lua_next(L, -2)) {
      lua_pop(L, 1);
      mark(vm, lua_tointeger(L, -1));
    }
  }
  lua_pop(L, 1);
}

static void touch(latch_vm *vm, lua_State *L, int keys, int key, bool whole) {
  lua_pushboolean(L, 1);
  lua_rawget(L, keys);
  mark_all(vm, L);
  if (!whole) {
    lua_pushvalue(L, key);
    lua_rawget(L, keys);
    mark_all(vm, L);
    return;
  }
  lua_pushnil(L);
  while (lua_next(L, keys)) mark_all(vm, L);
}

static void touch_journal(lua_State *L, latch_vm *vm) {
  int top = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_DEPENDENTS);
  for (lua_Integer entry = 1; entry <= vm->journal_count; entry++) {
    latch_push_entry(L, entry);
    latch_operation operation = (latch_operation)lua_tointeger(L, top + 5);
    lua_pushvalue(L, top + 2);
    lua_rawget(L, top + 1);
    if (lua_istable(L, -1) && operation != LATCH_J_PLACE) {
      touch(vm, L, top + 6, top + 3, operation != LATCH_J_SET);
    }
    lua_settop(L, top + 1);
  }
  lua_settop(L, top);
}

static void touch_fields(lua_State *L, latch_vm *vm) {
  int top = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_DEPENDENTS);
  for (int i = 0; i < vm->field_count; i++) {
    latch_push_field(L, vm, i);
    lua_pushvalue(L, top + 2);
    if (lua_rawget(L, top + 1) == LUA_TTABLE) touch(vm, L, top + 5, top + 3, false);
    lua_settop(L, top + 1);
  }
  lua_settop(L, top);
}

void latch_touch_writes(lua_State *L) {
  latch_vm *vm = latch_of(L);
  if (vm->reader_count == 0) return;
  touch_journal(L, vm);
  touch_fields(L, vm);
}

bool latch_reader_is_stale(const latch_vm *vm, int32_t reader) {
  return reader < 0 || reader >= vm->reader_count || (vm->readers[reader] & STALE) != 0;
}

int64_t latch_reader_runs(const latch_vm *vm, int32_t reader) {
  return reader < 0 || reader >= vm->reader_count ? 0 : vm->runs[reader];
}

size_t latch_readers_touched(latch_vm *vm, int32_t *readers, size_t capacity) {
  size_t count = 0;
  for (int32_t reader = 0; reader < vm->reader_count && count < capacity; reader++) {
    if ((vm->readers[reader] & TOUCHED) == 0) continue;
    vm->readers[reader] &= (uint8_t)~TOUCHED;
    readers[count++] = reader;
  }
  return count;
}

void latch_readers_reset(latch_vm *vm) {
  for (int32_t reader = 0; reader < vm->reader_count; reader++) mark(vm, reader);
}

// MARK: Remembering

/// Adds the reader to the set at keys[key]. False: it was there already.
static bool add_reader(lua_State *L, int keys, int key, lua_Integer reader) {
  int top = lua_gettop(L);
  lua_pushvalue(L, key);
  lua_rawget(L, keys);
  bool added = true;
  if (lua_isnil(L, -1)) {
    lua_pushvalue(L, key);
    lua_pushinteger(L, reader);
    lua_rawset(L, keys);
  } else if (lua_isinteger(L, -1)) {
    added = lua_tointeger(L, -1) != reader;
    if (added) {
      lua_createtable(L, 0, 2);
      lua_pushboolean(L, 1);
      lua_rawseti(L, -2, lua_tointeger(L, top + 1));
      lua_pushboolean(L, 1);
      lua_rawseti(L, -2, reader);
      lua_pushvalue(L, key);
      lua_insert(L, -2);
      lua_rawset(L, keys);
    }
  } else {
    added = lua_rawgeti(L, -1, reader) == LUA_TNIL;
    lua_pop(L, 1);
    if (added) {
      lua_pushboolean(L, 1);
      lua_rawseti(L, -2, reader);
    }
  }
  lua_settop(L, top);
  return added;
}

static void remember(lua_State *L, int node, int key) {
  latch_vm *vm = latch_of(L);
  if (vm->recording < 0) return;
  if (lua_isnil(L, key) || !lua_rawequal(L, key, key)) return;  // no table has nil or NaN as a key
  latch_check_stack(L, 12, "too deep");
  node = lua_absindex(L, node);
  key = lua_absindex(L, key);
  int top = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_DEPENDENTS);
  lua_pushvalue(L, node);
  lua_rawget(L, top + 1);
  if (!lua_istable(L, -1)) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, node);
    lua_pushvalue(L, -2);
    lua_rawset(L, top + 1);
  }
  if (add_reader(L, top + 2, key, vm->recording)) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_READERS);
    lua_rawgeti(L, -1, vm->recording + 1);
    lua_rawgeti(L, -1, DEPENDENCIES);
    lua_Integer count = (lua_Integer)lua_rawlen(L, -1);
    lua_pushvalue(L, node);
    lua_rawseti(L, -2, count + 1);
    lua_pushvalue(L, key);
    lua_rawseti(L, -2, count + 2);
  }
  lua_settop(L, top);
}

static void remove_reader(lua_State *L, int keys, int key, lua_Integer reader) {
  int top = lua_gettop(L);
  lua_pushvalue(L, key);
  lua_rawget(L, keys);
  bool empty = lua_isinteger(L, -1);
  if (lua_istable(L, -1)) {
    lua_pushnil(L);
    lua_rawseti(L, -2, reader);
    lua_pushnil(L);
    empty = !lua_next(L, top + 1);
  }
  if (empty) {
    lua_pushvalue(L, key);
    lua_pushnil(L);
    lua_rawset(L, keys);
  }
  lua_settop(L, top);
}

/// Forgets what the reader at `record` has read.
static void forget(lua_State *L, int record, lua_Integer reader) {
  int top = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_DEPENDENTS);
  lua_rawgeti(L, record, DEPENDENCIES);
  lua_Integer count = (lua_Integer)lua_rawlen(L, top + 2);
  for (lua_Integer i = 1; i < count; i += 2) {
    lua_rawgeti(L, top + 2, i);
    lua_rawgeti(L, top + 2, i + 1);
    lua_pushvalue(L, top + 3);
    lua_rawget(L, top + 1);
    if (lua_istable(L, -1)) {
      remove_reader(L, top + 5, top + 4, reader);
      lua_pushnil(L);
      if (!lua_next(L, top + 5)) {
        lua_pushvalue(L, top + 3);
        lua_pushnil(L);
        lua_rawset(L, top + 1);
      }
    }
    lua_settop(L, top + 2);
  }
  lua_newtable(L);
  lua_rawseti(L, record, DEPENDENCIES);
  lua_settop(L, top);
}

int latch_depend(lua_State *L) {
  lua_settop(L, 1);
  if (latch_of(L)->recording < 0) return 0;
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_PRELUDE);  // stands in for a node
  remember(L, 2, 1);
  return 0;
}

static int touch_name(lua_State *L) {
  latch_vm *vm = latch_of(L);
  const char *name = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_DEPENDENTS);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_PRELUDE);
  lua_rawget(L, -2);
  if (!lua_istable(L, -1)) return 0;
  lua_getfield(L, -1, name);
  mark_all(vm, L);
  return 0;
}

latch_status latch_touch_name(latch_vm *vm, const char *name) {
  if (vm->reader_count == 0) return LATCH_OK;
  return latch_protect(vm, touch_name, (void *)(uintptr_t)name, 0);
}

// MARK: Recording nodes

static void push_recorder(lua_State *L, int node);

static int recorder_read(lua_State *L) {
  lua_settop(L, 2);
  lua_getmetatable(L, 1);
  lua_rawgeti(L, 3, 1);
  remember(L, 4, 2);
  latch_push_node_data(L, 4);
  lua_pushvalue(L, 2);
  lua_gettable(L, 5);  // not raw: a closed record refuses undeclared fields
  if (latch_is_node(L, -1)) push_recorder(L, lua_gettop(L));
  return 1;
}

int latch_recorder_write(lua_State *L) {
  latch_vm *vm = latch_of(L);
  return luaL_error(L, "%s cannot change the state; only a reducer can",
                    vm->phase == LATCH_INVARIANT ? "an invariant" : "a view");
}

static int recorder_length(lua_State *L) {
  lua_pushinteger(L, latch_length(L, 1));
  return 1;
}

void latch_push_recorded_data(lua_State *L, int index) {
  lua_getmetatable(L, index);
  lua_rawgeti(L, -1, 1);
  lua_pushboolean(L, 1);
  remember(L, -2, -1);
  lua_pop(L, 1);
  latch_push_node_data(L, -1);
  lua_replace(L, -3);
  lua_pop(L, 1);
}

/// Pushes the recording node of a node: the same one throughout a run, so that == works.
static void push_recorder(lua_State *L, int node) {
  latch_check_stack(L, 10, "too deep");
  node = lua_absindex(L, node);
  int top = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_RECORDERS);
  lua_pushvalue(L, node);
  lua_rawget(L, top + 1);
  if (!lua_istable(L, -1)) {
    lua_settop(L, top + 1);
    lua_newtable(L);
    lua_createtable(L, 1, 3);
    lua_pushvalue(L, node);
    lua_rawseti(L, -2, 1);
    lua_pushcfunction(L, recorder_read);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, latch_recorder_write);
    lua_setfield(L, -2, "__newindex");
    lua_pushcfunction(L, recorder_length);
    lua_setfield(L, -2, "__len");
    lua_setmetatable(L, -2);
    lua_pushvalue(L, node);
    lua_pushvalue(L, -2);
    lua_rawset(L, top + 1);
  }
  lua_replace(L, top + 1);
  lua_settop(L, top + 1);
}

// MARK: Running

/// Calls the reader's function with a recording root. Leaves its results.
static int call_reader(lua_State *L, int record, int results) {
  int top = lua_gettop(L);
  lua_rawgeti(L, record, FUNCTION);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
  push_recorder(L, -1);
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
  forget(L, 3, reader);
  lua_newtable(L);
  lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_RECORDERS);
  vm->recording = (int32_t)reader;
  vm->runs[reader]++;
  vm->readers[reader] &= (uint8_t)~DOUBTED;
  vm->readers[reader] |= STALE;  // until it has come to an end
  if (vm->in_transition) vm->readers[reader] |= RAN;
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
  vm->recording = -1;
  vm->readers[reader] &= (uint8_t)~STALE;
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_READERS);
  lua_rawgeti(L, -1, reader + 1);
  lua_pushvalue(L, -3);
  lua_rawseti(L, -2, KEPT_VALUE);
  lua_pop(L, 2);
  return 1;
}

static int push_kept(lua_State *L, lua_Integer reader) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_READERS);
  lua_rawgeti(L, -1, reader + 1);
  lua_rawgeti(L, -1, KEPT_VALUE);
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
  vm->recording = -1;
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
    vm->recording = -1;
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
  vm->recording = -1;
  if (status != LATCH_OK) return LATCH_RULE_RAISED;
  latch_rule_result result = latch_take_rule_result(vm, thread, count);
  if (result == LATCH_RULE_PASSED) vm->readers[reader] &= (uint8_t)~STALE;
  return result;
}

// MARK: Declaring

typedef struct {
  latch_ref function;
  int32_t reader;
} latch_new_reader;

static int add(lua_State *L) {
  latch_new_reader *request = lua_touserdata(L, 1);
  lua_createtable(L, 3, 0);
  lua_rawgeti(L, LUA_REGISTRYINDEX, request->function);
  lua_rawseti(L, -2, FUNCTION);
  lua_pushboolean(L, 0);
  lua_rawseti(L, -2, KEPT_VALUE);
  lua_newtable(L);
  lua_rawseti(L, -2, DEPENDENCIES);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_READERS);
  lua_insert(L, -2);
  lua_rawseti(L, -2, request->reader + 1);
  return 0;
}

latch_status latch_reader_add(latch_vm *vm, latch_ref function, int32_t *reader) {
  if (vm->reader_count == vm->reader_capacity) {
    int32_t capacity = vm->reader_capacity == 0 ? 8 : vm->reader_capacity * 2;
    uint8_t *readers = realloc(vm->readers, (size_t)capacity);
    if (readers != NULL) vm->readers = readers;
    int64_t *runs = realloc(vm->runs, (size_t)capacity * sizeof *runs);
    if (runs != NULL) vm->runs = runs;
    if (readers == NULL || runs == NULL) {
      latch_record_text(vm, LATCH_MEMORY, "not enough memory");
      return LATCH_MEMORY;
    }
    vm->reader_capacity = capacity;
  }
  latch_new_reader request = {function, vm->reader_count};
  latch_status status = latch_protect(vm, add, &request, 0);
  if (status != LATCH_OK) return status;
  *reader = vm->reader_count++;
  vm->readers[*reader] = STALE;
  vm->runs[*reader] = 0;
  return LATCH_OK;
}
