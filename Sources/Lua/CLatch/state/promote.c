/// Adoption: tables that scripts have put into the state become nodes of the state (copy.c), by
/// place, at the start from the declaration, and at the end of each transaction.

#include "state/state.h"

/// The stack of promote_undo_log.
enum { SPLICED = 1, NODE, KEY, OLD, OPERATION, PUT, DATA };

/// The depth of the node below the root (1: it is the root); 0 if it is not in the state, or so
/// deep in it that encoding the patch will report an error.
static int depth_of(lua_State *L, int node) {
  if (!latch_of(L)->aliased) {
    int depth = latch_depth_of(latch_of(L), lua_topointer(L, node));
    return depth > LATCH_DEEPEST_NESTING ? 0 : depth;
  }
  int top = lua_gettop(L);
  lua_pushvalue(L, node);
  for (int depth = 1; depth <= LATCH_DEEPEST_NESTING; depth++) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
    bool root = lua_rawequal(L, -1, top + 1);
    lua_settop(L, top + 1);
    if (root) {
      lua_settop(L, top);
      return depth;
    }
    if (!latch_push_place(L, top + 1)) break;
    lua_settop(L, top + 2);
    lua_replace(L, top + 1);
  }
  lua_settop(L, top);
  return 0;
}

/// data[key] of the node holds a table that a reducer has put there: a plain one, or a node with
/// another place. Both are copied.
static void promote_at(
  lua_State *L, int node, int depth, int data, int key, int old, lua_Integer entry) {
  int top = lua_gettop(L);
  lua_pushvalue(L, key);
  lua_rawget(L, data);
  int value = top + 1;
  if (!lua_istable(L, value)) {
    lua_settop(L, top);
    return;
  }
  if (latch_is_node(L, value) && latch_push_place(L, value)) {
    bool here = lua_rawequal(L, -2, node) && lua_rawequal(L, -1, key);
    lua_pop(L, 2);
    if (here) {
      lua_settop(L, top);
      return;
    }
  }
  int shape = latch_push_shape(L, data, key) ? lua_gettop(L) : 0;
  latch_push_copy(L, value, (latch_copy_place){node, key, depth + 1, old, shape, entry});
  latch_note_promoted(L, lua_topointer(L, value), (uint32_t)entry);
  if (latch_of(L)->has_records && !lua_rawequal(L, -1, value)) latch_note_fresh(L, -1, node);
  lua_pushvalue(L, key);
  lua_insert(L, -2);
  lua_rawset(L, data);
  lua_settop(L, top);
}

/// True if the element can be skipped: it is not a table, or it is a node with its place in the
/// list.
static bool is_settled(
  const latch_vm *vm, const void *list, lua_Integer i, const latch_cell *cell) {
  if (cell->type != LATCH_CELL_TABLE) return true;
  const void *data;
  if (latch_look_at(vm, cell->object, &data) != LATCH_NODE) return false;
  const latch_cell *place = latch_element_cell(latch_metatable_of(cell->object), 1);
  if (place->type != LATCH_CELL_TABLE || place->object != list) return false;
  return !vm->aliased || place[1].integer == i;
}

/// Adopts all elements of a list: once in a transaction, and only if elements have moved.
static void promote_list(lua_State *L, int depth, lua_Integer entry) {
  lua_pushvalue(L, NODE);
  lua_pushboolean(L, 0);
  lua_rawset(L, SPLICED);
  latch_vm *vm = latch_of(L);
  const void *list = lua_topointer(L, NODE), *data = lua_topointer(L, DATA);
  lua_Integer length = (lua_Integer)lua_rawlen(L, DATA);
  for (lua_Integer i = 1; i <= length; i++) {
    const latch_cell *cell = latch_element_cell(data, i);
    if (cell != NULL && is_settled(vm, list, i, cell)) continue;
    lua_pushinteger(L, i);
    promote_at(L, NODE, depth, DATA, lua_gettop(L), 0, entry);
    lua_pop(L, 1);
  }
}

/// The place of a table, near the place where it was put. 0: later splices have moved it far.
static lua_Integer find_put(lua_State *L) {
  enum { FAR = 32 };
  lua_Integer length = (lua_Integer)lua_rawlen(L, DATA), hint = lua_tointeger(L, KEY);
  for (lua_Integer distance = 0; distance <= FAR; distance++) {
    for (int side = -1; side <= 1; side += 2) {
      lua_Integer at = hint + side * distance;
      if (at < 1 || at > length) continue;
      lua_rawgeti(L, DATA, at);
      bool found = lua_rawequal(L, -1, PUT);
      lua_pop(L, 1);
      if (found) return at;
    }
  }
  return 0;
}

typedef enum { LIST_UNMOVED, LIST_MOVED, LIST_PROMOTED } latch_list_state;

static latch_list_state list_state(lua_State *L) {
  if (!latch_of(L)->spliced) return LIST_UNMOVED;
  lua_pushvalue(L, NODE);
  lua_rawget(L, SPLICED);
  latch_list_state state = lua_isnil(L, -1)       ? LIST_UNMOVED
                           : lua_toboolean(L, -1) ? LIST_MOVED
                                                  : LIST_PROMOTED;
  lua_pop(L, 1);
  return state;
}

static void push_logged(lua_State *L, lua_Integer entry) {
  lua_settop(L, SPLICED);
  latch_push_entry(L, entry);
  latch_push_node_data(L, NODE);
}

/// Records the lists whose elements have moved.
static void find_spliced(lua_State *L, lua_Integer count) {
  for (lua_Integer entry = 1; entry <= count; entry++) {
    push_logged(L, entry);
    lua_Integer operation = lua_tointeger(L, OPERATION);
    if (operation != LATCH_J_INSERT && operation != LATCH_J_REMOVE &&
        operation != LATCH_J_REPLACE) {
      continue;
    }
    lua_pushvalue(L, NODE);
    lua_pushboolean(L, 1);
    lua_rawset(L, SPLICED);
  }
}

static void promote_entry(lua_State *L, lua_Integer entry) {
  latch_operation operation = (latch_operation)lua_tointeger(L, OPERATION);
  bool is_put = lua_istable(L, PUT);
  if (!is_put && operation != LATCH_J_REPLACE) return;
  latch_list_state state = list_state(L);
  if (state == LIST_PROMOTED) return;
  int depth = depth_of(L, NODE);
  if (depth == 0) {  // a node without a place is adopted when it is put somewhere
    latch_of(L)->has_floating = true;
    return;
  }
  if (operation == LATCH_J_SET && state == LIST_UNMOVED) {
    promote_at(L, NODE, depth, DATA, KEY, OLD, entry);
    return;
  }
  lua_Integer at = is_put && !latch_of(L)->aliased ? find_put(L) : 0;
  if (at == 0) {
    promote_list(L, depth, entry);
    return;
  }
  lua_pushinteger(L, at);
  promote_at(L, NODE, depth, DATA, lua_gettop(L), 0, entry);
}

/// From the entry after `first` on.
static void promote_entries(lua_State *L, latch_vm *vm, lua_Integer first) {
  lua_settop(L, 0);
  lua_Integer count = vm->undo_log_count;
  if (vm->spliced) {
    lua_newtable(L);
    find_spliced(L, count);
  } else {
    lua_pushnil(L);
  }
  for (lua_Integer entry = first + 1; entry <= count; entry++) {
    push_logged(L, entry);
    promote_entry(L, entry);
  }
}

static void promote_all(lua_State *L, latch_vm *vm, lua_Integer first) {
  latch_index_holes(L, vm);
  do {  // values in a node that had no place now belong to the state
    vm->moved = false;
    promote_entries(L, vm, first);
    first = 0;
  } while (vm->moved);
}

int latch_adopt_writes(lua_State *L) {
  latch_vm *vm = latch_of(L);
  if (vm->undo_log_count > vm->promoted) {
    lua_Integer first = vm->has_floating ? 0 : vm->promoted;
    vm->has_floating = false;
    promote_all(L, vm, first);
    vm->promoted = vm->undo_log_count;
    latch_charge(L, vm->log.writes.count);
    if (vm->log.holes_end > 0) latch_fill_holes(L);
  }
  latch_check_grown(L);
  return 0;
}

void latch_end_function(lua_State *L) {
  latch_vm *vm = latch_of(L);
  if (vm->types == NULL || (vm->undo_log_count == vm->promoted && !vm->has_grown)) return;
  lua_pushcfunction(L, latch_adopt_writes);
  lua_call(L, 0, 0);
}

static int promote_undo_log(lua_State *L) {
  latch_vm *vm = latch_of(L);
  if (vm->structural) promote_all(L, vm, 0);
  latch_check_grown(L);
  if (vm->records.is_noted) latch_settle_records(L);
  latch_touch_writes(L);
  return 0;
}

latch_status latch_promote(latch_vm *vm) {
  if (vm->log.writes.count == 0) return LATCH_OK;
  latch_status status = LATCH_OK;
  if (vm->conditions.fields != 0) latch_touch_fields(vm);
  if (vm->structural || vm->has_grown || vm->records.is_noted || latch_may_touch(vm)) {
    status = latch_protect(vm, promote_undo_log, NULL, 0);
  }
  if (vm->conditions.end > 0) latch_note_told(vm);  // there may be more to adopt
  return status;
}

// MARK: The declaration

/// Pushes a copy of the declared record at `source` in which each field of a type has the default
/// of the type.
static void push_filled(lua_State *L, int source, const latch_type *type) {
  latch_check_stack(L, 10, "the state is nested too deeply");
  int filled = lua_gettop(L) + 1;
  lua_newtable(L);
  lua_pushnil(L);
  while (lua_next(L, source)) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, filled);
  }
  for (uint32_t i = 0; i < type->field_count; i++) {
    const latch_type_field *field = &type->fields[i];
    if (field->type == 0 && !field->may_be_nil) continue;
    const latch_type *its = latch_type_numbered(latch_of(L), field->type);
    lua_pushlstring(L, field->name, field->length);
    if (field->type != 0 && its->is_place) {
      lua_pushvalue(L, filled + 1);
      lua_rawget(L, source);
      push_filled(L, filled + 2, its);
      lua_replace(L, filled + 2);
    } else if (field->may_be_nil) {
      lua_pushlightuserdata(L, latch_none());
    } else if (!latch_push_beginning(L, field->type)) {
      lua_pushlightuserdata(L, latch_none());
    }
    lua_rawset(L, filled);
    lua_settop(L, filled);
  }
}

/// (table), from the prelude: the table is the initial state and defines its shape. Records in it
/// that are reached only through records are closed from now on.
int latch_declare_state(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  uint32_t type = latch_of(L)->root_type;
  if (type != 0) {
    push_filled(L, 1, latch_type_numbered(latch_of(L), type));
    lua_replace(L, 1);
  }
  lua_pushliteral(L, "state");
  latch_push_new_shape(L, 1, type);
  latch_push_copy(L, 1, (latch_copy_place){.depth = 1, .shape = 2});
  latch_of(L)->root = lua_topointer(L, -1);
  latch_push_node_data(L, -1);
  lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_STATE_DATA);
  lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
  latch_readers_reset(latch_of(L));
  return 0;
}
