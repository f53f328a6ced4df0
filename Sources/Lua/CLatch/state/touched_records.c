/// The records that a transaction has changed, whose machines may take eventless transitions:
/// conditions read only the record, so those of other records are as they were.

#include "state/state.h"

static void push_touched(lua_State *L) {
  if (lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_TOUCHED_RECORDS) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_TOUCHED_RECORDS);
}

void latch_touch_record(lua_State *L, int record) {
  latch_vm *vm = latch_of(L);
  record = lua_absindex(L, record);
  int top = lua_gettop(L);
  latch_check_stack(L, 6, "too much at once");
  push_touched(L);
  lua_pushvalue(L, record);
  if (lua_rawget(L, top + 1) == LUA_TNIL) {
    lua_pushvalue(L, record);
    lua_pushboolean(L, 1);
    lua_rawset(L, top + 1);
    lua_pushvalue(L, record);
    lua_rawseti(L, top + 1, (lua_Integer)++vm->records.touched);
  }
  lua_settop(L, top);
}

/// Records the records that contain the node on top of the stack.
static void touch_around(lua_State *L) {
  int node = lua_gettop(L), count;
  latch_check_stack(L, 2 * LATCH_DEEPEST_NESTING, "the state is nested too deeply");
  if (latch_push_way(L, node, 0, &count) != LATCH_STANDS) return;
  latch_charge(L, (size_t)count + 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_RECORD_MACHINES);
  lua_rawgeti(L, -1, LATCH_ROOT_POSITION);
  lua_remove(L, -2);
  int at = lua_gettop(L) - 1, position = at + 1;
  for (int i = count - 1; i >= 0; i--) {
    latch_push_node_data(L, at);
    lua_pushvalue(L, node + 1 + i);
    lua_rawget(L, position + 1);
    lua_replace(L, at);
    lua_settop(L, position);
    if (!latch_push_position_below(L, position, node + 1 + i)) break;
    lua_replace(L, position);
    if (latch_push_machines_at(L, position)) latch_touch_record(L, at);
    lua_settop(L, position);
  }
  lua_settop(L, node);
}

/// Records the records that were written to since the last call.
static void find_touched(lua_State *L, latch_vm *vm) {
  const latch_log *log = &vm->log;
  for (uint32_t i = vm->records.asked; i < log->writes.count; i++) {
    const latch_written *write = (const latch_written *)log->writes.items + i;
    if (write->entry == LATCH_PLACE_ENTRY) continue;
    if (write->entry == 0) {
      latch_push_table(L, ((const latch_written_node *)log->nodes.items + write->node)->node);
    } else {
      latch_push_place_of_entry(L, write->entry);
      lua_pop(L, 1);
    }
    touch_around(L);
    lua_pop(L, 1);
  }
  vm->records.asked = log->writes.count;
}

typedef struct {
  int32_t machine;
  latch_selected *found;
} latch_touched_request;

static int find(lua_State *L) {
  find_touched(L, latch_of(L));
  return 0;
}

latch_status latch_find_touched_records(latch_vm *vm) {
  if (vm->records.asked == vm->log.writes.count) return LATCH_OK;
  return latch_protect(vm, find, NULL, 0);
}

static int select_touched(lua_State *L) {
  enum { REQUEST = 1, MACHINE, TOUCHED, SELECTED };
  const latch_touched_request *request = lua_touserdata(L, REQUEST);
  latch_vm *vm = latch_of(L);
  if (!latch_push_machine(L, request->machine)) return 0;
  push_touched(L);
  latch_push_selected(L);
  request->found->first = vm->records.selected + 1;
  for (uint32_t i = 1; i <= vm->records.touched; i++) {
    latch_charge(L, 1);
    lua_rawgeti(L, TOUCHED, i);
    if (latch_push_keys_of_record(L, SELECTED + 1, MACHINE)) {
      lua_pushvalue(L, SELECTED + 1);
      lua_rawseti(L, SELECTED, (lua_Integer)++vm->records.selected);
      request->found->count++;
    }
    lua_settop(L, SELECTED);
  }
  return 0;
}

latch_status latch_select_touched(latch_vm *vm, int32_t machine, latch_selected *found) {
  *found = (latch_selected){0, 0, false};
  if (vm->records.touched == 0) return LATCH_OK;
  latch_touched_request request = {machine, found};
  return latch_protect(vm, select_touched, &request, 0);
}

static int forget(lua_State *L) {
  lua_pushboolean(L, 0);
  lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_TOUCHED_RECORDS);
  return 0;
}

void latch_forget_touched_records(latch_vm *vm) {
  vm->records.asked = vm->log.writes.count;
  if (vm->records.touched == 0) return;
  vm->records.touched = 0;
  latch_protect_unlimited(vm, forget, NULL);
}
