/// The kinds of tables, recognized by the function that guards them from writes, and the marks of
/// data: metatables that mark it as a list, a map, a map without tables, or empty.
///
/// The guards of nodes belong to the state layer, which is above this one: the VM holds those
/// functions.

#include "value/value.h"

// MARK: Kinds

int latch_refuse_write(lua_State *L) {
  if (lua_type(L, 2) == LUA_TSTRING) {
    return luaL_error(L, "this table is read-only: \"%s\" cannot be set", lua_tostring(L, 2));
  }
  return luaL_error(L, "this table is read-only");
}

latch_table_kind latch_look_at(const latch_vm *vm, const void *table, const void **data) {
  *data = table;
  const void *metatable = latch_metatable_of(table);
  if (metatable == NULL) return LATCH_PLAIN;
  const latch_cell *guard = latch_field_cell(metatable, vm->newindex_name);
  if (guard == NULL || guard->type != LATCH_CELL_FUNCTION) return LATCH_PLAIN;
  if (guard->function == vm->guards.node) {
    bool is_recorded = latch_is_recorded(vm, metatable);
    *data = is_recorded ? NULL : latch_element_cell(metatable, 3)->object;
    return is_recorded ? LATCH_RECORDER : LATCH_NODE;
  }
  if (guard->function != latch_refuse_write) return LATCH_PLAIN;
  *data = latch_field_cell(metatable, vm->index_name)->object;
  return LATCH_FROZEN;
}

latch_table_kind latch_kind(lua_State *L, int index) {
  const void *data;
  if (!lua_istable(L, index)) return LATCH_PLAIN;  // a text has a metatable too
  return latch_look_at(latch_of(L), lua_topointer(L, index), &data);
}

bool latch_is_node(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TTABLE) return false;
  latch_table_kind kind = latch_kind(L, index);
  return kind == LATCH_NODE || kind == LATCH_RECORDER;
}

void latch_push_node_data(lua_State *L, int index) {
  lua_getmetatable(L, index);
  lua_rawgeti(L, -1, 3);
  lua_copy(L, -1, -2);
  lua_pop(L, 1);
}

latch_table_kind latch_push_data(lua_State *L, int index) {
  const void *data;
  latch_table_kind kind = latch_look_at(latch_of(L), lua_topointer(L, index), &data);
  if (kind == LATCH_RECORDER) latch_of(L)->push_recorded_data(L, index, false);
  else latch_push_table(L, data);
  latch_note_whole_read(L, kind, lua_topointer(L, index));
  return kind;
}

/// True if a scenario or the prompt answers a call of the effect: that code may read the state.
static bool runs_stub(lua_State *L) {
  lua_Debug frame;
  for (int level = 1; lua_getstack(L, level, &frame); level++) {
    latch_check_stack(L, 2, NULL);
    lua_getinfo(L, "f", &frame);
    bool is_stub = lua_tocfunction(L, -1) == latch_of(L)->call_stub;
    lua_pop(L, 1);
    if (is_stub) return true;
  }
  return false;
}

void latch_check_effect_read(lua_State *L) {
  // The host's own work runs on the main thread.
  if (L == latch_of(L)->L || runs_stub(L)) return;
  luaL_error(L, "an effect cannot read the state, not even through a table that another function "
                "has stored; it sees views");
}

lua_Integer latch_length(lua_State *L, int index) {
  latch_table_kind kind = latch_kind(L, index);
  const void *data, *table = lua_topointer(L, index);
  latch_vm *vm = latch_of(L);
  if (kind == LATCH_NODE) {
    latch_check_state_read(L);
    if (vm->on_length_read != NULL) vm->on_length_read(vm, table);
    latch_look_at(vm, table, &data);
    latch_push_table(L, data);
  } else if (kind == LATCH_RECORDER) {
    latch_check_state_read(L);
    vm->push_recorded_data(L, index, true);
  } else {
    latch_push_data(L, index);
  }
  lua_Integer length = (lua_Integer)lua_rawlen(L, -1);
  lua_pop(L, 1);
  return length;
}

void latch_charge_links(lua_State *L, int index, latch_access access) {
  if (!lua_getmetatable(L, index)) return;
  lua_pop(L, 1);
  if (latch_kind(L, index) != LATCH_PLAIN)
    return;  // the metatables of the host do not lead
             // further
  latch_check_stack(L, 4, NULL);
  lua_pushvalue(L, index);
  bool reads = access == LATCH_ELEMENT_READ;
  uint64_t units = latch_link_units(L, reads ? LATCH_R_STRING_INDEX : LATCH_R_STRING_NEWINDEX);
  // Looking for them takes longer than one instruction.
  latch_charge(L, (size_t)units + LATCH_UNITS_PER_INSTRUCTION);
}

// MARK: Marks

void latch_hide_metatable(lua_State *L, int index) {
  index = lua_absindex(L, index);
  lua_pushboolean(L, 0);
  lua_setfield(L, index, "__metatable");
}

void latch_open_marks(lua_State *L) {
  for (int mark = LATCH_R_LIST; mark <= LATCH_R_EMPTY; mark++) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, mark);
    latch_hide_metatable(L, -1);
    lua_pop(L, 1);
  }
}

bool latch_is_mark(latch_vm *vm, const void *metatable) {
  return metatable == vm->list_mark || metatable == vm->map_mark || metatable == vm->leaf_mark ||
         metatable == vm->empty_mark;
}

int latch_data_mark(lua_State *L, int index) {
  latch_vm *vm = latch_of(L);
  if (!lua_getmetatable(L, index)) return LATCH_R_MAP;
  const void *metatable = latch_mark_of(vm, lua_topointer(L, -1));
  lua_pop(L, 1);
  if (metatable == vm->list_mark) return LATCH_R_LIST;
  if (metatable == vm->map_mark || metatable == vm->leaf_mark) return LATCH_R_MAP;
  if (metatable == vm->empty_mark) return LATCH_R_EMPTY;
  return 0;
}

bool latch_is_leaf(lua_State *L, int data) {
  if (!lua_getmetatable(L, data)) return false;
  bool is_leaf = lua_topointer(L, -1) == latch_of(L)->leaf_mark;
  lua_pop(L, 1);
  return is_leaf;
}

void latch_set_mark(lua_State *L, int index, int mark) {
  index = lua_absindex(L, index);
  lua_rawgeti(L, LUA_REGISTRYINDEX, mark);
  lua_setmetatable(L, index);
}
