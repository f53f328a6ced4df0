/// Copying a table of a script into nodes of the state, in Lua's own order, if it has no errors and
/// contains no closed record; otherwise copy.c does it.

#include "state/state.h"

/// Pushes the value at `key` of the node that is replaced (index 0: there is none); nil if it has
/// none.
void latch_push_old_child(lua_State *L, int old, int key) {
  if (old == 0 || !latch_is_node(L, old)) {
    lua_pushnil(L);
    return;
  }
  latch_push_node_data(L, old);
  lua_pushvalue(L, key);
  lua_rawget(L, -2);
  lua_remove(L, -2);
}

/// The kinds and numbers of the keys and values of a table.
typedef struct {
  size_t texts, integers, inside, tables, nodes;  ///< `inside`: integers from 1 to n
  bool is_foreign;
} latch_survey;

/// The same if the table has no array and only names for keys: reads its slots directly.
static bool survey_names(latch_vm *vm, const void *table, latch_survey *found) {
  if (latch_array_limit(table) != 0) return false;
  *found = (latch_survey){0};
  for (uint32_t i = 0; i < latch_hash_slots(table); i++) {
    const lua_slot_part *slot = latch_hash_slot(table, i);
    if (latch_is_nil(&slot->cell)) continue;
    if (slot->part.key_type != LATCH_CELL_SHORT_TEXT) return false;
    found->texts++;
    if (slot->cell.type != LATCH_CELL_TABLE) continue;
    const void *data;
    found->tables++;
    found->nodes += latch_look_at(vm, slot->cell.object, &data) == LATCH_NODE;
  }
  return found->texts > 0;
}

static latch_survey survey(lua_State *L, int source) {
  latch_survey found = {0};
  if (survey_names(latch_of(L), lua_topointer(L, source), &found)) return found;
  found = (latch_survey){0};
  lua_Integer length = (lua_Integer)lua_rawlen(L, source);
  lua_pushnil(L);
  while (lua_next(L, source)) {
    const latch_cell *cells = latch_top_cells(L, 2);
    if (cells[0].type == LATCH_CELL_INTEGER) {
      found.integers++;
      found.inside += cells[0].integer >= 1 && cells[0].integer <= length;
    } else if (cells[0].type == LATCH_CELL_SHORT_TEXT || cells[0].type == LATCH_CELL_LONG_TEXT) {
      found.texts++;
    } else {
      found.is_foreign = true;
    }
    if (cells[1].type == LATCH_CELL_TABLE) {
      const void *data;
      found.tables++;
      found.nodes += latch_look_at(latch_of(L), cells[1].object, &data) == LATCH_NODE;
    }
    lua_pop(L, 1);
  }
  return found;
}

/// True unless the data belongs to a closed record, which only its own place may hold.
static bool has_mark(latch_vm *vm, const void *data) {
  const void *mark = latch_metatable_of(data);
  return mark == NULL || latch_is_mark(vm, mark);
}

/// The mark for the copy, 0 for an error. `old`: the table that it replaces, or 0.
static int quick_mark(
  lua_State *L, int source, latch_table_kind kind, latch_survey found, int old) {
  latch_vm *vm = latch_of(L);
  const void *metatable = latch_metatable_of(lua_topointer(L, source));
  if (kind == LATCH_PLAIN && metatable != NULL && !latch_is_mark(vm, metatable)) return 0;
  if (kind == LATCH_NODE && latch_data_mark(L, source) != 0)
    return metatable == vm->leaf_mark ? LATCH_R_LEAF : latch_data_mark(L, source);
  if (found.is_foreign || (found.texts > 0 && found.integers > 0)) return 0;
  if (found.texts + found.integers == 0) {
    if (metatable == vm->list_mark) return LATCH_R_LIST;
    if (metatable == vm->map_mark) return LATCH_R_MAP;
    if (metatable == vm->empty_mark) return LATCH_R_EMPTY;
    if (old == 0 || !latch_is_node(L, old)) return LATCH_R_EMPTY;
    const void *data = latch_data_of(lua_topointer(L, old));
    latch_push_table(L, data);
    int mark = latch_data_mark(L, -1);
    lua_pop(L, 1);
    return mark == 0 ? LATCH_R_EMPTY : mark;
  }
  if (metatable == vm->map_mark) return LATCH_R_MAP;
  if (found.texts > 0)
    return found.tables == 0 && found.texts <= LATCH_FEW_KEYS ? LATCH_R_LEAF : LATCH_R_MAP;
  return found.inside == found.integers && found.inside == lua_rawlen(L, source) ? LATCH_R_LIST : 0;
}

/// Copies one field, whose key and value are on top of the stack, and leaves the key. False: there
/// is an error.
static bool quick_field(lua_State *L, int node, int data, const latch_copy_position *position) {
  int value = lua_gettop(L), key = value - 1;
  const latch_cell *cells = latch_top_cells(L, 2);
  if (cells[1].type == LATCH_CELL_POINTER && cells[1].object == latch_none()) {
    lua_pop(L, 1);
    return true;
  }
  if (cells[0].type != LATCH_CELL_INTEGER && !latch_is_utf8_key(L, key)) return false;
  if (cells[1].type == LATCH_CELL_TABLE) {
    latch_copy_position below = {
      .up = position, .parent = node, .key = key, .depth = position->depth + 1};
    if (position->old != 0 && cells[0].type != LATCH_CELL_INTEGER) {
      latch_push_old_child(L, position->old, key);
      below.old = value + 1;
    }
    if (!latch_quick_copy(L, value, &below)) return false;
    lua_replace(L, value);
    lua_settop(L, value);
  } else if (!latch_is_scalar(latch_scalar_of(&cells[1])) ||
             cells[1].type == LATCH_CELL_LONG_TEXT || cells[1].type == LATCH_CELL_SHORT_TEXT) {
    if (latch_scalar_fault(L, value) != NULL) return false;
  }
  lua_pushvalue(L, key);
  lua_insert(L, value);
  lua_rawset(L, data);
  return true;
}

/// Copies the fields of a table whose keys are names, and which holds no tables. False: there is an
/// error.
static bool quick_flat(lua_State *L, int source, int data) {
  const void *table = lua_topointer(L, source);
  for (uint32_t i = 0; i < latch_hash_slots(table); i++) {
    const lua_slot_part *slot = latch_hash_slot(table, i);
    bool is_none = slot->cell.type == LATCH_CELL_POINTER && slot->cell.object == latch_none();
    if (latch_is_nil(&slot->cell) || is_none) continue;
    latch_push_string(L, slot->part.key, slot->part.key_type == LATCH_CELL_LONG_TEXT);
    latch_push_cell(L, &slot->cell);
    if (!latch_is_utf8_key(L, -2) || latch_scalar_fault(L, lua_gettop(L)) != NULL) return false;
    lua_rawset(L, data);
  }
  return true;
}

static bool quick_fields(
  lua_State *L, int source, int node, int data, bool is_list, const latch_copy_position *position) {
  if (!is_list) {
    lua_pushnil(L);
    while (lua_next(L, source)) {
      if (!quick_field(L, node, data, position)) return false;
    }
    return true;
  }
  lua_Integer length = (lua_Integer)lua_rawlen(L, source);
  for (lua_Integer i = 1; i <= length; i++) {
    lua_pushinteger(L, i);
    lua_rawgeti(L, source, i);
    if (latch_is_none(L, -1)) return false;  // a list has no holes
    if (!quick_field(L, node, data, position)) return false;
    lua_pop(L, 1);
  }
  return true;
}

/// Pushes a new node at the position that holds a copy of the table at `value`, or the node there,
/// moved. False: there is an error in it, which copy.c finds; the values on the stack are useless.
bool latch_quick_copy(lua_State *L, int value, latch_copy_position *position) {
  latch_vm *vm = latch_of(L);
  if (position->depth > vm->limits.nesting) return false;
  latch_check_stack(L, 24, "values are nested too deeply");
  position->source = lua_topointer(L, value);
  const void *raw;
  latch_table_kind kind = latch_look_at(vm, position->source, &raw);
  if (kind == LATCH_RECORDER) return false;
  if (kind == LATCH_NODE && position->parent != 0 && latch_depth_of(vm, position->source) == 0 &&
      !latch_is_taken_from(L, value) && has_mark(vm, raw)) {
    latch_take_from_parents(L, value);
    latch_move_node(L, value, position->parent, position->key);
    vm->moved = true;
    lua_pushvalue(L, value);
    return true;
  }
  for (const latch_copy_position *above = position->up; above != NULL; above = above->up) {
    if (above->source == position->source) return false;
  }
  latch_push_table(L, raw);
  int source = lua_gettop(L), data = source + 1, node = source + 2;
  latch_survey found = survey(L, source);
  latch_charge(L, found.texts + found.integers);
  int mark = quick_mark(L, source, kind, found, position->old);
  if (mark == 0) return false;
  // If one of several nodes is inside of another one, which of them moves must not depend on Lua's
  // own order.
  if (kind == LATCH_PLAIN && found.texts > 0 && found.tables > 1 && found.nodes > 0) return false;
  lua_createtable(L, (int)found.inside, (int)(found.texts + found.integers - found.inside));
  latch_push_new_node(L, data, position->parent, position->key, found.texts == 0);
  bool is_flat = found.tables == 0 && found.texts > 0 && latch_array_limit(raw) == 0;
  bool fine = is_flat ? quick_flat(L, source, data)
                      : quick_fields(L, source, node, data, mark == LATCH_R_LIST, position);
  if (!fine) return false;
  if (kind == LATCH_NODE && vm->has_records) latch_note_copied(L, node);
  latch_set_mark(L, data, mark);
  lua_copy(L, node, source);
  lua_settop(L, source);
  return true;
}

// MARK: Records of a type

/// True if a value that is not a table fits the declared type of the field unchanged.
static bool is_as_declared(const latch_vm *vm, const latch_cell *use, const latch_cell *cell) {
  if (use == NULL || use->type != LATCH_CELL_INTEGER) return false;
  uint32_t number = (uint32_t)(use->integer >> LATCH_FIELD_BITS);
  if (number == 0 || latch_field_use(use->integer) == LATCH_FIELD_MACHINE) return false;
  latch_scalar other, scalar = latch_scalar_of(cell);
  bool is_float_zero = scalar.tag == LATCH_TAG_NUMBER && cell->number == 0;  // it may be negative
  if (!latch_is_scalar(scalar) || is_float_zero) return false;
  return latch_fit_of(latch_type_numbered(vm, number), scalar, &other) == LATCH_FITS;
}

/// True if a table has all fields that a record of the type must always have, no undeclared ones,
/// and in each a value that fits unchanged.
static bool has_fields_of(
  const latch_vm *vm, const latch_type *type, const void *fields, const void *table) {
  uint32_t missing = 0;
  for (uint32_t i = 0; i < type->field_count; i++) {
    missing += !type->fields[i].may_be_nil && !type->fields[i].is_machines;
  }
  for (uint32_t i = 0; i < latch_hash_slots(table); i++) {
    const lua_slot_part *slot = latch_hash_slot(table, i);
    if (latch_is_nil(&slot->cell)) continue;
    if (slot->part.key_type != LATCH_CELL_SHORT_TEXT) return false;
    const latch_cell *use = latch_field_cell(fields, slot->part.key);
    if (!is_as_declared(vm, use, &slot->cell)) return false;
    missing -= latch_field_use(use->integer) == LATCH_FIELD_ALWAYS;
  }
  return missing == 0;
}

bool latch_quick_record(lua_State *L, int value, int shape, const latch_copy_position *position) {
  latch_vm *vm = latch_of(L);
  const latch_type *type = latch_type_of_shape(L, shape);
  const void *table = lua_topointer(L, value);
  if (type == NULL || type->kind != LATCH_TYPE_RECORD || type->is_place) return false;
  if (latch_metatable_of(table) != NULL || latch_array_limit(table) != 0) return false;
  const void *fields = latch_element_cell(lua_topointer(L, shape), LATCH_SHAPE_FIELDS)->object;
  if (position->depth > vm->limits.nesting || !has_fields_of(vm, type, fields, table)) return false;
  latch_check_stack(L, 24, "values are nested too deeply");
  latch_charge(L, type->field_count);
  int data = lua_gettop(L) + 1;
  lua_createtable(L, 0, (int)type->field_count);
  latch_push_new_node(L, data, position->parent, position->key, false);
  if (!quick_flat(L, value, data)) {
    lua_settop(L, data - 1);
    return false;
  }
  lua_pushvalue(L, shape);
  lua_setmetatable(L, data);
  lua_copy(L, data + 1, data);
  lua_settop(L, data);
  return true;
}
