/// The readers that a transaction makes stale: those that have read what it changes (reads.c).

#include "state/reads.h"

// MARK: What was never read

// Most transactions write one or two scalars, which usually no reader has read. That is found
// without a call of Lua: each place that is read sets a bit, and if the bit is not set, no reader
// has read the place. The bits depend on addresses, but they only decide whether the tables, which
// have the exact answer, are looked at.

/// A key as a number: for a text its address, if it is so short that Lua has it only once.
static uint64_t key_number(latch_scalar key) {
  if (key.tag == LATCH_TAG_INTEGER) return key.word;
  bool is_known = key.tag == LATCH_TAG_STRING && key.length <= LATCH_LONGEST_KNOWN;
  return is_known ? (uint64_t)(uintptr_t)key.text : 0;
}

static unsigned bit_of(const void *node, uint64_t key) {
  uint64_t mixed = ((uint64_t)(uintptr_t)node ^ key * 0x9e3779b97f4a7c15u) * 0x9e3779b97f4a7c15u;
  return (unsigned)(mixed >> 32) % LATCH_READ_PLACES;
}

static bool has_bit(const latch_vm *vm, unsigned bit) {
  return (vm->read_places[bit / 64] >> bit % 64 & 1) != 0;
}

/// False if no reader has read all that is in the node.
static bool has_contents_bit(const latch_vm *vm, const void *node) {
  return has_bit(vm, bit_of(node, 0));
}

static bool is_leaf(const latch_vm *vm, const void *node) {
  return latch_metatable_of(latch_data_of(node)) == vm->leaf_mark;
}

static bool has_place(const latch_vm *vm, const void *node, latch_scalar key) {
  return has_bit(vm, bit_of(node, key_number(key))) || has_bit(vm, bit_of(node, 0));
}

/// True if a reader may have read the written place, or a table that contains it.
static bool may_touch(const latch_vm *vm, const latch_written *write) {
  const latch_written_node *nodes = vm->log.nodes.items, *node = &nodes[write->node];
  if (has_place(vm, node->node, write->key)) return true;
  const latch_written_node *above = &nodes[node->above];
  if (above != node && is_leaf(vm, node->node) && has_place(vm, above->node, node->key))
    return true;
  for (; above != node; above = &nodes[above->above]) {
    if (has_contents_bit(vm, above->node)) return true;
    node = above;
  }
  return false;
}

void latch_note_place(latch_vm *vm, lua_State *L, int node, int key) {
  lua_pushvalue(L, key);
  latch_scalar place = latch_scalar_of(latch_top_cells(L, 1));
  lua_pop(L, 1);
  unsigned bit = bit_of(lua_topointer(L, node), key_number(place));
  vm->read_places[bit / 64] |= (uint64_t)1 << bit % 64;
  vm->has_read = true;
}

bool latch_may_touch(const latch_vm *vm) {
  if (vm->reader_count == 0) return false;
  if (vm->undo_log_count > vm->told_entries) return true;
  if (!vm->has_read) return false;
  const latch_written *writes = vm->log.writes.items;
  for (uint32_t i = 0; i < vm->log.writes.count; i++) {
    if (writes[i].entry == 0 && !writes[i].is_told && may_touch(vm, &writes[i])) return true;
  }
  return false;
}

// MARK: Staleness

/// Makes the readers stale that are the keys of the table, in Lua's own order.
static void mark_keys(latch_vm *vm, const void *readers) {
  uint32_t limit = latch_array_limit(readers), slots = latch_hash_slots(readers);
  for (uint32_t i = 1; i <= limit; i++) {
    if (!latch_is_nil(latch_element_cell(readers, i))) latch_mark_reader(vm, i);
  }
  for (uint32_t i = 0; i < slots; i++) {
    const lua_slot_part *slot = latch_hash_slot(readers, i);
    bool is_used = slot->part.key_type == LATCH_CELL_INTEGER && !latch_is_nil(&slot->cell);
    if (is_used) latch_mark_reader(vm, (lua_Integer)(intptr_t)slot->part.key);
  }
}

/// Pops the value on top of the stack, which has one reader, several, or is nil, and makes them
/// stale.
static void mark_all(latch_vm *vm, lua_State *L) {
  const latch_cell *value = latch_top_cells(L, 1);
  if (value->type == LATCH_CELL_INTEGER) {
    latch_mark_reader(vm, latch_packed_reader(value->integer));
  } else if (value->type == LATCH_CELL_TABLE) {
    mark_keys(vm, value->object);
  }
  lua_pop(L, 1);
}

static void touch(latch_vm *vm, lua_State *L, int keys, int key, bool whole) {
  if (!whole) {
    for (int all = 0; all <= 1; all++) {  // with the contents of the records in it, and without
      lua_pushboolean(L, all);
      lua_rawget(L, keys);
      mark_all(vm, L);
    }
    lua_pushvalue(L, key);
    lua_rawget(L, keys);
    mark_all(vm, L);
    return;
  }
  lua_pushnil(L);
  while (lua_next(L, keys)) mark_all(vm, L);
}

/// Makes the readers of all that is below a node stale, for each node from this one up to the root.
static void touch_contents(lua_State *L, latch_vm *vm, int dependents, const void *node) {
  for (int depth = 0; depth <= LATCH_DEEPEST_NESTING; depth++) {
    if (has_contents_bit(vm, node)) {
      latch_push_table(L, node);
      if (lua_rawget(L, dependents) == LUA_TTABLE) {
        lua_rawgetp(L, -1, LATCH_CONTENTS);
        mark_all(vm, L);
      }
      lua_pop(L, 1);
    }
    const latch_cell *above = latch_element_cell(latch_metatable_of(node), 1);
    if (above->type != LATCH_CELL_TABLE) return;
    node = above->object;
  }
}

/// Makes the readers of the place of the node at `node` stale, in which something changes. A reader
/// that has read a record without tables has read all of it (recorder.c), so it has read its place.
static void touch_place(lua_State *L, latch_vm *vm, int dependents, int node) {
  int top = lua_gettop(L);
  if (latch_push_place(L, node)) {
    lua_pushvalue(L, top + 1);
    if (lua_rawget(L, dependents) == LUA_TTABLE) {
      lua_pushboolean(L, 0);
      lua_rawget(L, top + 3);
      mark_all(vm, L);
      lua_pushvalue(L, top + 2);
      lua_rawget(L, top + 3);
      mark_all(vm, L);
    }
  }
  lua_settop(L, top);
}

void latch_touch_leaf(lua_State *L, int node) {
  latch_check_stack(L, 12, "too much at once");
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_DEPENDENTS);
  touch_place(L, latch_of(L), lua_gettop(L), node);
  lua_pop(L, 1);
}

/// The key at `key` of the node at `node` changes; conditions may have read it (conditions.c).
static void touch_root(lua_State *L, latch_vm *vm, int node, int key) {
  if (lua_topointer(L, node) != vm->root || lua_type(L, key) != LUA_TSTRING) return;
  size_t length;
  const char *name = lua_tolstring(L, key, &length);
  latch_touch_field(vm, name, length);
}

static void touch_undo_log(lua_State *L, latch_vm *vm) {
  int top = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_DEPENDENTS);
  for (lua_Integer entry = vm->told_entries + 1; entry <= vm->undo_log_count; entry++) {
    latch_push_entry(L, entry);
    latch_operation operation = (latch_operation)lua_tointeger(L, top + 5);
    lua_pushvalue(L, top + 2);
    bool is_read = lua_rawget(L, top + 1) == LUA_TTABLE;
    if (is_read) touch(vm, L, top + 7, top + 3, operation != LATCH_J_SET);
    if (vm->has_read) touch_contents(L, vm, top + 1, lua_topointer(L, top + 2));
    touch_root(L, vm, top + 2, top + 3);
    lua_settop(L, top + 1);
  }
  lua_settop(L, top);
}

static void touch_fields(lua_State *L, latch_vm *vm) {
  int top = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_DEPENDENTS);
  for (uint32_t i = 0; i < vm->log.writes.count; i++) {
    const latch_written *write = (latch_written *)vm->log.writes.items + i;
    if (write->entry != 0 || write->is_told || !may_touch(vm, write)) continue;
    latch_push_written_place(L, vm, write);
    lua_pushvalue(L, top + 2);
    if (lua_rawget(L, top + 1) == LUA_TTABLE) touch(vm, L, top + 4, top + 3, false);
    const void *node = lua_topointer(L, top + 2);
    if (is_leaf(vm, node)) touch_place(L, vm, top + 1, top + 2);
    touch_contents(L, vm, top + 1, node);
    lua_settop(L, top + 1);
  }
  lua_settop(L, top);
}

void latch_touch_writes(lua_State *L) {
  latch_vm *vm = latch_of(L);
  if (!latch_may_touch(vm)) return;
  touch_undo_log(L, vm);
  touch_fields(L, vm);
}

void latch_note_told(latch_vm *vm) {
  latch_written *writes = vm->log.writes.items;
  for (uint32_t i = 0; i < vm->log.writes.count; i++) writes[i].is_told = true;
  vm->told_entries = vm->undo_log_count;
}

static int touch_name(lua_State *L) {
  latch_vm *vm = latch_of(L);
  const char *name = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_DEPENDENTS);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_PRELUDE);
  lua_rawget(L, -2);
  if (!lua_istable(L, -1)) return 0;
  lua_getfield(L, -1, name);
  mark_all(vm, L);
  return 0;
}

void latch_touch_machine(lua_State *L, lua_Integer number) {
  int top = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_DEPENDENTS);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_PRELUDE);
  if (lua_rawget(L, top + 1) == LUA_TTABLE) {
    lua_rawgeti(L, top + 2, number);
    mark_all(latch_of(L), L);
  }
  lua_settop(L, top);
}

latch_status latch_touch_name(latch_vm *vm, const char *name) {
  if (vm->reader_count == 0) return LATCH_OK;
  return latch_protect(vm, touch_name, (void *)(uintptr_t)name, 0);
}
