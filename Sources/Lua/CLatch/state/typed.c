/// Checks of written values against types. Scalars are checked at once; a table is checked when the
/// function that has put it there has ended (promote.c, copy.c), and after that the lengths of all
/// tables that have grown or shrunk.

#include "state/state.h"

// MARK: Shapes and their types

uint32_t latch_number_of_shape(lua_State *L, int shape) {
  lua_rawgeti(L, shape, LATCH_SHAPE_TYPE);
  uint32_t number = (uint32_t)(lua_tointeger(L, -1) >> LATCH_TYPED_BITS);
  lua_pop(L, 1);
  return number;
}

const latch_type *latch_type_of_shape(lua_State *L, int shape) {
  if (latch_of(L)->types == NULL) return NULL;
  uint32_t number = latch_number_of_shape(L, shape);
  return number == 0 ? NULL : latch_type_numbered(latch_of(L), number);
}

// MARK: Refusing

/// The same, and, for a length, the function that has left it so (`ended`).
static void push_misfit(lua_State *L, uint32_t type, int value, bool ended) {
  int top = lua_gettop(L);
  latch_check_stack(L, 8, "too much at once");
  value = lua_absindex(L, value);
  if (latch_of(L)->host.callback == NULL) {
    lua_pushliteral(L, " does not fit its type");
    return;
  }
  latch_push_host_function(L, LATCH_HOST_MISFIT);
  lua_pushinteger(L, type);
  lua_pushvalue(L, value);
  if (ended) lua_pushinteger(L, latch_of(L)->ending);
  lua_call(L, ended ? 3 : 2, 1);
  lua_settop(L, top + 1);
}

/// Pushes the requirement of the type and the value that was found, in the same words as the host
/// for payloads.
void latch_push_misfit(lua_State *L, uint32_t type, int value) {
  push_misfit(L, type, value, false);
}

/// Raises it, with the place on top of the stack.
static int refuse_misfit(lua_State *L, uint32_t type, int value) {
  int path = lua_gettop(L);
  latch_push_where(L);
  lua_pushvalue(L, path);
  latch_push_misfit(L, type, value);
  lua_concat(L, 3);
  return lua_error(L);
}

static int misfit(lua_State *L, int node, int key, uint32_t type, int value) {
  latch_push_path(L, node, key);
  return refuse_misfit(L, type, value);
}

// MARK: What is no table

/// Checks whether the text at `value` matches the type's pattern.
static bool has_pattern(lua_State *L, const latch_type *type, int value) {
  lua_pushcfunction(L, latch_of(L)->find);
  lua_pushvalue(L, value);
  lua_pushlstring(L, type->pattern, type->pattern_length);
  lua_call(L, 2, 1);
  bool has = !lua_isnil(L, -1);
  lua_pop(L, 1);
  return has;
}

static void push_scalar(lua_State *L, latch_scalar scalar) {
  switch (scalar.tag) {
    case LATCH_TAG_FALSE: lua_pushboolean(L, 0); break;
    case LATCH_TAG_TRUE: lua_pushboolean(L, 1); break;
    case LATCH_TAG_INTEGER: lua_pushinteger(L, (lua_Integer)scalar.word); break;
    case LATCH_TAG_NUMBER: {
      const latch_cell cell = {{.integer = (lua_Integer)scalar.word}, LATCH_CELL_FLOAT};
      latch_push_cell(L, &cell);
      break;
    }
    case LATCH_TAG_STRING: lua_pushlstring(L, scalar.text, scalar.length); break;
    default: lua_pushnil(L);
  }
}

/// The value at `value` in the form of the log; there is no negative zero.
static latch_scalar scalar_at(lua_State *L, int value) {
  bool is_zero =
    lua_type(L, value) == LUA_TNUMBER && !lua_isinteger(L, value) && lua_tonumber(L, value) == 0;
  if (is_zero) lua_pushnumber(L, 0);
  else lua_pushvalue(L, value);
  latch_scalar scalar = latch_scalar_of(latch_top_cells(L, 1));
  lua_pop(L, 1);
  return scalar;
}

/// True if the value at `value` fits the type. Replaces it by the value that it is converted to.
static bool takes(lua_State *L, const latch_type *type, int value) {
  if (lua_istable(L, value)) return latch_takes_tables(type);
  latch_scalar other, scalar = scalar_at(L, value);
  switch (latch_fit_of(type, scalar, &other)) {
    case LATCH_FITS: return true;
    case LATCH_FITS_NOT: return false;
    case LATCH_FITS_PERHAPS: return has_pattern(L, type, value);
    case LATCH_FITS_OTHERWISE: break;
  }
  push_scalar(L, other);
  lua_replace(L, value);
  return true;
}

bool latch_takes_value(lua_State *L, uint32_t type, int value) {
  latch_check_stack(L, 6, "too much at once");
  return takes(L, latch_type_numbered(latch_of(L), type), value);
}

void latch_fit_value(lua_State *L, int node, int key, int value, int data) {
  latch_vm *vm = latch_of(L);
  lua_pushvalue(L, key);
  uint32_t type = latch_type_at(vm, lua_topointer(L, data), latch_top_cells(L, 1));
  lua_pop(L, 1);
  if (type == 0 || latch_takes_value(L, type, value)) return;
  misfit(L, node, key, type, value);
}

void latch_fit_key(lua_State *L, int node, int key, int data) {
  latch_vm *vm = latch_of(L);
  const latch_type *type = latch_type_numbered(vm, latch_type_of_data(lua_topointer(L, data)));
  if (type->kind != LATCH_TYPE_MAP) return;
  bool is_text = lua_type(L, key) == LUA_TSTRING;
  if (type->key == 0 && is_text) return;
  if (type->key != 0 && takes(L, latch_type_numbered(vm, type->key), key)) return;
  if (type->key == 0) latch_path_error(L, node, key, "the keys of this map are strings");
  lua_pushliteral(L, "the key of ");
  latch_push_path(L, node, key);
  lua_concat(L, 2);
  refuse_misfit(L, type->key, key);
}

// MARK: What is put there

void latch_note_put(lua_State *L) {
  latch_check_stack(L, 6, "too much at once");
  if (lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_PUTS) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_PUTS);
  }
  latch_push_where(L);
  lua_rawseti(L, -2, latch_of(L)->undo_log_count + 1);
  lua_pop(L, 1);
}

void latch_push_put(lua_State *L, lua_Integer entry) {
  if (lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_PUTS) == LUA_TTABLE) {
    lua_rawgeti(L, -1, entry);
    lua_remove(L, -2);
  }
  if (lua_isstring(L, -1)) return;
  lua_pop(L, 1);
  lua_pushliteral(L, "");
}

void latch_forget_puts(lua_State *L) {
  latch_vm *vm = latch_of(L);
  if (vm->types == NULL) return;
  vm->promoted = 0;
  vm->has_floating = vm->has_grown = false;
  for (int key = LATCH_R_PUTS; key <= LATCH_R_GROWN; key++) {
    lua_pushboolean(L, 0);
    lua_rawseti(L, LUA_REGISTRYINDEX, key);
  }
}

// MARK: Lengths

static bool is_limited(const latch_type *type) {
  return type->kind >= LATCH_TYPE_LIST && type->kind <= LATCH_TYPE_MAP &&
         (type->min_length > 0 || type->max_length < UINT32_MAX);
}

void latch_note_growth(lua_State *L, int node, int data) {
  latch_vm *vm = latch_of(L);
  uint32_t number = latch_type_of_data(lua_topointer(L, data));
  if (number == 0 || !is_limited(latch_type_numbered(vm, number))) return;
  latch_check_stack(L, 6, "too much at once");
  if (lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_GROWN) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_GROWN);
  }
  lua_pushvalue(L, node);
  if (lua_rawget(L, -2) == LUA_TNIL) {  // in order, so that of several the same one is reported
    lua_pushvalue(L, node);
    lua_rawseti(L, -3, (lua_Integer)lua_rawlen(L, -3) + 1);
  }
  lua_pop(L, 1);
  lua_pushvalue(L, node);
  latch_push_where(L);
  lua_rawset(L, -3);
  lua_pop(L, 1);
  vm->has_grown = true;
}

bool latch_has_length(lua_State *L, const latch_type *type, int data, uint64_t *length) {
  if (!is_limited(type)) return true;
  *length = lua_rawlen(L, data);
  if (type->kind == LATCH_TYPE_MAP) {
    *length = 0;
    lua_pushnil(L);
    while (lua_next(L, data)) {
      lua_pop(L, 1);
      ++*length;
    }
    latch_charge(L, *length);
  }
  return *length >= type->min_length && *length <= type->max_length;
}

/// Raises if the node at `node` is too long or too short, with the line that last wrote to it.
static void check_length(lua_State *L, int node, int where) {
  int top = lua_gettop(L);
  if (latch_depth_of(latch_of(L), lua_topointer(L, node)) == 0) return;  // it is not in the state
  latch_push_node_data(L, node);
  uint32_t number = latch_type_of_data(lua_topointer(L, top + 1));
  const latch_type *type = latch_type_numbered(latch_of(L), number);
  uint64_t length;
  if (latch_has_length(L, type, top + 1, &length)) {
    lua_settop(L, top);
    return;
  }
  lua_pushvalue(L, where);
  latch_push_path_of_data(L, lua_topointer(L, top + 1));
  lua_pushinteger(L, (lua_Integer)length);
  push_misfit(L, number, lua_gettop(L), true);
  lua_remove(L, -2);
  lua_concat(L, 3);
  lua_error(L);
}

void latch_check_grown(lua_State *L) {
  latch_vm *vm = latch_of(L);
  if (!vm->has_grown) return;
  int top = lua_gettop(L);
  latch_check_stack(L, 12, "too much at once");
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_GROWN);
  lua_Integer count = (lua_Integer)lua_rawlen(L, top + 1);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, top + 1, i);
    lua_pushvalue(L, top + 2);
    lua_rawget(L, top + 1);
    check_length(L, top + 2, top + 3);
    lua_settop(L, top + 1);
  }
  lua_pushboolean(L, 0);
  lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_GROWN);
  vm->has_grown = false;
  lua_settop(L, top);
}

// MARK: Beginnings

bool latch_push_beginning(lua_State *L, uint32_t number) {
  if (number == 0) return false;
  const latch_type *type = latch_type_numbered(latch_of(L), number);
  if (type->begins == NULL) return false;
  const uint8_t *cursor = type->begins;
  latch_check_stack(L, 4, "values are nested too deeply");
  latch_decode(L, &cursor, cursor + type->begins_length, 0);
  return true;
}
