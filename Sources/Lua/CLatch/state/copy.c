/// Copying a table of a script into nodes of the state: quickly, in Lua's own order, if it has no
/// errors and contains no closed record; otherwise field by field in the order of the keys, so that
/// of several errors always the same one is reported.

#include "state/state.h"
#include "state/path_stack.h"

// MARK: Copies

static void push_copy(lua_State *L, int value, int shape, int old, latch_path_stack *path_stack);

/// Pops the value on top of the stack, puts a copy of it at data[key], and sets its place.
///
/// `shape`: the shape of the data, 0 for none.
static void copy_child(lua_State *L, int node, int data, int key, int shape, int old,
  const latch_path_stack *path_stack) {
  int value = lua_gettop(L);
  latch_path_stack here = {
    .up = path_stack, .node = node, .key = key, .depth = path_stack->depth + 1};
  uint32_t type = 0;
  if (shape != 0 && latch_of(L)->types != NULL) type = latch_type_in_shape(L, shape, key);
  if (type != 0 && !latch_takes_value(L, type, value))
    latch_path_stack_misfit(L, &here, type, value);
  if (lua_istable(L, value)) {
    int child_shape = 0;
    if (shape != 0 && latch_push_child_shape(L, shape, key)) child_shape = lua_gettop(L);
    latch_copy_position position = {.parent = node, .key = key, .old = old, .depth = here.depth};
    bool is_copied = child_shape == 0 ? latch_quick_copy(L, value, &position)
                                      : latch_quick_record(L, value, child_shape, &position);
    if (!is_copied) {
      lua_settop(L, child_shape == 0 ? value : child_shape);
      push_copy(L, value, child_shape, old, &here);
    }
    lua_replace(L, value);
  } else {
    const char *fault = latch_scalar_fault(L, value);
    if (fault != NULL) latch_path_stack_error(L, &here, fault);
  }
  lua_pushvalue(L, key);
  lua_pushvalue(L, value);
  lua_rawset(L, data);
  lua_settop(L, value - 1);
}

static void copy_list(
  lua_State *L, int source, int shape, int node, int data, const latch_path_stack *path_stack) {
  lua_Integer length = (lua_Integer)lua_rawlen(L, source);
  for (lua_Integer i = 1; i <= length; i++) {
    lua_pushinteger(L, i);
    lua_rawgeti(L, source, i);
    copy_child(L, node, data, lua_gettop(L) - 1, shape, 0, path_stack);
    lua_pop(L, 1);
  }
}

/// `shape` 0: any key is allowed.
static void copy_keyed(lua_State *L, int source, int shape, int old, int node, int data,
  const latch_path_stack *path_stack) {
  int top = lua_gettop(L);
  const latch_type *type = shape == 0 ? NULL : latch_type_of_shape(L, shape);
  latch_sorted_keys(L, source);  // in order: of several errors always the same one is reported
  int keys = top + 1;
  lua_Integer count = (lua_Integer)lua_rawlen(L, keys);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, keys, i);
    int key = lua_gettop(L);
    if (shape != 0 && latch_stays_behind(L, source, key, shape)) {
      lua_settop(L, keys);  // it stays with the collection that has the machine
      continue;
    }
    if (type != NULL && type->kind == LATCH_TYPE_MAP) latch_check_map_key(L, type, key, path_stack);
    else if (shape != 0) latch_check_declared(L, shape, key, path_stack);
    if (!latch_is_utf8_key(L, key)) {
      latch_path_stack here = {.up = path_stack, .key = key, .depth = path_stack->depth + 1};
      latch_path_stack_error(L, &here, "keys are UTF-8");
    }
    latch_push_old_child(L, old, key);
    int old_child = lua_gettop(L);
    lua_pushvalue(L, key);
    lua_rawget(L, source);
    if (lua_touserdata(L, -1) == latch_none()) lua_settop(L, key);
    else copy_child(L, node, data, key, shape, old_child, path_stack);
    lua_settop(L, keys);
  }
  lua_settop(L, top);
}

/// Each missing field gets the default of its type, or is an error; fields are visited in the order
/// of their names.
static void complete(lua_State *L, const latch_type *type, int shape, int node, int data,
  const latch_path_stack *path_stack) {
  int top = lua_gettop(L);
  for (uint32_t i = 0; i < type->field_count; i++) {
    const latch_type_field *field = &type->fields[i];
    if (field->may_be_nil || field->is_machines) continue;
    // A record of a type that only one place has may have fields without a type, and others of its
    // kind.
    if (field->type == 0 ? type->is_place
                         : latch_type_numbered(latch_of(L), field->type)->is_place) {
      continue;
    }
    lua_pushlstring(L, field->name, field->length);
    lua_pushvalue(L, top + 1);
    bool is_there = lua_rawget(L, data) != LUA_TNIL;
    lua_settop(L, top + 1);
    if (is_there) {
      lua_settop(L, top);
      continue;
    }
    latch_charge(L, LATCH_UNITS_PER_INSTRUCTION);
    if (!latch_push_beginning(L, field->type)) {
      latch_path_stack here = {
        .up = path_stack, .node = node, .key = top + 1, .depth = path_stack->depth + 1};
      lua_pushnil(L);
      latch_path_stack_misfit(L, &here, field->type, lua_gettop(L));
    }
    copy_child(L, node, data, top + 1, shape, 0, path_stack);
    lua_settop(L, top);
  }
}

/// Checks each field that must always have a value.
static void check_complete(lua_State *L, int shape, int data, const latch_path_stack *path_stack) {
  int top = lua_gettop(L);
  lua_rawgeti(L, shape, 1);
  latch_sorted_keys(L, top + 1);
  lua_Integer count = (lua_Integer)lua_rawlen(L, top + 2);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, top + 2, i);
    lua_pushvalue(L, -1);
    lua_rawget(L, top + 1);
    bool always = latch_field_use(lua_tointeger(L, -1)) == LATCH_FIELD_ALWAYS;
    lua_pushvalue(L, top + 3);
    lua_rawget(L, data);
    if (always && lua_isnil(L, -1)) {
      latch_path_stack here = {.up = path_stack, .key = top + 3, .depth = path_stack->depth + 1};
      latch_path_stack_error(L, &here, "this field always has a value");
    }
    lua_settop(L, top + 2);
  }
  lua_settop(L, top);
}

/// The mark for the copy of the raw table at `source`. `old`: the table that it replaces, or 0. The
/// type of the place, if it has one, decides about a table with integer keys that is not marked as
/// a map.
static int mark_of(
  lua_State *L, int source, int old, const latch_type *type, const latch_path_stack *path_stack) {
  latch_vm *vm = latch_of(L);
  const void *metatable = NULL;
  if (lua_getmetatable(L, source)) {
    metatable = lua_topointer(L, -1);
    lua_pop(L, 1);
  }
  lua_pushnil(L);
  if (!lua_next(L, source)) {
    if (metatable == vm->list_mark) return LATCH_R_LIST;
    if (metatable == vm->map_mark) return LATCH_R_MAP;
    if (metatable == vm->empty_mark) return LATCH_R_EMPTY;
    if (old == 0 || !latch_is_node(L, old)) return LATCH_R_EMPTY;
    latch_push_node_data(L, old);
    int mark = latch_data_mark(L, -1);
    lua_pop(L, 1);
    return mark == 0 ? LATCH_R_EMPTY : mark;
  }
  lua_pop(L, 2);
  lua_Integer length = (lua_Integer)lua_rawlen(L, source), inside = 0;
  size_t texts = 0, integers = 0;
  lua_pushnil(L);
  while (lua_next(L, source)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) == LUA_TSTRING) {
      texts++;
    } else if (lua_isinteger(L, -1)) {
      integers++;
      if (lua_tointeger(L, -1) >= 1 && lua_tointeger(L, -1) <= length) inside++;
    } else {
      latch_path_stack_error(L, path_stack, "keys are strings or integers");
    }
  }
  latch_charge(L, texts + integers);
  if (texts > 0 && integers > 0) {
    latch_path_stack_error(
      L, path_stack, "a table has either named keys or the keys 1 to n, not both");
  }
  if (texts > 0 || metatable == vm->map_mark) return LATCH_R_MAP;
  bool is_list = type == NULL || type->is_place || type->kind == LATCH_TYPE_LIST;
  if (!is_list && metatable != vm->list_mark) return LATCH_R_MAP;
  if ((size_t)inside != integers || inside != length) {
    latch_path_stack_error(L, path_stack, "a list has the keys 1 to n without holes");
  }
  return LATCH_R_LIST;
}

/// Raises if the table at `value` is being copied already: it contains itself.
static void check_no_cycle(lua_State *L, int value, latch_path_stack *path_stack) {
  path_stack->source = lua_topointer(L, value);
  for (const latch_path_stack *above = path_stack->up; above != NULL; above = above->up) {
    if (above->source == path_stack->source) {
      latch_path_stack_error(L, path_stack, "a table cannot contain itself (a cycle)");
    }
  }
}

/// A node that has no place and already has this shape is moved: it takes the place of its data.
static bool moves_as_it_is(
  lua_State *L, int value, int source, int shape, const latch_path_stack *path_stack) {
  if (path_stack->node == 0 || latch_depth_of(latch_of(L), lua_topointer(L, value)) != 0 ||
      latch_metatable_of(lua_topointer(L, source)) != lua_topointer(L, shape) ||
      latch_is_taken_from(L, value)) {
    return false;
  }
  latch_take_from_parents(L, value);
  latch_move_node(L, value, path_stack->node, path_stack->key);
  latch_of(L)->moved = true;
  lua_pushvalue(L, value);
  lua_replace(L, source);
  return true;
}

/// Pushes a new node that holds a copy of the table at `value`.
static void push_copy(lua_State *L, int value, int shape, int old, latch_path_stack *path_stack) {
  latch_check_stack(L, 24, "values are nested too deeply");
  int most = latch_of(L)->limits.nesting;
  if (path_stack->depth > most) {
    latch_path_stack_error(
      L, path_stack, lua_pushfstring(L, "values are nested more than %d deep", most));
  }
  check_no_cycle(L, value, path_stack);
  int top = lua_gettop(L);
  latch_table_kind kind = latch_push_data(L, value);
  int source = top + 1;
  const latch_type *type = shape == 0 ? NULL : latch_type_of_shape(L, shape);
  if (type != NULL && kind == LATCH_NODE && moves_as_it_is(L, value, source, shape, path_stack))
    return;
  if (kind == LATCH_PLAIN && lua_getmetatable(L, source)) {
    bool mark = latch_is_mark(latch_of(L), lua_topointer(L, -1));
    lua_pop(L, 1);
    if (!mark) latch_path_stack_error(L, path_stack, "a table with a metatable is not plain data");
  }
  int mark = kind == LATCH_NODE && latch_data_mark(L, source) != 0
               ? latch_data_mark(L, source)
               : mark_of(L, source, old, type, path_stack);
  if (type != NULL && !type->is_place) {
    latch_check_kind(L, type, shape, mark, value, source, path_stack);
    latch_check_copied_length(L, type, shape, value, source, path_stack);
  }
  lua_newtable(L);
  int data = top + 2, node = top + 3;
  latch_push_new_node(L, data, path_stack->node, path_stack->key, true);
  bool is_list = type == NULL || type->is_place ? mark == LATCH_R_LIST && shape == 0
                                                : type->kind == LATCH_TYPE_LIST;
  if (is_list) {
    copy_list(L, source, shape, node, data, path_stack);
    if (shape == 0) latch_set_mark(L, data, LATCH_R_LIST);
  } else {
    copy_keyed(L, source, shape, old, node, data, path_stack);
  }
  if (type != NULL && !type->is_place) {
    if (type->kind == LATCH_TYPE_RECORD) complete(L, type, shape, node, data, path_stack);
    lua_pushvalue(L, shape);
    lua_setmetatable(L, data);
  } else if (!is_list) {
    if (shape != 0) {
      if (type != NULL) complete(L, type, shape, node, data, path_stack);
      check_complete(L, shape, data, path_stack);
      lua_pushvalue(L, shape);
      lua_setmetatable(L, data);
    } else {
      latch_set_mark(L, data, mark);
    }
  }
  if (kind == LATCH_NODE && latch_of(L)->has_records) latch_note_copied(L, node);
  lua_replace(L, source);
  lua_settop(L, source);
}

// MARK: Either

void latch_push_copy(lua_State *L, int value, latch_copy_place place) {
  int top = lua_gettop(L);
  latch_copy_position position = {
    .parent = place.node, .key = place.key, .old = place.old, .depth = place.depth};
  bool is_copied = place.shape == 0 ? latch_quick_copy(L, value, &position)
                                    : latch_quick_record(L, value, place.shape, &position);
  if (is_copied) return;
  lua_settop(L, top);
  latch_path_stack path_stack = {
    .node = place.node, .key = place.key, .depth = place.depth, .entry = place.entry};
  push_copy(L, value, place.shape, place.old, &path_stack);
}
