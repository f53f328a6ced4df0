/// The one record that an action names, by far the most common case: it is found, checked and
/// passed on without a protected call, since nothing here allocates or raises.

#include "state/state.h"

/// The table that another one has under that key; NULL if there is none.
static const void *table_in(const void *table, lua_Integer index) {
  const latch_cell *cell = table == NULL ? NULL : latch_element_cell(table, index);
  return cell != NULL && cell->type == LATCH_CELL_TABLE ? cell->object : NULL;
}

static const void *kept_table(lua_State *L, int index) {
  return table_in(lua_topointer(L, LUA_REGISTRYINDEX), index);
}

/// The fields of the current payload; NULL if only Lua can find them.
static const void *payload_fields(lua_State *L, const latch_vm *vm) {
  if (!vm->payload_is_frozen) return kept_table(L, LATCH_R_PAYLOAD_FIELDS);
  const void *frozen = kept_table(L, LATCH_R_PAYLOAD);
  if (frozen == NULL || latch_metatable_of(frozen) == NULL) return NULL;
  const latch_cell *behind = latch_field_cell(latch_metatable_of(frozen), vm->index_name);
  return behind != NULL && behind->type == LATCH_CELL_TABLE ? behind->object : NULL;
}

/// The field of the payload with the key of a level; NULL if it cannot be a key.
static const latch_cell *key_of_level(lua_State *L, const void *payload, latch_ref field) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, field);
  const latch_cell *name = latch_top_cells(L, 1);
  const latch_cell *key =
    name->type == LATCH_CELL_SHORT_TEXT ? latch_field_cell(payload, name->object) : NULL;
  lua_pop(L, 1);
  bool is_key =
    key != NULL && (key->type == LATCH_CELL_SHORT_TEXT || key->type == LATCH_CELL_INTEGER);
  return is_key ? key : NULL;
}

/// Follows the machine's path, and puts the keys of the record into the table at `arguments`. NULL:
/// only the complete search can find the record.
static const void *find(lua_State *L, const latch_vm *vm, const latch_selection *selection,
  const void *machine, int arguments) {
  const void *payload = payload_fields(L, vm), *path = table_in(machine, LATCH_MACHINE_PATH);
  if (payload == NULL || path == NULL) return NULL;
  const void *node = vm->root;
  size_t level = 0;
  for (lua_Integer step = 1; node != NULL; step++) {
    const latch_cell *name = latch_element_cell(path, step);
    if (name != NULL && name->type == LATCH_CELL_SHORT_TEXT) {
      node = latch_node_at(L, latch_data_of(node), name);
      continue;
    }
    if (name != NULL && name->type != LATCH_CELL_FALSE && !latch_is_nil(name)) return NULL;
    if (level == selection->count) return NULL;
    const latch_cell *key = key_of_level(L, payload, selection->fields[level++]);
    if (key == NULL) return NULL;
    latch_push_cell(L, key);
    lua_rawseti(L, arguments, (lua_Integer)level + 1);
    node = latch_node_at(L, latch_data_of(node), key);
    // The record is at the end of the path.
    if (name == NULL || latch_is_nil(name)) return level == selection->count ? node : NULL;
  }
  return NULL;
}

/// Returns the leaf of the machine's only region, by the data of the record.
static int stop_at(const void *machine, const void *data) {
  const latch_cell *field = latch_element_cell(machine, LATCH_MACHINE_REGIONS + LATCH_REGION_FIELD);
  const void *stops = table_in(machine, LATCH_MACHINE_REGIONS + LATCH_REGION_STOPS);
  if (field == NULL || field->type != LATCH_CELL_SHORT_TEXT || stops == NULL) return LATCH_NO_STOP;
  const latch_cell *text = latch_field_cell(data, field->object);
  if (text == NULL || text->type != LATCH_CELL_SHORT_TEXT) return LATCH_NO_STOP;
  const latch_cell *stop = latch_field_cell(stops, text->object);
  return stop != NULL && stop->type == LATCH_CELL_INTEGER ? (int)stop->integer : LATCH_NO_STOP;
}

bool latch_select_named(latch_vm *vm, const latch_selection *selection, int32_t *stop) {
  lua_State *L = vm->L;
  if (vm->root == NULL || vm->structural || vm->records.selected > 0 || selection->ends_in_list ||
      selection->count > LATCH_MOST_RECORD_KEYS || !lua_checkstack(L, LUA_MINSTACK)) {
    return false;
  }
  const void *machine = table_in(kept_table(L, LATCH_R_RECORD_MACHINES), selection->machine);
  const void *selected = kept_table(L, LATCH_R_SELECTED);
  const void *arguments = kept_table(L, LATCH_R_RECORD_ARGUMENTS);
  if (machine == NULL || arguments == NULL || selected == NULL ||
      latch_element_cell(selected, 1) == NULL) {
    return false;  // something is missing that would have to be created
  }
  int bottom = lua_gettop(L);
  latch_push_table(L, arguments);
  const void *record = find(L, vm, selection, machine, bottom + 1);
  *stop = record == NULL ? LATCH_NO_STOP : stop_at(machine, latch_data_of(record));
  if (*stop >= 0) {
    latch_push_table(L, record);
    lua_rawseti(L, bottom + 1, 1);
    latch_push_table(L, selected);
    latch_push_table(L, record);
    lua_rawseti(L, -2, 1);
    vm->records.selected = vm->records.focused = 1;
    vm->records.focused_machine = selection->machine;
    vm->records.focused_arguments = vm->record_arguments = (int32_t)selection->count + 1;
  }
  lua_settop(L, bottom);
  return *stop >= 0;
}

const void *latch_record_in_focus(lua_State *L, latch_vm *vm, int32_t machine, uint32_t record) {
  if (!latch_is_in_focus(vm, machine, record)) return NULL;
  return table_in(kept_table(L, LATCH_R_RECORD_ARGUMENTS), 1);
}

bool latch_counts_records(lua_State *L, int32_t machine) {
  const void *parts = table_in(kept_table(L, LATCH_R_RECORD_MACHINES), machine);
  return parts == NULL || table_in(parts, LATCH_MACHINE_COUNTS) != NULL;
}

bool latch_is_in_focus(const latch_vm *vm, int32_t machine, uint32_t record) {
  return record != 0 && vm->records.focused == record && vm->records.focused_machine == machine;
}

void latch_become_structural(latch_vm *vm) {
  vm->structural = true;
  vm->records.focused = 0;
}

bool latch_write_focused_keys(latch_vm *vm) {
  const void *arguments = kept_table(vm->L, LATCH_R_RECORD_ARGUMENTS);
  if (arguments == NULL) return false;
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
