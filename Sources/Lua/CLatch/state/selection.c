/// The records to which an action applies: found by its payload, and passed to the functions of
/// their machines.

#include "state/state.h"

// MARK: Where a machine stands

/// Pushes the record of that number among the selected ones.
static void push_selected(lua_State *L, uint32_t number) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_SELECTED);
  lua_rawgeti(L, -1, number);
  lua_remove(L, -2);
}

typedef struct {
  int32_t machine, *stops;
  uint32_t record;
} latch_stops_request;

static int read_stops(lua_State *L) {
  const latch_stops_request *request = lua_touserdata(L, 1);
  if (!latch_push_machine(L, request->machine)) return 0;
  push_selected(L, request->record);
  latch_push_node_data(L, 3);
  lua_rawgeti(L, 2, LATCH_MACHINE_REGION_COUNT);
  int regions = (int)lua_tointeger(L, -1);
  for (int region = 0; region < regions; region++) {
    request->stops[region] = latch_stop_of_region(L, 2, 4, region);
  }
  return 0;
}

latch_status latch_record_stops(latch_vm *vm, int32_t machine, uint32_t record, int32_t *stops) {
  latch_stops_request request = {machine, stops, record};
  return latch_protect(vm, read_stops, &request, 0);
}

// MARK: Selecting

typedef struct {
  const latch_selection *of;
  latch_selected *found;
} latch_search;

/// The stack slots of a search.
enum { REQUEST = 1, MACHINE, PATH, PAYLOAD, SELECTED, SEARCH_TOP = SELECTED };

/// So many selected records are kept until others replace them.
enum { FEW = 4 };

void latch_push_selected(lua_State *L) {
  if (lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_SELECTED) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_createtable(L, FEW, 0);
  lua_pushvalue(L, -1);
  lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_SELECTED);
}

static void select_record(lua_State *L, int record) {
  latch_vm *vm = latch_of(L);
  lua_pushvalue(L, record);
  lua_rawseti(L, SELECTED, (lua_Integer)++vm->records.selected);
}

/// Adds the key at that index to a path: `.NAME`, or `["KEY"]` for one of a collection.
static void add_step(lua_State *L, latch_buffer *path, int key, bool is_name) {
  int top = lua_gettop(L);
  lua_pushvalue(L, key);
  if (is_name) lua_pushfstring(L, path->length == 0 ? "%s" : ".%s", lua_tostring(L, -1));
  else if (lua_type(L, -1) == LUA_TSTRING) lua_pushfstring(L, "[\"%s\"]", lua_tostring(L, -1));
  else if (lua_type(L, -1) == LUA_TNUMBER) lua_pushfstring(L, "[%s]", luaL_tolstring(L, -1, NULL));
  else lua_pushfstring(L, "[%s]", luaL_typename(L, -1));  // never an address
  size_t length;
  const char *text = lua_tolstring(L, -1, &length);
  latch_buffer_add_start(path, text, length);
  lua_settop(L, top);
}

/// Stores where there is no record: the path of the node, and the key.
static void miss(lua_State *L, latch_search *search, int node, int key) {
  if (search->found->is_missing) return;
  search->found->is_missing = true;
  latch_vm *vm = latch_of(L);
  latch_check_stack(L, 2 * LATCH_DEEPEST_NESTING, "the state is nested too deeply");
  int top = lua_gettop(L), count;
  lua_pushvalue(L, key);
  if (latch_push_way(L, node, 0, &count) == LATCH_STANDS) {
    latch_buffer_clear(&vm->reason);
    for (int i = 1; i <= count; i++) {
      add_step(L, &vm->reason, top + 2 + count - i, lua_rawgeti(L, PATH, i) == LUA_TSTRING);
      lua_pop(L, 1);
    }
    add_step(L, &vm->reason, top + 1, lua_rawgeti(L, PATH, count + 1) == LUA_TSTRING);
  }
  lua_settop(L, top);
}

static void search_below(lua_State *L, latch_search *search, int node, int step, size_t level);

/// Continues with the value of the node under the key on top of the stack.
static void search_at(lua_State *L, latch_search *search, int node, int step, size_t level) {
  int key = lua_gettop(L);
  latch_push_node_data(L, node);
  lua_pushvalue(L, key);
  if (lua_isnil(L, key)) lua_pushnil(L);
  else lua_rawget(L, key + 1);
  if (latch_is_node(L, key + 2)) search_below(L, search, key + 2, step + 1, level);
  else miss(L, search, node, key);
  lua_settop(L, key);
}

/// Continues with all values of the node.
static void search_all(lua_State *L, latch_search *search, int node, int step, size_t level) {
  int top = lua_gettop(L);
  latch_push_node_data(L, node);
  latch_sorted_keys(L, top + 1);
  lua_Integer count = (lua_Integer)lua_rawlen(L, top + 2);
  for (lua_Integer i = 1; i <= count; i++) {
    latch_charge(L, 1);
    lua_rawgeti(L, top + 2, i);
    lua_pushvalue(L, -1);
    lua_rawget(L, top + 1);
    if (latch_is_node(L, -1)) search_below(L, search, top + 4, step + 1, level);
    lua_settop(L, top + 2);
  }
  lua_settop(L, top);
}

/// Continues with the keys of a list in the payload, each once.
static void search_list(
  lua_State *L, latch_search *search, int node, int step, size_t level, int list) {
  int top = lua_gettop(L);
  lua_newtable(L);
  lua_Integer count = (lua_Integer)luaL_len(L, list);
  for (lua_Integer i = 1; i <= count; i++) {
    latch_charge(L, 1);
    lua_geti(L, list, i);
    bool is_key = lua_type(L, -1) == LUA_TSTRING || lua_type(L, -1) == LUA_TNUMBER;
    lua_pushvalue(L, -1);
    if (is_key && lua_rawget(L, top + 1) == LUA_TNIL) {
      lua_settop(L, top + 2);
      lua_pushvalue(L, top + 2);
      lua_pushboolean(L, 1);
      lua_rawset(L, top + 1);
      search_at(L, search, node, step, level);
    }
    lua_settop(L, top + 1);
  }
  lua_settop(L, top);
}

static void search_below(lua_State *L, latch_search *search, int node, int step, size_t level) {
  latch_check_stack(L, 16, "the state is nested too deeply");
  int top = lua_gettop(L);
  lua_Integer steps = (lua_Integer)lua_rawlen(L, PATH) + 1;
  if (step > steps) {
    select_record(L, node);
    return;
  }
  if (step < steps && lua_rawgeti(L, PATH, step) == LUA_TSTRING) {
    search_at(L, search, node, step, level);
  } else if (level < search->of->count) {
    lua_settop(L, top);
    lua_rawgeti(L, LUA_REGISTRYINDEX, search->of->fields[level]);
    lua_gettable(L, PAYLOAD);
    bool is_list = search->of->ends_in_list && level + 1 == search->of->count;
    if (is_list && lua_istable(L, -1)) search_list(L, search, node, step, level + 1, top + 1);
    else search_at(L, search, node, step, level + 1);
  } else {
    lua_settop(L, top);
    search_all(L, search, node, step, level);
  }
  lua_settop(L, top);
}

static int select_records(lua_State *L) {
  latch_search *search = lua_touserdata(L, REQUEST);
  latch_vm *vm = latch_of(L);
  if (!latch_push_machine(L, search->of->machine)) return 0;
  lua_rawgeti(L, MACHINE, LATCH_MACHINE_PATH);
  lua_rawgeti(
    L, LUA_REGISTRYINDEX, vm->payload_is_frozen ? LATCH_R_PAYLOAD : LATCH_R_PAYLOAD_FIELDS);
  latch_push_selected(L);
  uint32_t before = vm->records.selected;
  search->found->first = before + 1;
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
  search_below(L, search, SEARCH_TOP + 1, 1, 0);
  search->found->count = vm->records.selected - before;
  return 0;
}

latch_status latch_select_records(
  latch_vm *vm, const latch_selection *selection, latch_selected *found) {
  *found = (latch_selected){0, 0, false};
  latch_search search = {selection, found};
  return latch_protect(vm, select_records, &search, 0);
}

typedef struct {
  int32_t machine;
  latch_bytes keys;
  latch_selected *found;
} latch_key_request;

/// Pushes a key, and replaces the node below it by its value under that key.
static bool go_to(lua_State *L, int node) {
  latch_push_node_data(L, node);
  lua_insert(L, -2);
  lua_rawget(L, -2);
  bool found = latch_is_node(L, -1);
  lua_replace(L, node);
  lua_settop(L, node);
  return found;
}

static int select_by_keys(lua_State *L) {
  latch_key_request *request = lua_touserdata(L, 1);
  latch_vm *vm = latch_of(L);
  if (!latch_push_machine(L, request->machine)) return 0;
  lua_rawgeti(L, 2, LATCH_MACHINE_PATH);
  const uint8_t *cursor = request->keys.bytes, *end = cursor + request->keys.length;
  lua_Integer steps = (lua_Integer)lua_rawlen(L, 3) + 1;
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
  for (lua_Integer step = 1; step <= steps; step++) {
    if (step == steps || lua_rawgeti(L, 3, step) != LUA_TSTRING) {
      lua_settop(L, 4);
      if (cursor >= end) return 0;
      latch_decode(L, &cursor, end, 0);
    }
    if (!go_to(L, 4)) return 0;
  }
  latch_push_selected(L);
  lua_pushvalue(L, 4);
  lua_rawseti(L, 5, (lua_Integer)++vm->records.selected);
  *request->found = (latch_selected){vm->records.selected, 1, false};
  return 0;
}

latch_status latch_select_record(
  latch_vm *vm, int32_t machine, latch_bytes keys, latch_selected *found) {
  *found = (latch_selected){0, 0, true};
  latch_key_request request = {machine, keys, found};
  return latch_protect(vm, select_by_keys, &request, 0);
}

static int forget_selected(lua_State *L) {
  lua_pushboolean(L, 0);
  lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_SELECTED);
  return 0;
}

void latch_forget_selected(latch_vm *vm) {
  if (vm->records.selected > FEW) latch_protect_unlimited(vm, forget_selected, NULL);
  vm->records.selected = vm->records.focused = 0;
}

typedef struct {
  int32_t machine;
  uint32_t record;
} latch_keys_request;

static int encode_keys(lua_State *L) {
  const latch_keys_request *request = lua_touserdata(L, 1);
  latch_vm *vm = latch_of(L);
  if (!latch_push_machine(L, request->machine)) return 0;
  push_selected(L, request->record);
  if (!latch_push_keys_of_record(L, 3, 2)) return 0;
  latch_encoder encoder;
  latch_buffer_clear(&vm->out);
  latch_encoder_begin(&encoder, vm, &vm->out);
  encoder.has_texts_of_state = true;
  if (!latch_encode(&encoder, L, lua_gettop(L))) return luaL_error(L, "%s", encoder.fault);
  return 0;
}

latch_status latch_keys_of_selected(
  latch_vm *vm, int32_t machine, uint32_t record, latch_bytes *keys) {
  latch_keys_request request = {machine, record};
  latch_buffer_clear(&vm->out);
  if (latch_is_in_focus(vm, machine, record) && latch_write_focused_keys(vm)) {
    *keys = latch_buffer_view(&vm->out);
    return LATCH_OK;
  }
  latch_status status = latch_protect(vm, encode_keys, &request, 0);
  *keys = latch_buffer_view(&vm->out);
  return status;
}

// MARK: Handing over

bool latch_focus(lua_State *L, int32_t machine, uint32_t record) {
  latch_vm *vm = latch_of(L);
  int top = lua_gettop(L);
  if (latch_is_in_focus(vm, machine, record)) {
    vm->record_arguments = vm->records.focused_arguments;
    return true;
  }
  vm->record_arguments = 0;
  vm->records.focused = 0;
  latch_check_stack(L, 8, "too much at once");
  if (!latch_push_machine(L, machine)) return false;
  push_selected(L, record);
  bool is_there = latch_push_keys_of_record(L, top + 2, top + 1);
  if (is_there) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_RECORD_ARGUMENTS);
    lua_pushvalue(L, top + 2);
    lua_rawseti(L, top + 4, 1);
    lua_Integer count = (lua_Integer)lua_rawlen(L, top + 3);
    if (count > LATCH_MOST_RECORD_KEYS) count = LATCH_MOST_RECORD_KEYS;
    for (lua_Integer i = 1; i <= count; i++) {
      lua_rawgeti(L, top + 3, i);
      lua_rawseti(L, top + 4, i + 1);
    }
    vm->records.focused = vm->structural ? 0 : record;
    vm->records.focused_machine = machine;
    vm->records.focused_arguments = vm->record_arguments = (int32_t)count + 1;
  }
  lua_settop(L, top);
  return is_there;
}

static int focus(lua_State *L) {
  const latch_keys_request *request = lua_touserdata(L, 1);
  latch_focus(L, request->machine, request->record);
  return 0;
}

latch_status latch_focus_record(latch_vm *vm, int32_t machine, uint32_t record) {
  if (latch_is_in_focus(vm, machine, record)) {
    vm->record_arguments = vm->records.focused_arguments;
    return LATCH_OK;
  }
  latch_keys_request request = {machine, record};
  return latch_protect(vm, focus, &request, 0);
}

latch_status latch_focus_only(latch_vm *vm, int32_t machine, uint32_t record) {
  latch_status status = latch_focus_record(vm, machine, record);
  vm->only_record = vm->record_arguments > 0;
  return status;
}

void latch_unfocus(latch_vm *vm) {
  vm->record_arguments = 0;
  vm->only_record = false;
}

void latch_push_record_of_step(lua_State *L, uint32_t record) { push_selected(L, record); }
