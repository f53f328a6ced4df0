/// The path of a copy (copy.c), the errors of values in it, and the checks of its kind, its keys
/// and its length against its type.

#include "state/path_stack.h"

#include "state/state.h"

void latch_push_path_stack(lua_State *L, const latch_path_stack *path_stack) {
  if (path_stack->up == NULL) {
    if (path_stack->node == 0) lua_pushliteral(L, "state");
    else latch_push_path(L, path_stack->node, path_stack->key);
    return;
  }
  latch_push_path_stack(L, path_stack->up);
  latch_append_step(L, path_stack->key);
}

/// Raises the message on top of the stack, with the line that has put the table there to which it
/// belongs.
static void raise_of_put(lua_State *L, const latch_path_stack *path_stack) {
  int what = lua_gettop(L);
  while (path_stack->up != NULL) path_stack = path_stack->up;
  latch_push_put(L, path_stack->entry);
  bool is_known = lua_rawlen(L, -1) > 0;
  lua_pushvalue(L, what);
  lua_pushstring(L, is_known ? " (put here)" : "");
  lua_concat(L, 3);
  lua_error(L);
}

void latch_path_stack_error(lua_State *L, const latch_path_stack *path_stack, const char *what) {
  latch_check_stack(L, 10, "too deep");
  latch_push_path_stack(L, path_stack);
  lua_pushfstring(L, ": %s", what);
  lua_concat(L, 2);
  raise_of_put(L, path_stack);
}

/// The error for a value that does not fit the type of its place.
void latch_path_stack_misfit(
  lua_State *L, const latch_path_stack *path_stack, uint32_t type, int value) {
  latch_check_stack(L, 10, "too deep");
  latch_push_path_stack(L, path_stack);
  latch_push_misfit(L, type, value);
  lua_concat(L, 2);
  raise_of_put(L, path_stack);
}

/// The error for a record with a field that is not declared at its place.
static void undeclared_error(lua_State *L, int shape, int key, const latch_path_stack *path_stack) {
  if (lua_type(L, key) != LUA_TSTRING) {
    latch_path_stack here = {.up = path_stack, .key = key, .depth = path_stack->depth + 1};
    latch_path_stack_error(L, &here, "no such field is declared");
  }
  luaL_checkstack(L, 10, "too deep");
  latch_push_path_stack(L, path_stack);
  lua_pushfstring(L, " has no field %s", lua_tostring(L, key));
  lua_rawgeti(L, shape, 1);
  latch_push_suggestion(L, lua_gettop(L), lua_tostring(L, key));
  lua_remove(L, -2);
  lua_concat(L, 3);
  raise_of_put(L, path_stack);
}

/// True if records of that shape have the field, and only a machine writes it.
static bool is_machines_in(lua_State *L, int shape, int key) {
  int top = lua_gettop(L);
  lua_pushvalue(L, key);
  bool is = lua_rawgeti(L, shape, LATCH_SHAPE_FIELDS) == LUA_TTABLE;
  if (is) {
    lua_insert(L, -2);
    lua_rawget(L, -2);
    is = latch_field_use(lua_tointeger(L, -1)) == LATCH_FIELD_MACHINE;
  }
  lua_settop(L, top);
  return is;
}

/// The same for the data of a record of a type that is copied.
static bool is_machines(lua_State *L, int data, int key) {
  const void *metatable = latch_metatable_of(lua_topointer(L, data));
  if (metatable == NULL || latch_of(L)->types == NULL ||
      latch_typed_kind(metatable) != LATCH_TYPED_RECORD || !lua_getmetatable(L, data)) {
    return false;
  }
  bool is = is_machines_in(L, lua_gettop(L), key);
  lua_pop(L, 1);
  return is;
}

bool latch_stays_behind(lua_State *L, int data, int key, int shape) {
  return is_machines(L, data, key) && !is_machines_in(L, shape, key);
}

/// Raises if the record may not have the field.
void latch_check_declared(lua_State *L, int shape, int key, const latch_path_stack *path_stack) {
  int top = lua_gettop(L);
  lua_rawgeti(L, shape, LATCH_SHAPE_FIELDS);
  lua_pushvalue(L, key);
  lua_rawget(L, -2);
  if (lua_tointeger(L, -1) == 0) undeclared_error(L, shape, key, path_stack);
  lua_settop(L, top);
}

/// Raises if the type does not allow the key. Replaces the key if the type converts it.
void latch_check_map_key(
  lua_State *L, const latch_type *type, int key, const latch_path_stack *path_stack) {
  if (type->key == 0 ? lua_type(L, key) == LUA_TSTRING : latch_takes_value(L, type->key, key))
    return;
  latch_path_stack here = {.up = path_stack, .key = key, .depth = path_stack->depth + 1};
  if (type->key == 0) latch_path_stack_error(L, &here, "the keys of this map are strings");
  latch_check_stack(L, 10, "too deep");
  lua_pushliteral(L, "the key of ");
  latch_push_path_stack(L, &here);
  latch_push_misfit(L, type->key, key);
  lua_concat(L, 3);
  raise_of_put(L, path_stack);
}

/// Raises for a table of another kind than that of the type: an empty table fits any kind.
void latch_check_kind(lua_State *L, const latch_type *type, int shape, int mark, int value,
  int source, const latch_path_stack *path_stack) {
  lua_pushnil(L);
  if (!lua_next(L, source)) return;
  bool has_integers = lua_isinteger(L, -2);
  lua_pop(L, 2);
  bool fits = type->kind == LATCH_TYPE_LIST ? mark == LATCH_R_LIST
              : type->kind == LATCH_TYPE_MAP
                ? has_integers == latch_has_integer_keys(latch_of(L), type)
                : !has_integers;
  if (!fits) latch_path_stack_misfit(L, path_stack, latch_number_of_shape(L, shape), value);
}

/// Raises if the table to copy is too long or too short.
void latch_check_copied_length(lua_State *L, const latch_type *type, int shape, int value,
  int source, const latch_path_stack *path_stack) {
  uint64_t length;
  if (latch_has_length(L, type, source, &length)) return;
  latch_path_stack_misfit(L, path_stack, latch_number_of_shape(L, shape), value);
}
