/// Shapes: of closed records, with their fields and how each may be used, and of tables that have a
/// type. A shape is the metatable of the data (see node.c). A record that is reached only through
/// records has its own shape, with its path; all other tables have one per type.

#include <string.h>

#include "state/state.h"

/// The __index of a closed record's data: nil for a declared field without a value, an error for
/// others.
static int closed_read(lua_State *L) {
  lua_settop(L, 2);
  lua_getmetatable(L, 1);
  lua_rawgeti(L, 3, LATCH_SHAPE_FIELDS);
  lua_rawgeti(L, 3, LATCH_SHAPE_PATH);
  lua_pushvalue(L, 2);
  lua_rawget(L, 4);
  if (lua_toboolean(L, -1)) return 0;  // declared, without a value yet
  if (!lua_isstring(L, 5)) {
    latch_push_path_of_data(L, lua_topointer(L, 1));
    lua_replace(L, 5);
  }
  latch_refuse_undeclared(L, 4, 5, 2);
  return 0;
}

// MARK: Asking

bool latch_push_child_shape(lua_State *L, int shape, int key) {
  shape = lua_absindex(L, shape);
  key = lua_absindex(L, key);
  int top = lua_gettop(L);
  if (lua_rawgeti(L, shape, LATCH_SHAPE_CHILDREN) == LUA_TTABLE) {
    lua_pushvalue(L, key);
    if (lua_rawget(L, -2) == LUA_TTABLE) {
      lua_replace(L, top + 1);
      return true;
    }
  }
  lua_settop(L, top);
  latch_vm *vm = latch_of(L);
  uint32_t type = vm->types == NULL ? 0 : latch_type_in_shape(L, shape, key);
  if (type == 0 || latch_type_numbered(vm, type)->kind < LATCH_TYPE_LIST) return false;
  latch_push_typed_shape(L, type);
  return true;
}

uint32_t latch_type_in_shape(lua_State *L, int shape, int key) {
  latch_vm *vm = latch_of(L);
  lua_rawgeti(L, shape, LATCH_SHAPE_TYPE);
  uint32_t number = (uint32_t)(lua_tointeger(L, -1) >> LATCH_TYPED_BITS);
  lua_pop(L, 1);
  if (number == 0) return 0;
  const latch_type *type = latch_type_numbered(vm, number);
  if (type->kind != LATCH_TYPE_RECORD) return type->element;
  lua_pushvalue(L, key);
  lua_rawgeti(L, shape, LATCH_SHAPE_FIELDS);
  lua_pushvalue(L, -2);
  lua_rawget(L, -2);
  number = (uint32_t)(lua_tointeger(L, -1) >> LATCH_FIELD_BITS);
  lua_pop(L, 3);
  return number;
}

bool latch_push_shape(lua_State *L, int data, int key) {
  key = lua_absindex(L, key);
  int top = lua_gettop(L);
  const void *metatable = latch_metatable_of(lua_topointer(L, data));
  bool has_shape =
    latch_data_mark(L, data) == 0 ||
    (metatable != NULL && latch_of(L)->types != NULL && latch_typed_kind(metatable) != 0);
  if (!has_shape || !lua_getmetatable(L, data)) return false;
  if (latch_push_child_shape(L, top + 1, key)) {
    lua_replace(L, top + 1);
    return true;
  }
  lua_settop(L, top);
  return false;
}

bool latch_takes_shape(lua_State *L, int data, int key, const void *metatable) {
  bool is_closed = metatable != NULL && !latch_is_mark(latch_of(L), metatable);
  if (!latch_push_shape(L, data, key)) return !is_closed;
  // A record of which there is only one place is closed by that: what moves to another place is
  // copied.
  const void *wanted = lua_topointer(L, -1);
  lua_rawgeti(L, -1, LATCH_SHAPE_PATH);
  bool takes = is_closed && metatable == wanted && !lua_isstring(L, -1);
  lua_pop(L, 2);
  return takes;
}

bool latch_is_field(lua_State *L, int name) {
  name = lua_absindex(L, name);
  int top = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE_DATA);
  bool is_field = lua_getmetatable(L, -1) && lua_rawgeti(L, -1, 1) == LUA_TTABLE;
  if (is_field) {
    lua_pushvalue(L, name);
    is_field = lua_rawget(L, -2) != LUA_TNIL;
  }
  lua_settop(L, top);
  return is_field;
}

// MARK: Declaring

static bool is_record(lua_State *L, int table) {
  if (lua_getmetatable(L, table)) {
    lua_pop(L, 1);
    return false;
  }
  if (lua_rawlen(L, table) > 0) return false;
  lua_pushnil(L);
  if (!lua_next(L, table)) return false;
  lua_pop(L, 2);
  return true;
}

/// Returns the type's field of that name, or NULL.
static const latch_type_field *field_named(const latch_type *type, const char *name) {
  for (uint32_t i = 0; i < type->field_count; i++) {
    if (strcmp(type->fields[i].name, name) == 0) return &type->fields[i];
  }
  return NULL;
}

/// Completes the shape at `shape`, for that kind and number of a type.
static void finish_shape(lua_State *L, int shape, lua_Integer kind, uint32_t type) {
  if (type != 0) {
    lua_pushinteger(L, (lua_Integer)type << LATCH_TYPED_BITS | kind);
    lua_rawseti(L, shape, LATCH_SHAPE_TYPE);
  }
  if (kind == LATCH_TYPED_RECORD) {
    lua_pushcfunction(L, closed_read);
    lua_setfield(L, shape, "__index");
  }
  latch_hide_metatable(L, shape);
}

static void set_field(lua_State *L, int fields, int key, bool may_be_nil, uint32_t type) {
  lua_pushvalue(L, key);
  lua_pushinteger(L, (lua_Integer)type << LATCH_FIELD_BITS |
                       (may_be_nil ? LATCH_FIELD_OPTIONAL : LATCH_FIELD_ALWAYS));
  lua_rawset(L, fields);
}

/// A field that a machine of the record writes.
static void set_machines_field(lua_State *L, int fields, int key) {
  lua_pushvalue(L, key);
  lua_pushinteger(L, LATCH_FIELD_MACHINE);
  lua_rawset(L, fields);
}

void latch_push_new_shape(lua_State *L, int source, uint32_t type) {
  latch_check_stack(L, 12, "the state is nested too deeply");
  int path = lua_gettop(L);
  const latch_type *record = type == 0 ? NULL : latch_type_numbered(latch_of(L), type);
  lua_createtable(L, 4, 2);
  int shape = path + 1;
  lua_newtable(L);
  lua_newtable(L);
  int fields = shape + 1, children = shape + 2;
  lua_pushnil(L);
  while (lua_next(L, source)) {
    int key = children + 1, value = children + 2;
    const latch_type_field *field =
      record == NULL ? NULL : field_named(record, lua_tostring(L, key));
    uint32_t number = field == NULL ? 0 : field->type;
    const latch_type *its = number == 0 ? NULL : latch_type_numbered(latch_of(L), number);
    bool is_place = its == NULL || its->is_place;
    bool may_be_nil = is_place ? lua_type(L, value) == LUA_TLIGHTUSERDATA : field->may_be_nil;
    set_field(L, fields, key, may_be_nil, number);
    if (is_place && lua_istable(L, value) && is_record(L, value)) {
      lua_pushvalue(L, key);
      lua_pushvalue(L, path);
      latch_append_step(L, key);
      latch_push_new_shape(L, value, number);
      lua_rawset(L, children);
    }
    lua_settop(L, key);
  }
  lua_settop(L, children);
  lua_rawseti(L, shape, LATCH_SHAPE_CHILDREN);
  lua_rawseti(L, shape, LATCH_SHAPE_FIELDS);
  lua_pushvalue(L, path);
  lua_rawseti(L, shape, LATCH_SHAPE_PATH);
  finish_shape(L, shape, LATCH_TYPED_RECORD, type);
  lua_replace(L, path);
}

void latch_push_typed_shape(lua_State *L, uint32_t number) {
  int top = lua_gettop(L);
  latch_check_stack(L, 10, "values are nested too deeply");
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_SHAPES);
  if (lua_istable(L, top + 1) && lua_rawgeti(L, top + 1, number) == LUA_TTABLE) {
    lua_replace(L, top + 1);
    return;
  }
  lua_settop(L, top);
  const latch_type *type = latch_type_numbered(latch_of(L), number);
  lua_createtable(L, 4, 2);
  int shape = top + 1;
  lua_newtable(L);
  for (uint32_t i = 0; i < type->field_count; i++) {
    const latch_type_field *field = &type->fields[i];
    lua_pushlstring(L, field->name, field->length);
    if (field->is_machines) set_machines_field(L, shape + 1, shape + 2);
    else set_field(L, shape + 1, shape + 2, field->may_be_nil, field->type);
    lua_settop(L, shape + 1);
  }
  lua_rawseti(L, shape, LATCH_SHAPE_FIELDS);
  for (int part = LATCH_SHAPE_PATH; part <= LATCH_SHAPE_CHILDREN; part++) {
    lua_pushboolean(L, 0);
    lua_rawseti(L, shape, part);
  }
  lua_Integer kind = type->kind == LATCH_TYPE_LIST  ? LATCH_TYPED_LIST
                     : type->kind == LATCH_TYPE_MAP ? LATCH_TYPED_MAP
                                                    : LATCH_TYPED_RECORD;
  finish_shape(L, shape, kind, number);
  if (lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_SHAPES) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_SHAPES);
  }
  lua_pushvalue(L, shape);
  lua_rawseti(L, -2, number);
  lua_settop(L, shape);
}
