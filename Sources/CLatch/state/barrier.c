/// The write barrier: every write to the state arrives here, is checked, remembered in the journal,
/// and carried out on the node's data.

#include "state/state.h"

int latch_refuse_state_write(lua_State *L, latch_vm *vm) {
  latch_push_where(L);
  latch_push_path(L, 1, 2);
  lua_pushfstring(L, ": %s cannot change the state; only a reducer can", latch_who_runs(vm));
  lua_concat(L, 3);
  return lua_error(L);
}

// MARK: What may be written

void latch_check_value(lua_State *L, int index, int node, int key) {
  const char *fault = latch_scalar_fault(L, index);
  if (fault != NULL) latch_path_error(L, node, key, fault);
}

/// The key at `index` as the state has it: an integral float becomes an integer.
static void normalise_key(lua_State *L, int index, int node) {
  int type = lua_type(L, index);
  if (type == LUA_TSTRING) {
    if (!latch_is_utf8_key(L, index)) latch_path_error(L, node, index, "keys are UTF-8");
    return;
  }
  if (type == LUA_TNUMBER) {
    if (lua_isinteger(L, index)) return;
    int exact;
    lua_Integer integer = lua_tointegerx(L, index, &exact);
    if (exact) {
      lua_pushinteger(L, integer);
      lua_replace(L, index);
      return;
    }
  }
  latch_path_error(L, node, index, "keys are strings or integers");
}

enum { NODE = 1, KEY = 2, VALUE = 3, DATA = 4, OLD = 5 };

static void check_list(lua_State *L) {
  lua_Integer length = (lua_Integer)lua_rawlen(L, DATA);
  if (!lua_isinteger(L, KEY)) {
    latch_path_error(L, NODE, KEY, "a list has the keys 1 to n, no named ones");
  }
  lua_Integer key = lua_tointeger(L, KEY);
  bool fine = key >= 1 && key <= length + 1;
  if (lua_isnil(L, VALUE)) {
    if (key != length && key != length + 1) {
      latch_path_error(L, NODE, KEY, "a list has no holes; use table.remove");
    }
  } else if (!fine) {
    lua_pushfstring(L, "a list has no holes; the next free place is [%I]", (LUAI_UACINT)length + 1);
    latch_path_error(L, NODE, KEY, lua_tostring(L, -1));
  }
}

static void check_map(lua_State *L) {
  if (lua_isnil(L, VALUE) || !lua_isnil(L, OLD)) return;
  lua_pushnil(L);
  if (!lua_next(L, DATA)) return;
  bool other = (lua_type(L, -2) == LUA_TSTRING) != (lua_type(L, KEY) == LUA_TSTRING);
  lua_pop(L, 2);
  if (other) latch_path_error(L, NODE, KEY, "the keys of a map are strings or integers, not both");
}

/// An empty table whose kind nobody has said yet: its first key decides.
static void check_empty(lua_State *L) {
  if (lua_isnil(L, VALUE)) return;
  bool list = lua_isinteger(L, KEY) && lua_tointeger(L, KEY) == 1;
  lua_pushinteger(L, LATCH_R_EMPTY);
  latch_journal(L, NODE, KEY, lua_gettop(L), LATCH_J_KIND);
  latch_of(L)->structural = true;
  lua_pop(L, 1);
  latch_set_mark(L, DATA, list ? LATCH_R_LIST : LATCH_R_MAP);
}

static void check_record(lua_State *L) {
  int top = lua_gettop(L);
  lua_getmetatable(L, DATA);
  lua_rawgeti(L, top + 1, 1);
  lua_rawgeti(L, top + 1, 2);
  lua_pushvalue(L, KEY);
  lua_rawget(L, top + 2);
  lua_Integer use = lua_tointeger(L, -1);
  if (use == 0) latch_refuse_undeclared(L, top + 2, top + 3, KEY);
  if (use == LATCH_FIELD_MACHINE && !latch_of(L)->host_writes) {
    latch_path_error(L, NODE, KEY, "only its machine moves this field");
  }
  if (use == LATCH_FIELD_ALWAYS && lua_isnil(L, VALUE)) {
    latch_path_error(
      L, NODE, KEY, "this field always has a value (declare it as none to let it be empty)");
  }
  lua_settop(L, top);
}

// MARK: Writes

/// Whether the field belongs to a machine, which writes it itself: only the root has such fields.
static bool is_guarded(lua_State *L, latch_vm *vm) {
  if (vm->machine_count == 0 || vm->host_writes || lua_topointer(L, NODE) != vm->root) return false;
  lua_getmetatable(L, DATA);
  lua_rawgeti(L, -1, 1);
  lua_pushvalue(L, KEY);
  lua_rawget(L, -2);
  bool guarded = lua_tointeger(L, -1) == LATCH_FIELD_MACHINE;
  lua_pop(L, 3);
  return guarded;
}

/// (node, key, value), carried out whatever the phase. Leaves the stack as it was above VALUE.
static void write_value(lua_State *L, latch_vm *vm) {
  if (latch_is_none(L, VALUE)) {
    lua_pushnil(L);
    lua_replace(L, VALUE);
  }
  latch_push_node_data(L, NODE);
  lua_pushvalue(L, KEY);
  lua_rawget(L, DATA);
  int type = lua_type(L, VALUE);
  bool scalar = type == LUA_TBOOLEAN || type == LUA_TNUMBER || type == LUA_TSTRING;
  bool simple = scalar && !lua_isnil(L, OLD) && !lua_istable(L, OLD) && !is_guarded(L, vm) &&
                (lua_type(L, KEY) == LUA_TSTRING || lua_isinteger(L, KEY));
  if (!simple) {
    normalise_key(L, KEY, NODE);
    switch (latch_data_mark(L, DATA)) {
      case LATCH_R_LIST: check_list(L); break;
      case LATCH_R_MAP: check_map(L); break;
      case LATCH_R_EMPTY: check_empty(L); break;
      default: check_record(L);
    }
  }
  latch_check_value(L, VALUE, NODE, KEY);
  if (latch_is_same(L, VALUE, OLD)) return;
  if (lua_istable(L, VALUE) || lua_istable(L, OLD)) {
    vm->structural = true;
    latch_check_cycle(L, VALUE, NODE, KEY);
    latch_detach(L, OLD, NODE, KEY);
    latch_attach(L, VALUE, NODE, KEY);
  }
  latch_journal(L, NODE, KEY, OLD, LATCH_J_SET);
  lua_pushvalue(L, KEY);
  lua_pushvalue(L, VALUE);
  lua_rawset(L, DATA);
}

/// The `__newindex` of nodes, which Lua alone calls: (node, key, value).
int latch_node_write(lua_State *L) {
  latch_vm *vm = latch_of(L);
  if (vm->phase != LATCH_REDUCER) return latch_refuse_state_write(L, vm);
  if (latch_write_scalar(L, vm)) return 0;
  write_value(L, vm);
  return 0;
}

void latch_move_machine(
  lua_State *L, latch_vm *vm, const latch_step *step, const uint8_t *changes) {
  if (step->new_length > 0 && latch_write_move(L, vm, changes + step->change, step)) return;
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
  lua_rawgeti(L, LUA_REGISTRYINDEX, step->function);
  lua_rawgeti(L, LUA_REGISTRYINDEX, step->moves_to);
  vm->host_writes = true;
  write_value(L, vm);
  vm->host_writes = false;
}

/// (name), from the prelude: from now on only a machine writes this field of the state.
int latch_mark_machine(lua_State *L) {
  lua_settop(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
  latch_push_node_data(L, 2);
  lua_getmetatable(L, 3);
  lua_rawgeti(L, 4, 1);
  lua_pushvalue(L, 1);
  lua_pushinteger(L, LATCH_FIELD_MACHINE);
  lua_rawset(L, 5);
  latch_vm *vm = latch_of(L);
  if (vm->machine_count < LATCH_KNOWN_MACHINES) {
    vm->machine_fields[vm->machine_count] = lua_tostring(L, 1);
  }
  vm->machine_count++;
  return 0;
}
