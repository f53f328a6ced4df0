/// The kinds of tables, which are told by the function that guards them from writes, and the marks
/// of data: three metatables that say whether it is a list, a map or empty.
///
/// What guards nodes and recording nodes belongs to the state, above: the VM holds those functions.

#include "value/value.h"

// MARK: Kinds

int latch_refuse_write(lua_State *L) {
  if (lua_type(L, 2) == LUA_TSTRING) {
    return luaL_error(L, "this table is read-only: \"%s\" cannot be set", lua_tostring(L, 2));
  }
  return luaL_error(L, "this table is read-only");
}

static bool metafield(lua_State *L, int registry_name) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, registry_name);
  lua_rawget(L, -2);
  return true;
}

latch_table_kind latch_kind(lua_State *L, int index) {
  if (!lua_getmetatable(L, index)) return LATCH_PLAIN;
  metafield(L, LATCH_R_STRING_NEWINDEX);
  lua_CFunction guard = lua_tocfunction(L, -1);
  lua_pop(L, 2);
  if (guard == NULL) return LATCH_PLAIN;
  if (guard == latch_of(L)->guards.node) return LATCH_NODE;
  if (guard == latch_refuse_write) return LATCH_FROZEN;
  if (guard == latch_of(L)->guards.recorder) return LATCH_RECORDER;
  return LATCH_PLAIN;
}

bool latch_is_node(lua_State *L, int index) {
  return lua_type(L, index) == LUA_TTABLE && latch_kind(L, index) == LATCH_NODE;
}

void latch_push_node_data(lua_State *L, int index) {
  lua_getmetatable(L, index);
  lua_rawgeti(L, -1, 3);
  lua_copy(L, -1, -2);
  lua_pop(L, 1);
}

/// Pushes the data of a read-only table, which has it under `__index` only.
static void push_frozen_data(lua_State *L, int index) {
  lua_getmetatable(L, index);
  metafield(L, LATCH_R_STRING_INDEX);
  lua_remove(L, -2);
}

latch_table_kind latch_push_data(lua_State *L, int index) {
  latch_table_kind kind = latch_kind(L, index);
  switch (kind) {
    case LATCH_PLAIN: lua_pushvalue(L, index); break;
    case LATCH_NODE: latch_push_node_data(L, index); break;
    case LATCH_FROZEN: push_frozen_data(L, index); break;
    case LATCH_RECORDER: latch_of(L)->push_recorded_data(L, index); break;
  }
  return kind;
}

lua_Integer latch_length(lua_State *L, int index) {
  latch_push_data(L, index);
  lua_Integer length = (lua_Integer)lua_rawlen(L, -1);
  lua_pop(L, 1);
  return length;
}

void latch_charge_links(lua_State *L, int index, latch_access access) {
  if (!lua_getmetatable(L, index)) return;
  lua_pop(L, 1);
  if (latch_kind(L, index) != LATCH_PLAIN) return;  // ours lead to no further
  latch_check_stack(L, 4, NULL);
  lua_pushvalue(L, index);
  bool reads = access == LATCH_ELEMENT_READ;
  latch_charge(
    L, (size_t)latch_link_units(L, reads ? LATCH_R_STRING_INDEX : LATCH_R_STRING_NEWINDEX));
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
  return metatable == vm->list_mark || metatable == vm->map_mark || metatable == vm->empty_mark;
}

int latch_data_mark(lua_State *L, int index) {
  latch_vm *vm = latch_of(L);
  if (!lua_getmetatable(L, index)) return LATCH_R_MAP;
  const void *metatable = lua_topointer(L, -1);
  lua_pop(L, 1);
  if (metatable == vm->list_mark) return LATCH_R_LIST;
  if (metatable == vm->map_mark) return LATCH_R_MAP;
  if (metatable == vm->empty_mark) return LATCH_R_EMPTY;
  return 0;
}

void latch_set_mark(lua_State *L, int index, int mark) {
  index = lua_absindex(L, index);
  lua_rawgeti(L, LUA_REGISTRYINDEX, mark);
  lua_setmetatable(L, index);
}
