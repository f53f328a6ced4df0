/// The reads of readers.
///
/// Each read is stored twice: as (node, key) -> reader, so that a transaction that changes (node,
/// key) makes the reader stale (stale_reads.c), and in the reader's list of its reads, in their
/// order. A reader that runs again usually reads the same: as long as it does, nothing is changed;
/// from its first different read on, the rest of the list is dropped and built again.
///
/// Reads of whole tables (`pairs`, `#`, a node returned as a value) are stored under the key
/// `true`, the contents of the records in it that hold no tables under `false`, and all that is in
/// it and below it under LATCH_CONTENTS.

#include "state/reads.h"

// MARK: One read

enum { NOT_READ = -1 };

/// The index, in the reader's list, of its read of keys[key], or NOT_READ.
static lua_Integer place_of(lua_State *L, int keys, int key, int32_t reader) {
  lua_Integer place = NOT_READ;
  lua_pushvalue(L, key);
  lua_rawget(L, keys);
  if (lua_isinteger(L, -1)) {
    lua_Integer one = lua_tointeger(L, -1);
    if (latch_packed_reader(one) == reader) place = one >> LATCH_READER_BITS;
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
      lua_pushinteger(L, latch_packed(reader, place));
    } else {
      lua_createtable(L, 0, 2);
      lua_pushinteger(L, one >> LATCH_READER_BITS);
      lua_rawseti(L, -2, latch_packed_reader(one));
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
  latch_note_place(vm, L, node, key);
  vm->read_again = ++known->reads;
  lua_settop(L, top);
}

static bool is_same_key(const latch_cell *a, const latch_cell *b) {
  return a->type == b->type && a->integer == b->integer;
}

/// True if the reader repeats the read that it made at this point when it last ran.
static bool is_repeated(const latch_vm *vm, const latch_cell *node, const latch_cell *key) {
  if (vm->read_again >= vm->readers[vm->recording].reads) return false;
  const latch_cell *read = latch_element_cell(vm->former_reads, 2 * vm->read_again + 1);
  const latch_cell *under = latch_element_cell(vm->former_reads, 2 * vm->read_again + 2);
  return under != NULL && read->type == LATCH_CELL_TABLE && read->object == node->object &&
         is_same_key(under, key);
}

void latch_remember(lua_State *L, int node, int key) {
  latch_vm *vm = latch_of(L);
  if (vm->recording < 0) return;
  if (is_repeated(vm, latch_cell_on_stack(L, node), latch_cell_on_stack(L, key))) {
    vm->read_again++;
    return;
  }
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

int latch_depend(lua_State *L) {
  lua_settop(L, 1);
  if (latch_of(L)->recording < 0) return 0;
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_PRELUDE);  // used in place of a node
  latch_remember(L, 2, 1);
  return 0;
}
