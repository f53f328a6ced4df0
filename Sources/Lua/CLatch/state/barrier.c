/// The write barrier: each write to the state is checked here, recorded in the undo log, and made
/// on the node's data.

#include "state/state.h"

int latch_refuse_state_write(lua_State *L, latch_vm *vm) {
  latch_push_node_data(L, 1);
  bool is_read = vm->recording >= 0 && !latch_is_leaf(L, -1);
  lua_pop(L, 1);
  if (is_read)
    return luaL_error(L, "%s cannot change the state; only a reducer can", latch_who_runs(vm));
  latch_push_where(L);
  latch_push_path(L, 1, 2);
  lua_pushfstring(L, ": %s cannot change the state; only a reducer can", latch_who_runs(vm));
  lua_concat(L, 3);
  return lua_error(L);
}

// MARK: What may be written

/// Checks the contents of a table when it is put somewhere: in documents, where tables are compared
/// by contents.
static void check_contents(lua_State *L, latch_vm *vm, int index, int node, int key) {
  latch_buffer_clear(&vm->out);
  latch_encoder encoder;
  latch_encoder_begin(&encoder, vm, &vm->out);
  encoder.refuses_nan = true;
  latch_encode_at(L, &encoder, index, node, key);
}

void latch_check_value(lua_State *L, int index, int node, int key) {
  const char *fault = latch_scalar_fault(L, index);
  if (fault != NULL) latch_path_error(L, node, key, fault);
  latch_vm *vm = latch_of(L);
  if (vm->compares_contents && lua_istable(L, index) && !latch_is_node(L, index))
    check_contents(L, vm, index, node, key);
}

/// The key at `index` as the state stores it: an integral float becomes an integer.
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
    latch_path_error(L, NODE, KEY, "a list has the keys 1 to n, and no named keys");
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

/// A map of named keys had no length: a reader that has asked for it has recorded nothing.
static void give_length(lua_State *L) {
  bool has_length = luaL_getmetafield(L, NODE, "__len") != LUA_TNIL;
  if (has_length) lua_pop(L, 1);
  else latch_readers_reset(latch_of(L));
  latch_give_length(L, NODE);
}

static void check_map(lua_State *L) {
  if (lua_isnil(L, VALUE) || !lua_isnil(L, OLD)) return;
  lua_pushnil(L);
  if (!lua_next(L, DATA)) {
    if (lua_isinteger(L, KEY)) give_length(L);
    return;
  }
  bool other = (lua_type(L, -2) == LUA_TSTRING) != (lua_type(L, KEY) == LUA_TSTRING);
  lua_pop(L, 2);
  if (other)
    latch_path_error(L, NODE, KEY, "the keys of a map must all be strings or all be integers");
}

static void check_record(lua_State *L) {
  int top = lua_gettop(L);
  lua_getmetatable(L, DATA);
  lua_rawgeti(L, top + 1, 1);
  lua_rawgeti(L, top + 1, 2);
  lua_pushvalue(L, KEY);
  lua_rawget(L, top + 2);
  lua_Integer said = lua_tointeger(L, -1), use = latch_field_use(said);
  if (use == 0) {
    if (!lua_isstring(L, top + 3)) {
      latch_push_path_of_data(L, lua_topointer(L, DATA));
      lua_replace(L, top + 3);
    }
    latch_refuse_undeclared(L, top + 2, top + 3, KEY);
  }
  if (use == LATCH_FIELD_MACHINE && !latch_of(L)->host_writes) {
    latch_path_error(L, NODE, KEY, "only its machine can change this field");
  }
  if (use == LATCH_FIELD_ALWAYS && lua_isnil(L, VALUE)) {
    const char *word = latch_type_word(latch_of(L), (uint32_t)(said >> LATCH_FIELD_BITS));
    latch_path_error(L, NODE, KEY,
      lua_pushfstring(
        L, "this field always has a value (declare it as %s to let it be empty)", word));
  }
  lua_settop(L, top);
}

// MARK: Writes

/// True if a machine may own the record's field of that name: only the machine writes such a field.
static bool may_be_guarded_in_record(const latch_vm *vm, latch_scalar key) {
  if (vm->record_fields == 0 || key.tag != LATCH_TAG_STRING) return false;
  return (vm->record_fields & latch_bit_of_name(key.text, key.length)) != 0;
}

/// True if a machine may own the root's field of that name: only the machine writes such a field.
static bool may_be_guarded(const latch_vm *vm, latch_scalar key) {
  if (vm->machine_fields == 0 || vm->host_writes || key.tag != LATCH_TAG_STRING) return false;
  return (vm->machine_fields & latch_bit_of_name(key.text, key.length)) != 0;
}

static void set_field(lua_State *L) {
  lua_pushvalue(L, KEY);
  lua_pushvalue(L, VALUE);
  lua_rawset(L, DATA);
}

/// A record without tables is about to get one: from now on, readers read its fields one by one.
static void open_leaf(lua_State *L) {
  if (!latch_is_leaf(L, DATA)) return;
  latch_touch_leaf(L, NODE);
  lua_pushinteger(L, LATCH_R_LEAF);
  latch_undo_log(L, (latch_place){NODE, KEY, lua_gettop(L), 0}, LATCH_J_KIND, LATCH_NO_PIECE);
  lua_pop(L, 1);
  latch_set_mark(L, DATA, LATCH_R_MAP);
}

/// A write that adds a table, removes one, or both.
static void write_table(lua_State *L, latch_vm *vm) {
  latch_become_structural(vm);
  latch_check_cycle(L, VALUE, NODE, KEY);
  bool is_table = lua_istable(L, VALUE), was_table = lua_istable(L, OLD);
  bool moves = is_table && latch_is_free(L, VALUE, NODE, KEY);
  bool leaves = was_table && latch_is_home(L, OLD, NODE, KEY);
  latch_change change = latch_begin_change(L, vm, LATCH_J_SET, NODE, KEY);
  latch_add_part(L, vm, &change, OLD, was_table && !leaves ? LATCH_PART_HOLE : LATCH_PART_VALUE);
  latch_add_part(L, vm, &change, VALUE, is_table && !moves ? LATCH_PART_HOLE : LATCH_PART_VALUE);
  latch_detach(L, OLD, NODE, KEY);
  latch_set_child(L, VALUE, NODE, KEY);
  latch_undo_log(L, (latch_place){NODE, KEY, OLD, is_table ? VALUE : 0}, LATCH_J_SET, change.piece);
  if (moves || leaves) latch_forget_paths(vm);
  if (is_table) open_leaf(L);
  set_field(L);
}

/// Checks the value against the types, and converts it if a type requires that.
static void check_types(lua_State *L) {
  if (latch_type_of_data(lua_topointer(L, DATA)) == 0) return;
  bool comes = !lua_isnil(L, VALUE), was_there = !lua_isnil(L, OLD);
  if (comes && !was_there) latch_fit_key(L, NODE, KEY, DATA);
  if (comes) latch_fit_value(L, NODE, KEY, VALUE, DATA);
  if (comes != was_there) latch_note_growth(L, NODE, DATA);
}

/// True for a list that becomes empty: in documents, where tables are compared by contents, it then
/// has no kind.
static bool is_emptied_list(lua_State *L) {
  return latch_of(L)->compares_contents && latch_data_mark(L, DATA) == LATCH_R_LIST &&
         lua_rawlen(L, DATA) == 0;
}

/// Refuses values that may not be written. As a key, an integral float becomes an integer; `none`
/// becomes nil, and -0.0 becomes 0.0.
static void check_write(lua_State *L) {
  normalise_key(L, KEY, NODE);
  switch (latch_data_mark(L, DATA)) {
    case LATCH_R_LIST:
      if (!is_emptied_list(L)) check_list(L);
      break;
    case LATCH_R_MAP: check_map(L); break;
    case LATCH_R_EMPTY: break;
    default: check_record(L);
  }
  if (latch_of(L)->types != NULL) check_types(L);
  latch_check_value(L, VALUE, NODE, KEY);
}

/// An empty table without a kind: its first key decides.
static void decide_kind(lua_State *L, latch_vm *vm) {
  bool is_open = latch_data_mark(L, DATA) == LATCH_R_EMPTY || is_emptied_list(L);
  if (lua_isnil(L, VALUE) || !is_open) return;
  bool list = lua_isinteger(L, KEY) && lua_tointeger(L, KEY) == 1;
  if (list && latch_data_mark(L, DATA) == LATCH_R_LIST) return;
  latch_give_kind(L, vm, NODE, list ? LATCH_R_LIST : LATCH_R_MAP);
}

/// True if writing a scalar over an equal one is logged: a continuation includes all scalars that
/// were written, whatever was there before.
static bool logs_unchanged(const latch_vm *vm) {
  return vm->trace != NULL && vm->trace->before_event != NULL;
}

/// Any write: (node, key, value), in every phase.
static void write_checked(lua_State *L, latch_vm *vm) {
  if (latch_is_none(L, VALUE)) {
    lua_pushnil(L);
    lua_replace(L, VALUE);
  }
  latch_push_node_data(L, NODE);
  lua_pushvalue(L, KEY);
  lua_rawget(L, DATA);
  check_write(L);
  if (vm->has_records && !vm->host_writes) latch_check_record_field(L, NODE, KEY);
  if (vm->records.by_host && vm->has_records) latch_note_given(L, NODE, KEY);
  bool has_table = lua_istable(L, VALUE) || lua_istable(L, OLD);
  bool is_logged = !has_table && !lua_isnil(L, VALUE) && logs_unchanged(vm);
  if (latch_is_same(L, VALUE, OLD) && !is_logged) return;
  decide_kind(L, vm);
  if (has_table) {
    if (vm->types != NULL && lua_istable(L, VALUE)) latch_note_put(L);
    write_table(L, vm);
    return;
  }
  const latch_cell *cells = latch_argument_cells(L) - 1;
  latch_scalar key = latch_scalar_of(&cells[KEY]), new = latch_scalar_of(&cells[VALUE]);
  latch_scalar old = latch_scalar_of(&cells[OLD]);
  latch_log_scalar(L, vm, cells[NODE].object, key, old, new);
  // A record that grows may become a map of any size: from now on its fields are read one by one.
  if (old.tag == LATCH_TAG_NIL) open_leaf(L);
  set_field(L);
}

/// True if the value fits the type of its place unchanged; otherwise more has to be done.
static bool fits(
  const latch_vm *vm, const void *node, const latch_cell *key, const latch_cell *value) {
  uint32_t number = latch_type_at(vm, latch_data_of(node), key);
  if (number == 0) return true;
  latch_scalar other, scalar = latch_scalar_of(value);
  return latch_fit_of(latch_type_numbered(vm, number), scalar, &other) == LATCH_FITS;
}

/// Writes a boolean, a number or a text over one of those, by far the most common write. False: it
/// is another write, and nothing was done.
static bool write_scalar(lua_State *L, latch_vm *vm) {
  const latch_cell *cells = latch_argument_cells(L) - 1;
  const void *node = cells[NODE].object;
  latch_cell *cell = latch_cell_at(latch_data_of(node), &cells[KEY]);
  if (cell == NULL) return false;
  latch_scalar key = latch_scalar_of(&cells[KEY]);
  if (node == vm->root && may_be_guarded(vm, key)) return false;
  if (may_be_guarded_in_record(vm, key)) return false;
  if (vm->types != NULL && !fits(vm, node, &cells[KEY], &cells[VALUE])) return false;
  if (latch_is_number(cell) && latch_is_number(&cells[VALUE])) {
    const latch_cell value = cells[VALUE];  // the stack may be reallocated
    bool is_same = cell->type == value.type && cell->integer == value.integer;
    if (is_same && !logs_unchanged(vm)) return true;
    latch_log_scalar(L, vm, node, key, latch_number_of(cell), latch_number_of(&value));
    latch_put_in_cell(cell, &value);
    return true;
  }
  latch_scalar old = latch_scalar_of(cell), new = latch_scalar_of(&cells[VALUE]);
  if (!latch_is_scalar(old) || old.tag == LATCH_TAG_NIL) return false;
  if (!latch_is_scalar(new) || new.tag == LATCH_TAG_NIL) return false;
  if (new.tag == LATCH_TAG_STRING) latch_check_value(L, VALUE, NODE, KEY);
  if (latch_scalar_equals(old, new) && !logs_unchanged(vm)) return true;
  latch_log_scalar(L, vm, node, key, old, new);
  if (new.tag != LATCH_TAG_STRING) {
    latch_put_in_cell(cell, latch_argument_cells(L) - 1 + VALUE);
    return true;
  }
  latch_push_table(L, latch_data_of(node));
  lua_pushvalue(L, KEY);
  lua_pushvalue(L, VALUE);
  lua_rawset(L, DATA);
  return true;
}

/// The `__newindex` of nodes, which only Lua calls: (node, key, value).
int latch_node_write(lua_State *L) {
  latch_vm *vm = latch_of(L);
  if (vm->phase != LATCH_REDUCER) return latch_refuse_state_write(L, vm);
  if (!write_scalar(L, vm)) write_checked(L, vm);
  return 0;
}

// MARK: Machines

/// Pushes the node that has the machine's field, the field's name, and the name of the new state.
static void push_move(lua_State *L, const latch_step *step) {
  if (step->record != 0) latch_push_record_of_step(L, step->record);
  else lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
  lua_rawgeti(L, LUA_REGISTRYINDEX, step->function);
  if (step->moves_to == LATCH_MOVES_AWAY) lua_pushnil(L);
  else lua_rawgeti(L, LUA_REGISTRYINDEX, step->moves_to);
}

/// Counts one record less, or one more, at the leaf that the field on top of the stack names.
static void count_move(lua_State *L, const latch_step *step, int by) {
  if (step->record == 0 || !latch_push_machine(L, step->machine)) return;
  int machine = lua_gettop(L);
  if (lua_rawgeti(L, machine, LATCH_MACHINE_COUNTS) == LUA_TTABLE) {
    latch_push_node_data(L, 1);
    int stop = latch_stop_of_region(L, machine, machine + 2, step->region);
    if (stop >= 0) latch_count_stop(L, machine, stop, by);
  }
  lua_settop(L, machine - 1);
}

void latch_move_machine(lua_State *L, latch_vm *vm, const latch_step *step) {
  push_move(L, step);
  count_move(L, step, -1);
  vm->host_writes = true;
  write_checked(L, vm);
  vm->host_writes = false;
  lua_settop(L, 3);
  count_move(L, step, 1);
}

/// Pushes the data of the node that has the machine's field, and returns the node; NULL if only Lua
/// can find it, or if more has to be done than writing the field.
static const void *push_moved_data(lua_State *L, latch_vm *vm, const latch_step *step) {
  if (step->record == 0) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE_DATA);
    return vm->root;
  }
  const void *node = latch_record_in_focus(L, vm, step->machine, step->record);
  if (node == NULL || latch_counts_records(L, step->machine)) return NULL;
  latch_push_table(L, latch_data_of(node));
  return node;
}

bool latch_try_move(lua_State *L, latch_vm *vm, const latch_step *step) {
  if (step->moves_to == LATCH_MOVES_AWAY) return false;
  const void *node = push_moved_data(L, vm, step);
  if (node == NULL) return false;
  lua_rawgeti(L, LUA_REGISTRYINDEX, step->function);
  lua_rawgeti(L, LUA_REGISTRYINDEX, step->moves_to);
  const latch_cell *cells = latch_top_cells(L, 3);
  const latch_cell *cell = latch_cell_at(cells[0].object, &cells[1]);
  bool moved = false;
  if (cell != NULL && cell->type == LATCH_CELL_SHORT_TEXT) {
    latch_scalar old = latch_scalar_of(cell), new = latch_scalar_of(&cells[2]);
    moved = latch_scalar_equals(old, new) ||
            latch_log_move(vm, node, latch_scalar_of(&cells[1]), old, new);
  }
  if (moved) lua_rawset(L, -3);
  lua_settop(L, 0);
  return moved;
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
  size_t length;
  const char *name = lua_tolstring(L, 1, &length);
  vm->machine_fields |= latch_bit_of_name(name, length);
  return 0;
}
