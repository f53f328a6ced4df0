/// The one record that an action names, by far the commonest: found, looked at and handed over
/// without a protected call, since nothing here allocates or raises.

#include "state/state.h"

/// The node that a table of the state has under that key; NULL where it has none there.
static const void *node_at(lua_State *L, const void *data, const latch_cell *key) {
  const latch_cell *cell = latch_cell_at(data, key);
  if (cell != NULL) return cell->type == LATCH_CELL_TABLE ? cell->object : NULL;
  latch_push_table(L, data);
  latch_push_cell(L, key);
  lua_rawget(L, -2);
  cell = latch_top_cells(L, 1);
  const void *node = cell->type == LATCH_CELL_TABLE ? cell->object : NULL;
  lua_pop(L, 2);
  return node;
}

/// The fields of the payload under way; NULL where only Lua can say what it has.
static const void *payload_fields(lua_State *L, const latch_vm *vm) {
  lua_rawgeti(
    L, LUA_REGISTRYINDEX, vm->payload_is_frozen ? LATCH_R_PAYLOAD : LATCH_R_PAYLOAD_FIELDS);
  const void *fields = lua_istable(L, -1) ? lua_topointer(L, -1) : NULL;
  lua_pop(L, 1);
  if (fields == NULL || !vm->payload_is_frozen) return fields;
  if (latch_metatable_of(fields) == NULL) return NULL;
  const latch_cell *behind = latch_field_cell(latch_metatable_of(fields), vm->index_name);
  return behind != NULL && behind->type == LATCH_CELL_TABLE ? behind->object : NULL;
}

/// Pushes the field of the payload that has the key of a level: false where it can be no key.
static bool push_key(lua_State *L, const void *payload, latch_ref name) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, name);
  const latch_cell *field = latch_top_cells(L, 1);
  if (field->type != LATCH_CELL_SHORT_TEXT) return false;
  const latch_cell *key = latch_field_cell(payload, field->object);
  if (key == NULL || (key->type != LATCH_CELL_SHORT_TEXT && key->type != LATCH_CELL_INTEGER)) {
    return false;
  }
  lua_pop(L, 1);
  latch_push_cell(L, key);
  return true;
}

/// What stands on the stack of the search, from the bottom of it on.
enum { MACHINE = 1, PATH, SELECTED, ARGUMENTS, SEARCH_TOP = ARGUMENTS };

/// Pushes that; false where something is missing that would have to be made.
static bool push_parts(lua_State *L, int32_t number) {
  int top = lua_gettop(L);
  if (!latch_push_machine(L, number)) return false;
  lua_rawgeti(L, top + MACHINE, LATCH_MACHINE_PATH);
  if (lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_SELECTED) != LUA_TTABLE) return false;
  if (latch_element_cell(lua_topointer(L, -1), 1) == NULL) return false;
  return lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_RECORD_ARGUMENTS) == LUA_TTABLE;
}

/// Goes along the machine's path; NULL: only the whole search can say what is there.
static const void *find(
  lua_State *L, const latch_vm *vm, const latch_selection *selection, int bottom) {
  const void *payload = payload_fields(L, vm);
  if (payload == NULL) return NULL;
  const void *path = lua_topointer(L, bottom + PATH), *node = vm->root;
  lua_Integer steps = (lua_Integer)lua_rawlen(L, bottom + PATH) + 1;
  size_t level = 0;
  for (lua_Integer step = 1; step <= steps && node != NULL; step++) {
    const latch_cell *name = step < steps ? latch_element_cell(path, step) : NULL;
    if (step < steps && name == NULL) return NULL;
    if (name != NULL && name->type == LATCH_CELL_SHORT_TEXT) {
      node = node_at(L, latch_data_of(node), name);
      continue;
    }
    if (level == selection->count || !push_key(L, payload, selection->fields[level++])) return NULL;
    const latch_cell key = *latch_top_cells(L, 1);
    lua_rawseti(L, bottom + ARGUMENTS, (lua_Integer)level + 1);
    node = node_at(L, latch_data_of(node), &key);
  }
  return level == selection->count ? node : NULL;
}

bool latch_select_named(latch_vm *vm, const latch_selection *selection, int32_t *stop) {
  lua_State *L = vm->L;
  if (vm->root == NULL || vm->structural || vm->records.selected > 0 || selection->ends_in_list ||
      selection->count > LATCH_MOST_RECORD_KEYS || !lua_checkstack(L, LUA_MINSTACK)) {
    return false;
  }
  int bottom = lua_gettop(L);
  const void *record = NULL;
  *stop = LATCH_NO_STOP;
  if (push_parts(L, selection->machine)) record = find(L, vm, selection, bottom);
  if (record != NULL) {
    lua_settop(L, bottom + SEARCH_TOP);
    latch_push_table(L, latch_data_of(record));
    *stop = latch_stop_of_region(L, bottom + MACHINE, -1, 0);
  }
  if (*stop >= 0) {
    latch_push_table(L, record);
    lua_pushvalue(L, -1);
    lua_rawseti(L, bottom + SELECTED, 1);
    lua_rawseti(L, bottom + ARGUMENTS, 1);
    vm->records.selected = vm->records.focused = 1;
    vm->records.focused_machine = selection->machine;
    vm->records.focused_arguments = vm->record_arguments = (int32_t)selection->count + 1;
  }
  lua_settop(L, bottom);
  return *stop >= 0;
}

bool latch_is_in_focus(const latch_vm *vm, int32_t machine, uint32_t record) {
  return record != 0 && vm->records.focused == record && vm->records.focused_machine == machine;
}

void latch_become_structural(latch_vm *vm) {
  vm->structural = true;
  vm->records.focused = 0;
}

bool latch_write_focused_keys(latch_vm *vm) {
  lua_rawgeti(vm->L, LUA_REGISTRYINDEX, LATCH_R_RECORD_ARGUMENTS);
  const void *arguments = lua_topointer(vm->L, -1);
  lua_pop(vm->L, 1);
  size_t most = 16;
  for (int i = 2; i <= vm->records.focused_arguments; i++) {
    const latch_cell *key = latch_element_cell(arguments, i);
    most += key == NULL ? 0 : latch_most_scalar_bytes(latch_scalar_of(key));
  }
  uint8_t *start = latch_buffer_room(&vm->out, most);
  if (start == NULL) return false;
  uint8_t *out = start;
  *out++ = LATCH_TAG_LIST;
  out = latch_write_count(out, (uint32_t)vm->records.focused_arguments - 1);
  for (int i = 2; i <= vm->records.focused_arguments; i++) {
    const latch_cell *key = latch_element_cell(arguments, i);
    if (key == NULL) return false;
    out = latch_write_scalar(out, latch_scalar_of(key));
  }
  vm->out.length += (size_t)(out - start);
  return true;
}
