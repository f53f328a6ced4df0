/// Records with machines that are added or removed during a transaction.
///
/// Nodes that are put where such records are, and nodes that are removed from there, are recorded
/// at once. When the tables that scripts have put into the state are adopted (promote.c), the old
/// and the new place of each are compared: a new record begins in the initial state; a removed
/// record, and one under another key, is reported.

#include <string.h>

#include "state/state.h"

enum { BORN, DIED, MOVED };

/// The stack slots while records are compared.
enum { FIRST_PLACES = 1, FOUND, SEEN, SETTLED_TOP = SEEN };

// MARK: Telling

/// Records for the host what has happened to the machine's record. Keys that are 0 do not exist.
static void tell(
  lua_State *L, int machine, int what, int old_keys, int old_count, int keys, int count) {
  int top = lua_gettop(L);
  lua_rawgeti(L, machine, LATCH_MACHINE_IS_TOLD);
  if (lua_toboolean(L, -1)) {
    if (lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_RECORD_NOTES) != LUA_TTABLE) {
      lua_pop(L, 1);
      lua_newtable(L);
      lua_pushvalue(L, -1);
      lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_RECORD_NOTES);
    }
    lua_createtable(L, 4, 0);
    lua_pushinteger(L, what);
    lua_rawseti(L, top + 3, 1);
    lua_rawgeti(L, machine, LATCH_MACHINE_NUMBER);
    lua_rawseti(L, top + 3, 2);
    lua_Integer part = 3;
    if (old_keys != 0) {
      latch_push_record_keys(L, machine, old_keys, old_count);
      lua_rawseti(L, top + 3, part++);
    }
    if (keys != 0) {
      latch_push_record_keys(L, machine, keys, count);
      lua_rawseti(L, top + 3, part);
    }
    lua_rawseti(L, top + 2, (lua_Integer)++latch_of(L)->records.notes);
  }
  lua_settop(L, top);
}

// MARK: Coming and going

/// Checks that the added table can be a record with named fields.
static void check_record(lua_State *L, int record, int data, bool fresh) {
  latch_vm *vm = latch_of(L);
  int mark = latch_data_mark(L, data);
  const char *fault = NULL;
  if (mark == LATCH_R_LIST) fault = "a list cannot have a machine; only a record can";
  lua_pushnil(L);
  if (fault == NULL && lua_next(L, data)) {
    if (lua_isinteger(L, -2))
      fault = "a map with integer keys cannot have a machine; only a record can";
    lua_pop(L, 2);
  } else if (fault == NULL && mark == LATCH_R_EMPTY) {
    if (fresh || !vm->in_transaction) latch_set_mark(L, data, LATCH_R_MAP);
    else latch_give_kind(L, vm, record, LATCH_R_MAP);
  }
  if (fault == NULL) return;
  int top = lua_gettop(L);
  if (latch_push_place(L, record)) latch_path_error(L, top + 1, top + 2, fault);
  luaL_error(L, "%s", fault);
}

/// Adds `by` to the counts of the leaves at which the record's machine is.
static void count(lua_State *L, int machine, int record, int by) {
  int top = lua_gettop(L);
  if (lua_rawgeti(L, machine, LATCH_MACHINE_COUNTS) == LUA_TTABLE) {
    latch_push_node_data(L, record);
    latch_count_stop(L, machine, -1, by);  // the count of all records
    lua_rawgeti(L, machine, LATCH_MACHINE_REGION_COUNT);
    lua_Integer regions = lua_tointeger(L, -1);
    for (lua_Integer region = 0; region < regions; region++) {
      int stop = latch_stop_of_region(L, machine, top + 2, (int)region);
      if (stop >= 0) latch_count_stop(L, machine, stop, by);
    }
  }
  lua_settop(L, top);
}

// MARK: Settling

static void find(lua_State *L, int node, int position, void *context) {
  (void)position, (void)context;
  lua_pushvalue(L, node);
  if (lua_rawget(L, SEEN) != LUA_TNIL) return;
  lua_pushvalue(L, node);
  lua_pushboolean(L, 1);
  lua_rawset(L, SEEN);
  lua_pushvalue(L, node);
  lua_rawseti(L, FOUND, (lua_Integer)lua_rawlen(L, FOUND) + 1);
}

static bool same_keys(lua_State *L, int a, int b, int count) {
  for (int i = 0; i < count; i++) {
    if (!lua_rawequal(L, a + i, b + i)) return false;
  }
  return true;
}

/// Handles the machines of the records that were or are at a position. `fresh`: all of the record
/// is reported.
static void settle_machines(lua_State *L, int machines, int record, int what, bool fresh,
  int old_keys, int old_count, int keys, int count_) {
  lua_Integer all = (lua_Integer)lua_rawlen(L, machines);
  int top = lua_gettop(L);
  latch_charge(L, (size_t)all);
  if (what == BORN) {
    latch_push_node_data(L, record);
    check_record(L, record, top + 1, fresh);
    lua_settop(L, top);
  }
  for (lua_Integer i = 1; i <= all; i++) {
    lua_rawgeti(L, machines, i);
    if (what == BORN) latch_begin_machine(L, top + 1, record, fresh);
    if (what == BORN && latch_of(L)->records.go_on) latch_touch_record(L, record);
    if (what == BORN) count(L, top + 1, record, 1);
    if (what == DIED) count(L, top + 1, record, -1);
    tell(L, top + 1, what, old_keys, old_count, keys, count_);
    lua_settop(L, top);
  }
}

/// The host has written the states of a record's machines: they begin in those.
static void complete_machines(
  lua_State *L, int machines, int record, int old_keys, int old_count, int keys, int count_) {
  lua_Integer all = (lua_Integer)lua_rawlen(L, machines);
  for (lua_Integer i = 1; i <= all; i++) {
    lua_rawgeti(L, machines, i);
    int machine = lua_gettop(L);
    latch_complete_machine(L, machine, record, false);
    tell(L, machine, DIED, old_keys, old_count, 0, 0);
    tell(L, machine, BORN, 0, 0, keys, count_);
    lua_settop(L, machine - 1);
  }
}

static void settle_node(lua_State *L, int node) {
  latch_check_stack(L, 3 * LATCH_DEEPEST_NESTING, "the state is nested too deeply");
  int top = lua_gettop(L), old_count, new_count;
  latch_standing stood = latch_push_way(L, node, FIRST_PLACES, &old_count);
  int keys = top + 1 + old_count;
  latch_standing stands = latch_push_way(L, node, 0, &new_count);
  int old_position = keys + new_count, new_position = old_position + 1,
      old_machines = new_position + 1, new_machines = old_machines + 1;
  if (stood != LATCH_STANDS || !latch_push_position_of(L, top + 1, old_count)) lua_pushnil(L);
  if (stands != LATCH_STANDS || !latch_push_position_of(L, keys, new_count)) lua_pushnil(L);
  if (lua_isnil(L, old_position) || !latch_push_machines_at(L, old_position)) lua_pushnil(L);
  if (lua_isnil(L, new_position) || !latch_push_machines_at(L, new_position)) lua_pushnil(L);
  latch_mark_node(L, node, lua_isnil(L, new_position) ? 0 : new_position);
  bool was = lua_istable(L, old_machines), is = lua_istable(L, new_machines);
  if (was && is && lua_rawequal(L, old_position, new_position)) {
    if (latch_is_given(L, node)) {
      complete_machines(L, new_machines, node, top + 1, old_count, keys, new_count);
    } else if (!same_keys(L, top + 1, keys, new_count)) {
      settle_machines(L, new_machines, node, MOVED, false, top + 1, old_count, keys, new_count);
    }
  } else {
    bool fresh = stood == LATCH_MADE_NOW;
    if (was) settle_machines(L, old_machines, node, DIED, false, top + 1, old_count, 0, 0);
    if (is) settle_machines(L, new_machines, node, BORN, fresh, 0, 0, keys, new_count);
  }
  lua_settop(L, top);
}

/// Finds, for each node that has left its place since, the write that has its first place.
static void find_first_places(lua_State *L, latch_vm *vm) {
  const latch_log *log = &vm->log;
  for (uint32_t i = vm->records.settled; i < log->writes.count; i++) {
    const latch_written *write = (const latch_written *)log->writes.items + i;
    if (write->entry != LATCH_PLACE_ENTRY) continue;
    latch_charge(L, 1);
    latch_push_table(L, write->moved);
    lua_pushvalue(L, -1);
    if (lua_rawget(L, FIRST_PLACES) == LUA_TNIL) {
      lua_pop(L, 1);
      lua_pushinteger(L, i);
      lua_rawset(L, FIRST_PLACES);
    }
    lua_settop(L, SETTLED_TOP);
  }
}

/// Finds the nodes that are, or were, at positions below the candidate on top of the stack.
static void find_below(lua_State *L, bool then) {
  int candidate = lua_gettop(L), count_;
  if (latch_push_way(L, candidate, then ? FIRST_PLACES : 0, &count_) == LATCH_STANDS &&
      latch_push_position_of(L, candidate + 1, count_)) {
    latch_walk_positions(L, candidate, lua_gettop(L), 0, find, NULL);
  }
  lua_settop(L, candidate);
}

void latch_settle_records(lua_State *L) {
  latch_vm *vm = latch_of(L);
  if (vm->records.candidates > 0) {
    lua_settop(L, 0);
    lua_newtable(L);
    lua_newtable(L);
    lua_newtable(L);
    find_first_places(L, vm);
    for (uint32_t i = 1; i <= vm->records.candidates; i++) {
      latch_push_candidate(L, i);
      find_below(L, true);
      find_below(L, false);
      lua_settop(L, SETTLED_TOP);
    }
    lua_Integer count_ = (lua_Integer)lua_rawlen(L, FOUND);
    for (lua_Integer i = 1; i <= count_; i++) {
      lua_rawgeti(L, FOUND, i);
      settle_node(L, lua_gettop(L));
      lua_settop(L, SETTLED_TOP);
    }
  }
  latch_forget_candidates(L);
  if (vm->records.by_host) latch_drop_counts(L);
  vm->records.settled = vm->log.writes.count;
  lua_settop(L, 0);
}

// MARK: The beginning

static void begin_here(lua_State *L, int node, int position, void *context) {
  lua_Integer only = *(lua_Integer *)context;
  latch_mark_node(L, node, position);
  if (!latch_push_machines_at(L, position)) return;
  int machines = lua_gettop(L);
  latch_push_node_data(L, node);
  check_record(L, node, machines + 1, true);
  lua_Integer all = (lua_Integer)lua_rawlen(L, machines);
  for (lua_Integer i = 1; i <= all; i++) {
    lua_rawgeti(L, machines, i);
    lua_rawgeti(L, -1, LATCH_MACHINE_NUMBER);
    lua_Integer number = lua_tointeger(L, -1);
    lua_pop(L, 1);
    if (number == only) {
      int machine = lua_gettop(L), count_;
      latch_begin_machine(L, machine, node, true);
      if (latch_of(L)->records.go_on) latch_touch_record(L, node);
      if (latch_push_way(L, node, 0, &count_) == LATCH_STANDS) {
        tell(L, machine, BORN, 0, 0, machine + 1, count_);
      }
    }
    lua_settop(L, machines + 1);
  }
}

void latch_begin_records(lua_State *L, int root_position, int machine) {
  int top = lua_gettop(L);
  lua_rawgeti(L, machine, LATCH_MACHINE_NUMBER);
  lua_Integer number = lua_tointeger(L, -1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
  latch_walk_positions(L, top + 2, root_position, machine, begin_here, &number);
  lua_settop(L, top);
}

// MARK: Taking notes

static int encode_notes(lua_State *L) {
  latch_vm *vm = latch_of(L);
  latch_encoder encoder;
  latch_buffer_clear(&vm->out);
  latch_encoder_begin(&encoder, vm, &vm->out);
  encoder.has_texts_of_state = true;
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_RECORD_NOTES);
  if (!latch_encode(&encoder, L, lua_gettop(L))) return luaL_error(L, "%s", encoder.fault);
  return 0;
}

static int forget_notes(lua_State *L) {
  lua_pushboolean(L, 0);
  lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_RECORD_NOTES);
  return 0;
}

latch_status latch_take_record_notes(latch_vm *vm, latch_bytes *notes) {
  *notes = (latch_bytes){NULL, 0};
  if (vm->records.notes == 0) return LATCH_OK;
  latch_status status = latch_protect(vm, encode_notes, NULL, 0);
  latch_drop_record_notes(vm);
  if (status == LATCH_OK) *notes = latch_buffer_view(&vm->out);
  return status;
}

void latch_drop_record_notes(latch_vm *vm) {
  if (vm->records.notes == 0) return;
  vm->records.notes = 0;
  latch_protect_unlimited(vm, forget_notes, NULL);
}
