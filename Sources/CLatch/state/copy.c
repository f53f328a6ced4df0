/// Copying a table that a script has made into nodes of the state's own: quickly, in Lua's own
/// order, where nothing is wrong with it and no record in it is closed; else field by field in the
/// order of the keys, so that of several faults the same one is told every time.

#include "state/state.h"

/// Where the copy stands: the keys from the node down, as indices of the Lua stack.
typedef struct latch_trail {
  const struct latch_trail *up;
  const void *source;  ///< the table that is being copied
  int node, key;
  int depth;          ///< from the root of the state, which is 1
  lua_Integer entry;  ///< of the journal: that which has put it there, or 0
} latch_trail;

static void push_trail(lua_State *L, const latch_trail *trail) {
  if (trail->up == NULL) {
    if (trail->node == 0) lua_pushliteral(L, "state");
    else latch_push_path(L, trail->node, trail->key);
    return;
  }
  push_trail(L, trail->up);
  latch_append_step(L, trail->key);
}

/// Raises what is on top of the stack, with where the table was put of which that is a part.
static void raise_of_put(lua_State *L, const latch_trail *trail) {
  int what = lua_gettop(L);
  while (trail->up != NULL) trail = trail->up;
  latch_push_put(L, trail->entry);
  bool is_known = lua_rawlen(L, -1) > 0;
  lua_pushvalue(L, what);
  lua_pushstring(L, is_known ? " (put here)" : "");
  lua_concat(L, 3);
  lua_error(L);
}

static void trail_error(lua_State *L, const latch_trail *trail, const char *what) {
  latch_check_stack(L, 10, "too deep");
  push_trail(L, trail);
  lua_pushfstring(L, ": %s", what);
  lua_concat(L, 2);
  raise_of_put(L, trail);
}

/// The error for a value that is none of the type of its place.
static void misfit_error(lua_State *L, const latch_trail *trail, uint32_t type, int value) {
  latch_check_stack(L, 10, "too deep");
  push_trail(L, trail);
  latch_push_misfit(L, type, value);
  lua_concat(L, 2);
  raise_of_put(L, trail);
}

/// The error for a record that brings a field which its place does not declare.
static void undeclared_error(lua_State *L, int shape, int key, const latch_trail *trail) {
  if (lua_type(L, key) != LUA_TSTRING) {
    latch_trail here = {.up = trail, .key = key, .depth = trail->depth + 1};
    trail_error(L, &here, "no such field is declared");
  }
  luaL_checkstack(L, 10, "too deep");
  push_trail(L, trail);
  lua_pushfstring(L, " has no field %s", lua_tostring(L, key));
  lua_rawgeti(L, shape, 1);
  latch_push_suggestion(L, lua_gettop(L), lua_tostring(L, key));
  lua_remove(L, -2);
  lua_concat(L, 3);
  raise_of_put(L, trail);
}

// MARK: Copies

static void push_copy(lua_State *L, int value, int shape, int old, latch_trail *trail);

/// Puts a copy of the value on top of the stack (popped) at data[key], and sets its place.
///
/// `shape`: that of the data, 0 for none.
static void copy_child(
  lua_State *L, int node, int data, int key, int shape, int old, const latch_trail *trail) {
  int value = lua_gettop(L);
  latch_trail here = {.up = trail, .node = node, .key = key, .depth = trail->depth + 1};
  uint32_t type = 0;
  if (shape != 0 && latch_of(L)->types != NULL) type = latch_type_in_shape(L, shape, key);
  if (type != 0 && !latch_takes_value(L, type, value)) misfit_error(L, &here, type, value);
  if (lua_istable(L, value)) {
    int child_shape = 0;
    if (shape != 0 && latch_push_child_shape(L, shape, key)) child_shape = lua_gettop(L);
    latch_copy_spot spot = {.parent = node, .key = key, .old = old, .depth = here.depth};
    if (child_shape != 0 || !latch_quick_copy(L, value, &spot)) {
      lua_settop(L, child_shape == 0 ? value : child_shape);
      push_copy(L, value, child_shape, old, &here);
    }
    lua_replace(L, value);
  } else {
    const char *fault = latch_scalar_fault(L, value);
    if (fault != NULL) trail_error(L, &here, fault);
  }
  lua_pushvalue(L, key);
  lua_pushvalue(L, value);
  lua_rawset(L, data);
  lua_settop(L, value - 1);
}

static void copy_list(
  lua_State *L, int source, int shape, int node, int data, const latch_trail *trail) {
  lua_Integer length = (lua_Integer)lua_rawlen(L, source);
  for (lua_Integer i = 1; i <= length; i++) {
    lua_pushinteger(L, i);
    lua_rawgeti(L, source, i);
    copy_child(L, node, data, lua_gettop(L) - 1, shape, 0, trail);
    lua_pop(L, 1);
  }
}

/// Whether the field of records of that shape is one that only a machine writes.
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

/// The same of the data of a record of a type that is copied.
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

/// Raises for a field that the record does not have.
static void check_declared(lua_State *L, int shape, int key, const latch_trail *trail) {
  int top = lua_gettop(L);
  lua_rawgeti(L, shape, LATCH_SHAPE_FIELDS);
  lua_pushvalue(L, key);
  lua_rawget(L, -2);
  if (lua_tointeger(L, -1) == 0) undeclared_error(L, shape, key, trail);
  lua_settop(L, top);
}

/// Raises for a key that the type does not have; what stands for it takes its place.
static void check_key(lua_State *L, const latch_type *type, int key, const latch_trail *trail) {
  if (type->key == 0 ? lua_type(L, key) == LUA_TSTRING : latch_takes_value(L, type->key, key))
    return;
  latch_trail here = {.up = trail, .key = key, .depth = trail->depth + 1};
  if (type->key == 0) trail_error(L, &here, "the keys of this map are strings");
  latch_check_stack(L, 10, "too deep");
  lua_pushliteral(L, "the key of ");
  push_trail(L, &here);
  latch_push_misfit(L, type->key, key);
  lua_concat(L, 3);
  raise_of_put(L, trail);
}

/// `shape` 0: the keys are open.
static void copy_keyed(
  lua_State *L, int source, int shape, int old, int node, int data, const latch_trail *trail) {
  int top = lua_gettop(L);
  const latch_type *type = shape == 0 ? NULL : latch_type_of_shape(L, shape);
  latch_sorted_keys(L, source);  // in order: of several faults the same one is told every time
  int keys = top + 1;
  lua_Integer count = (lua_Integer)lua_rawlen(L, keys);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, keys, i);
    int key = lua_gettop(L);
    if (shape != 0 && is_machines(L, source, key) && !is_machines_in(L, shape, key)) {
      lua_settop(L, keys);  // it stays with the collection that has the machine
      continue;
    }
    if (type != NULL && type->kind == LATCH_TYPE_MAP) check_key(L, type, key, trail);
    else if (shape != 0) check_declared(L, shape, key, trail);
    if (!latch_is_utf8_key(L, key)) {
      latch_trail here = {.up = trail, .key = key, .depth = trail->depth + 1};
      trail_error(L, &here, "keys are UTF-8");
    }
    latch_push_old_child(L, old, key);
    int old_child = lua_gettop(L);
    lua_pushvalue(L, key);
    lua_rawget(L, source);
    if (lua_touserdata(L, -1) == latch_none()) lua_settop(L, key);
    else copy_child(L, node, data, key, shape, old_child, trail);
    lua_settop(L, keys);
  }
  lua_settop(L, top);
}

/// Each field that is missing begins as its type says, or is a fault, the first of them in the
/// order of their names.
static void complete(
  lua_State *L, const latch_type *type, int shape, int node, int data, const latch_trail *trail) {
  int top = lua_gettop(L);
  for (uint32_t i = 0; i < type->field_count; i++) {
    const latch_type_field *field = &type->fields[i];
    if (field->type == 0 || field->may_be_nil || field->is_machines) continue;
    if (latch_type_numbered(latch_of(L), field->type)->is_place) continue;
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
      latch_trail here = {.up = trail, .node = node, .key = top + 1, .depth = trail->depth + 1};
      lua_pushnil(L);
      misfit_error(L, &here, field->type, lua_gettop(L));
    }
    copy_child(L, node, data, top + 1, shape, 0, trail);
    lua_settop(L, top);
  }
}

/// Every field that always has a value has one.
static void check_complete(lua_State *L, int shape, int data, const latch_trail *trail) {
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
      latch_trail here = {.up = trail, .key = top + 3, .depth = trail->depth + 1};
      trail_error(L, &here, "this field always has a value");
    }
    lua_settop(L, top + 2);
  }
  lua_settop(L, top);
}

/// The mark that the copy of the raw table at `source` takes. `old`: what it replaces, or 0.
static int mark_of(lua_State *L, int source, int old, const latch_trail *trail) {
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
      trail_error(L, trail, "keys are strings or integers");
    }
  }
  latch_charge(L, texts + integers);
  if (texts > 0 && integers > 0) {
    trail_error(L, trail, "a table has either named keys or the keys 1 to n, not both");
  }
  if (texts > 0 || metatable == vm->map_mark) return LATCH_R_MAP;
  if ((size_t)inside != integers || inside != length) {
    trail_error(L, trail, "a list has the keys 1 to n without holes");
  }
  return LATCH_R_LIST;
}

/// Raises when the table at `value` is already being copied further out.
static void check_no_cycle(lua_State *L, int value, latch_trail *trail) {
  trail->source = lua_topointer(L, value);
  for (const latch_trail *above = trail->up; above != NULL; above = above->up) {
    if (above->source == trail->source) {
      trail_error(L, trail, "a table cannot stand inside itself (a cycle)");
    }
  }
}

/// A node that stands nowhere and has just this shape moves: it takes the place of its data.
static bool moves_as_it_is(
  lua_State *L, int value, int source, int shape, const latch_trail *trail) {
  if (trail->node == 0 || latch_depth_of(latch_of(L), lua_topointer(L, value)) != 0 ||
      latch_metatable_of(lua_topointer(L, source)) != lua_topointer(L, shape) ||
      latch_is_taken_from(L, value)) {
    return false;
  }
  latch_take_from_parents(L, value);
  latch_move_node(L, value, trail->node, trail->key);
  latch_of(L)->moved = true;
  lua_pushvalue(L, value);
  lua_replace(L, source);
  return true;
}

/// Raises for a table of another kind than the type's: an empty one is of any.
static void check_mark(lua_State *L, const latch_type *type, int shape, int mark, int value,
  int source, const latch_trail *trail) {
  lua_pushnil(L);
  if (!lua_next(L, source)) return;
  bool has_integers = lua_isinteger(L, -2);
  lua_pop(L, 2);
  bool takes_integers =
    type->key != 0 && latch_type_numbered(latch_of(L), type->key)->kind == LATCH_TYPE_INTEGER;
  bool fits = type->kind == LATCH_TYPE_LIST  ? mark == LATCH_R_LIST
              : type->kind == LATCH_TYPE_MAP ? has_integers == takes_integers
                                             : !has_integers;
  if (!fits) misfit_error(L, trail, latch_number_of_shape(L, shape), value);
}

/// Raises where what is to be copied is too long or too short.
static void check_length(lua_State *L, const latch_type *type, int shape, int value, int source,
  const latch_trail *trail) {
  uint64_t length;
  if (latch_has_length(L, type, source, &length)) return;
  misfit_error(L, trail, latch_number_of_shape(L, shape), value);
}

/// Pushes a new node that holds a copy of the table at `value`.
static void push_copy(lua_State *L, int value, int shape, int old, latch_trail *trail) {
  latch_check_stack(L, 24, "values are nested too deeply");
  int most = latch_of(L)->limits.nesting;
  if (trail->depth > most) {
    trail_error(L, trail, lua_pushfstring(L, "values are nested more than %d deep", most));
  }
  check_no_cycle(L, value, trail);
  int top = lua_gettop(L);
  latch_table_kind kind = latch_push_data(L, value);
  int source = top + 1;
  const latch_type *type = shape == 0 ? NULL : latch_type_of_shape(L, shape);
  if (type != NULL && kind == LATCH_NODE && moves_as_it_is(L, value, source, shape, trail)) return;
  if (kind == LATCH_PLAIN && lua_getmetatable(L, source)) {
    bool mark = latch_is_mark(latch_of(L), lua_topointer(L, -1));
    lua_pop(L, 1);
    if (!mark) trail_error(L, trail, "a table with a metatable is not plain data");
  }
  int mark = kind == LATCH_NODE && latch_data_mark(L, source) != 0 ? latch_data_mark(L, source)
                                                                   : mark_of(L, source, old, trail);
  if (type != NULL && !type->is_place) {
    check_mark(L, type, shape, mark, value, source, trail);
    check_length(L, type, shape, value, source, trail);
  }
  lua_newtable(L);
  int data = top + 2, node = top + 3;
  latch_push_new_node(L, data, trail->node, trail->key, true);
  bool is_list = type == NULL || type->is_place ? mark == LATCH_R_LIST && shape == 0
                                                : type->kind == LATCH_TYPE_LIST;
  if (is_list) {
    copy_list(L, source, shape, node, data, trail);
    if (shape == 0) latch_set_mark(L, data, LATCH_R_LIST);
  } else {
    copy_keyed(L, source, shape, old, node, data, trail);
  }
  if (type != NULL && !type->is_place) {
    if (type->kind == LATCH_TYPE_RECORD) complete(L, type, shape, node, data, trail);
    lua_pushvalue(L, shape);
    lua_setmetatable(L, data);
  } else if (!is_list) {
    if (shape != 0) {
      if (type != NULL) complete(L, type, shape, node, data, trail);
      check_complete(L, shape, data, trail);
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
  latch_copy_spot spot = {
    .parent = place.node, .key = place.key, .old = place.old, .depth = place.depth};
  if (place.shape == 0 && latch_quick_copy(L, value, &spot)) return;
  lua_settop(L, top);
  latch_trail trail = {
    .node = place.node, .key = place.key, .depth = place.depth, .entry = place.entry};
  push_copy(L, value, place.shape, place.old, &trail);
}
