/// Splices of lists in the state, for the table library: one entry in the undo log each.

#include "state/state.h"

/// Raises unless the node at `index` may be spliced now.
static void check_splice(lua_State *L, latch_vm *vm, int node, lua_Integer position) {
  int top = lua_gettop(L);
  lua_pushinteger(L, position);
  if (vm->phase != LATCH_REDUCER) {
    lua_pushvalue(L, node);
    lua_replace(L, 1);
    lua_pushinteger(L, position);
    lua_replace(L, 2);
    latch_refuse_state_write(L, vm);
  }
  latch_push_node_data(L, node);
  int mark = latch_data_mark(L, -1);
  if (mark == LATCH_R_EMPTY) {
    latch_give_kind(L, vm, node, LATCH_R_LIST);
  } else if (mark != LATCH_R_LIST) {
    latch_path_error(L, node, top + 1, "this is not a list");
  }
  latch_become_structural(vm);
  lua_settop(L, top);
}

/// Charges for the elements that a splice moves: in one piece, or one by one where the list may
/// hold a node twice, since each then has to be told its place.
static void charge_splice(lua_State *L, const latch_vm *vm, lua_Integer count) {
  latch_charge(L, (size_t)count * (vm->doubled ? LATCH_ELEMENT_UNITS : 1));
}

void latch_node_insert(lua_State *L, int index, lua_Integer position) {
  latch_vm *vm = latch_of(L);
  int node = lua_absindex(L, index), value = lua_gettop(L);
  latch_check_stack(L, 12, "too much at once");
  check_splice(L, vm, node, position);
  if (vm->trace != NULL) {
    latch_trace_splice(L, node, position, LATCH_TRACE_INSERT);
    latch_trace_value(L, value);
  }
  lua_pushinteger(L, position);
  int key = value + 1;
  if (lua_isnil(L, value) || latch_is_none(L, value)) {
    latch_path_error(L, node, key, "a list has no holes: nil cannot be inserted");
  }
  latch_push_node_data(L, node);
  if (vm->types != NULL && latch_type_of_data(lua_topointer(L, key + 1)) != 0) {
    latch_fit_value(L, node, key, value, key + 1);
    latch_note_growth(L, node, key + 1);
  }
  latch_check_value(L, value, node, key);
  latch_check_cycle(L, value, node, key);
  lua_Integer after = (lua_Integer)lua_rawlen(L, key + 1) - position + 1;
  charge_splice(L, vm, after);
  if (vm->types != NULL && lua_istable(L, value)) latch_note_put(L);
  bool is_table = lua_istable(L, value), moves = is_table && latch_is_free(L, value, node, key);
  lua_pushnil(L);
  latch_change change = latch_begin_change(L, vm, LATCH_J_INSERT, node, key);
  latch_add_part(L, vm, &change, key + 2, LATCH_PART_VALUE);
  latch_add_part(L, vm, &change, value, is_table && !moves ? LATCH_PART_HOLE : LATCH_PART_VALUE);
  latch_set_child(L, value, node, key);
  vm->unlimited++;  // entry and insertion belong together: neither may fail because of the limit
  latch_undo_log(
    L, (latch_place){node, key, value, is_table ? value : 0}, LATCH_J_INSERT, change.piece);
  if (moves || after > 0) latch_forget_paths(vm);
  if (vm->doubled) latch_shift_elements(L, node, key + 1, position, 1);
  lua_pushvalue(L, value);
  latch_raw_insert(L, key + 1, position);
  vm->unlimited--;
  vm->spliced = true;
  lua_settop(L, value - 1);
}

void latch_node_remove(lua_State *L, int index, lua_Integer position) {
  latch_vm *vm = latch_of(L);
  int node = lua_absindex(L, index), top = lua_gettop(L);
  latch_check_stack(L, 12, "too much at once");
  check_splice(L, vm, node, position);
  if (vm->trace != NULL) latch_trace_splice(L, node, position, LATCH_TRACE_REMOVE);
  lua_pushinteger(L, position);
  latch_push_node_data(L, node);
  if (vm->types != NULL) latch_note_growth(L, node, top + 2);
  lua_rawgeti(L, top + 2, position);
  charge_splice(L, vm, (lua_Integer)lua_rawlen(L, top + 2) - position + 1);
  bool is_foreign = lua_istable(L, top + 3) && !latch_is_home(L, top + 3, node, top + 1);
  lua_pushnil(L);
  latch_change change = latch_begin_change(L, vm, LATCH_J_REMOVE, node, top + 1);
  latch_add_part(L, vm, &change, top + 3, is_foreign ? LATCH_PART_HOLE : LATCH_PART_VALUE);
  latch_add_part(L, vm, &change, top + 4, LATCH_PART_VALUE);
  latch_detach(L, top + 3, node, top + 1);
  latch_undo_log(L, (latch_place){node, top + 1, top + 3, 0}, LATCH_J_REMOVE, change.piece);
  latch_forget_paths(vm);
  vm->spliced = true;
  if (vm->doubled) latch_shift_elements(L, node, top + 2, position, -1);
  latch_raw_remove(L, top + 2, position);
  lua_settop(L, top + 3);
  lua_replace(L, top + 1);
  lua_settop(L, top + 1);
}

/// True if the raw list at `data` has the same elements as the sequence of that length.
static bool is_same_list(lua_State *L, int data, int sequence, lua_Integer length) {
  for (lua_Integer i = 1; i <= length; i++) {
    lua_rawgeti(L, data, i);
    lua_rawgeti(L, sequence, i);
    bool same = latch_is_same(L, -1, -2);
    lua_pop(L, 2);
    if (!same) return false;
  }
  return true;
}

/// Records the places of the elements of a list, for when a sort is undone.
static void log_places(lua_State *L, int node, int data, lua_Integer length) {
  for (lua_Integer i = 1; i <= length; i++) {
    lua_rawgeti(L, data, i);
    if (latch_is_node(L, -1) && latch_is_at_home(L, node, i))
      latch_log_place(L, latch_of(L), lua_topointer(L, -1));
    lua_pop(L, 1);
  }
}

void latch_node_replace(lua_State *L, int index) {
  latch_vm *vm = latch_of(L);
  int node = lua_absindex(L, index), sequence = lua_gettop(L);
  latch_check_stack(L, 12, "too much at once");
  check_splice(L, vm, node, 1);
  if (vm->trace != NULL) latch_trace_sort(L, node);
  lua_pushinteger(L, 1);
  latch_push_node_data(L, node);
  int data = sequence + 2;
  lua_Integer length = (lua_Integer)lua_rawlen(L, data);
  latch_charge(L, (size_t)length);
  if (length != (lua_Integer)lua_rawlen(L, sequence)) {
    luaL_error(L, "the list was changed while it was sorted");
  }
  if (is_same_list(L, data, sequence, length)) {
    lua_settop(L, sequence - 1);
    return;
  }
  lua_createtable(L, (int)length, 0);
  for (lua_Integer i = 1; i <= length; i++) {
    lua_rawgeti(L, data, i);
    lua_rawseti(L, data + 1, i);
  }
  latch_change change = latch_begin_change(L, vm, LATCH_J_REPLACE, node, 0);
  latch_add_part(L, vm, &change, node, LATCH_PART_VALUE);
  if (vm->doubled) log_places(L, node, data, length);
  latch_undo_log(L, (latch_place){node, sequence + 1, data + 1, 0}, LATCH_J_REPLACE, change.piece);
  latch_forget_paths(vm);
  vm->spliced = true;
  for (lua_Integer i = 1; i <= length; i++) {
    lua_rawgeti(L, sequence, i);
    lua_rawseti(L, data, i);
  }
  latch_place_elements(L, node, data);
  latch_add_part(L, vm, &change, node, LATCH_PART_VALUE);
  latch_complete_change(vm, &change);
  lua_settop(L, sequence - 1);
}
