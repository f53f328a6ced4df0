/// The reads of readers.
///
/// Each read is stored twice: as (node, key) -> reader, so that a transaction that changes (node,
/// key) makes the reader stale, and in the reader's list of its reads, in their order. A reader
/// that runs again usually reads the same: as long as it does, nothing is changed; from its first
/// different read on, the rest of the list is dropped and built again.
///
/// Reads of whole tables (`pairs`, `#`, a node returned as a value) are stored under the key
/// `true`, walks through a table and the contents of its records under `false`.

#include "state/state.h"

static bool may_touch(const latch_vm *vm, const latch_written *write);
static bool is_leaf(const latch_vm *vm, const void *node);

// MARK: Staleness

/// The index of that read in the list of the reader at (node, key), in one number with the reader.
/// If there are several readers, there is a table reader -> index instead.
enum { READER_BITS = 32 };

static lua_Integer packed(int32_t reader, lua_Integer place) {
  return place << READER_BITS | reader;
}
static int32_t packed_reader(lua_Integer packed) { return (int32_t)(packed & 0x7fffffff); }

/// Pops the value on top of the stack, which has one reader, several, or is nil, and makes them
/// stale.
static void mark_all(latch_vm *vm, lua_State *L) {
  if (lua_isinteger(L, -1)) {
    latch_mark_reader(vm, packed_reader(lua_tointeger(L, -1)));
  } else if (lua_istable(L, -1)) {
    lua_pushnil(L);
    while (lua_next(L, -2)) {
      lua_pop(L, 1);
      latch_mark_reader(vm, (int32_t)lua_tointeger(L, -1));
    }
  }
  lua_pop(L, 1);
}

static void touch(latch_vm *vm, lua_State *L, int keys, int key, bool whole) {
  for (int all = 0; all <= 1; all++) {  // with the contents of the records in it, and without
    lua_pushboolean(L, all);
    lua_rawget(L, keys);
    mark_all(vm, L);
  }
  if (!whole) {
    lua_pushvalue(L, key);
    lua_rawget(L, keys);
    mark_all(vm, L);
    return;
  }
  lua_pushnil(L);
  while (lua_next(L, keys)) mark_all(vm, L);
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
    if (is_leaf(vm, lua_topointer(L, top + 2))) touch_place(L, vm, top + 1, top + 2);
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

/// Sets the bit of a read of the place. A read of the whole table has the bit of key 0, which a few
/// other keys share.
static void note_place(latch_vm *vm, lua_State *L, int node, int key) {
  lua_pushvalue(L, key);
  latch_scalar place = latch_scalar_of(latch_top_cells(L, 1));
  lua_pop(L, 1);
  unsigned bit = bit_of(lua_topointer(L, node), key_number(place));
  vm->read_places[bit / 64] |= (uint64_t)1 << bit % 64;
  vm->has_read = true;
}

static bool is_leaf(const latch_vm *vm, const void *node) {
  return latch_metatable_of(latch_data_of(node)) == vm->leaf_mark;
}

static bool has_place(const latch_vm *vm, const void *node, latch_scalar key) {
  return has_bit(vm, bit_of(node, key_number(key))) || has_bit(vm, bit_of(node, 0));
}

/// True if a reader may have read the written place, or the record that contains it.
static bool may_touch(const latch_vm *vm, const latch_written *write) {
  const latch_written_node *nodes = vm->log.nodes.items, *node = &nodes[write->node];
  return has_place(vm, node->node, write->key) ||
         (node->above != write->node && is_leaf(vm, node->node) &&
           has_place(vm, nodes[node->above].node, node->key));
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

// MARK: One read

enum { NOT_READ = -1 };

/// The index, in the reader's list, of its read of keys[key], or NOT_READ.
static lua_Integer place_of(lua_State *L, int keys, int key, int32_t reader) {
  lua_Integer place = NOT_READ;
  lua_pushvalue(L, key);
  lua_rawget(L, keys);
  if (lua_isinteger(L, -1)) {
    lua_Integer one = lua_tointeger(L, -1);
    if (packed_reader(one) == reader) place = one >> READER_BITS;
  } else if (lua_istable(L, -1)) {
    if (lua_rawgeti(L, -1, reader) == LUA_TNUMBER) place = lua_tointeger(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return place;
}

/// Adds a reader at keys[key] that is not there yet.
static void add_reader(lua_State *L, int keys, int key, int32_t reader, lua_Integer place) {
  int top = lua_gettop(L);
  lua_pushvalue(L, key);
  lua_rawget(L, keys);
  if (lua_istable(L, -1)) {
    lua_pushinteger(L, place);
    lua_rawseti(L, -2, reader);
  } else {
    lua_Integer one = lua_tointeger(L, -1);
    lua_pushvalue(L, key);
    if (lua_isnil(L, top + 1)) {
      lua_pushinteger(L, packed(reader, place));
    } else {
      lua_createtable(L, 0, 2);
      lua_pushinteger(L, one >> READER_BITS);
      lua_rawseti(L, -2, packed_reader(one));
      lua_pushinteger(L, place);
      lua_rawseti(L, -2, reader);
    }
    lua_rawset(L, keys);
  }
  lua_settop(L, top);
}

static void remove_reader(lua_State *L, int keys, int key, int32_t reader) {
  int top = lua_gettop(L);
  lua_pushvalue(L, key);
  lua_rawget(L, keys);
  bool empty = lua_isinteger(L, -1);
  if (lua_istable(L, -1)) {
    lua_pushnil(L);
    lua_rawseti(L, -2, reader);
    lua_pushnil(L);
    empty = !lua_next(L, top + 1);
  }
  if (empty) {
    lua_pushvalue(L, key);
    lua_pushnil(L);
    lua_rawset(L, keys);
  }
  lua_settop(L, top);
}

// MARK: The list of reads

/// Pushes the list: node and key of each read.
static void push_reads(lua_State *L, int32_t reader) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_READERS);
  lua_rawgeti(L, -1, reader + 1);
  lua_rawgeti(L, -1, LATCH_READER_READS);
  lua_replace(L, -3);
  lua_pop(L, 1);
}

/// Drops the last read of the list at `reads`. Nothing here allocates, so it cannot fail half-way.
static void forget_last(
  lua_State *L, int dependents, int reads, latch_reader *known, int32_t reader) {
  int top = lua_gettop(L);
  lua_Integer slot = 2 * --known->reads;
  lua_rawgeti(L, reads, slot + 1);
  lua_rawgeti(L, reads, slot + 2);
  lua_pushvalue(L, top + 1);
  lua_rawget(L, dependents);
  if (lua_istable(L, -1)) {
    remove_reader(L, top + 3, top + 2, reader);
    lua_pushnil(L);
    if (!lua_next(L, top + 3)) {
      lua_pushvalue(L, top + 1);
      lua_pushnil(L);
      lua_rawset(L, dependents);
    }
  }
  lua_pushboolean(L, 0);
  lua_rawseti(L, reads, slot + 1);
  lua_pushboolean(L, 0);
  lua_rawseti(L, reads, slot + 2);
  lua_settop(L, top);
}

void latch_forget_unread(lua_State *L) {
  latch_vm *vm = latch_of(L);
  if (vm->recording < 0) return;
  latch_reader *known = &vm->readers[vm->recording];
  if (known->reads <= vm->read_again) return;
  latch_check_stack(L, 12, "too deep");
  int top = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_DEPENDENTS);
  push_reads(L, vm->recording);
  while (known->reads > vm->read_again) forget_last(L, top + 1, top + 2, known, vm->recording);
  lua_settop(L, top);
}

/// Pushes dependents[node]; creates it if there is none.
static void push_keys(lua_State *L, int dependents, int node) {
  lua_pushvalue(L, node);
  if (lua_rawget(L, dependents) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushvalue(L, node);
  lua_pushvalue(L, -2);
  lua_rawset(L, dependents);
}

/// Adds a read at the end of the list. If memory runs out meanwhile, it is not in the list.
static void add_read(lua_State *L, latch_vm *vm, int dependents, int node, int key) {
  int top = lua_gettop(L);
  latch_reader *known = &vm->readers[vm->recording];
  push_reads(L, vm->recording);
  lua_pushvalue(L, node);
  lua_rawseti(L, top + 1, 2 * known->reads + 1);
  lua_pushvalue(L, key);
  lua_rawseti(L, top + 1, 2 * known->reads + 2);
  push_keys(L, dependents, node);
  add_reader(L, top + 2, key, vm->recording, known->reads);
  note_place(vm, L, node, key);
  vm->read_again = ++known->reads;
  lua_settop(L, top);
}

void latch_remember(lua_State *L, int node, int key) {
  latch_vm *vm = latch_of(L);
  if (vm->recording < 0) return;
  if (lua_isnil(L, key) || !lua_rawequal(L, key, key)) return;  // no table has nil or NaN as a key
  latch_check_stack(L, 12, "too deep");
  node = lua_absindex(L, node);
  key = lua_absindex(L, key);
  int top = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_DEPENDENTS);
  lua_pushvalue(L, node);
  bool is_known = lua_rawget(L, top + 1) == LUA_TTABLE;
  lua_Integer place = is_known ? place_of(L, top + 2, key, vm->recording) : NOT_READ;
  if (place == vm->read_again) {
    vm->read_again++;
  } else if (place == NOT_READ || place > vm->read_again) {
    latch_forget_unread(L);
    add_read(L, vm, top + 1, node, key);
  }
  lua_settop(L, top);
}

void latch_remember_walk(lua_State *L, latch_vm *vm, int node) {
  if (vm->recording < 0) return;
  vm->walk.walked = lua_topointer(L, node);
  node = lua_absindex(L, node);
  latch_check_stack(L, 2, "too deep");
  lua_pushboolean(L, 0);
  latch_remember(L, node, lua_gettop(L));
  lua_pop(L, 1);
}

int latch_depend(lua_State *L) {
  lua_settop(L, 1);
  if (latch_of(L)->recording < 0) return 0;
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_PRELUDE);  // used in place of a node
  latch_remember(L, 2, 1);
  return 0;
}
