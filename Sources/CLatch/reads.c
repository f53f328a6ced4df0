/// What readers have read.
///
/// Each read is remembered as (node, key) -> reader, and a transition that changes (node, key) makes
/// the reader stale. Whole tables (`pairs`, `#`, a node returned as a value) are remembered under the
/// key `true`.

#include "vm.h"

// MARK: Staleness

/// The value on top of the stack (popped) is a reader, a set of readers, or nil.
static void mark_all(latch_vm *vm, lua_State *L) {
  if (lua_isinteger(L, -1)) {
    latch_mark_reader(vm, lua_tointeger(L, -1));
  } else if (lua_istable(L, -1)) {
    lua_pushnil(L);
    while (lua_next(L, -2)) {
      lua_pop(L, 1);
      latch_mark_reader(vm, lua_tointeger(L, -1));
    }
  }
  lua_pop(L, 1);
}

static void touch(latch_vm *vm, lua_State *L, int keys, int key, bool whole) {
  lua_pushboolean(L, 1);
  lua_rawget(L, keys);
  mark_all(vm, L);
  if (!whole) {
    lua_pushvalue(L, key);
    lua_rawget(L, keys);
    mark_all(vm, L);
    return;
  }
  lua_pushnil(L);
  while (lua_next(L, keys)) mark_all(vm, L);
}

static void touch_journal(lua_State *L, latch_vm *vm) {
  int top = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_DEPENDENTS);
  for (lua_Integer entry = 1; entry <= vm->journal_count; entry++) {
    latch_push_entry(L, entry);
    latch_operation operation = (latch_operation)lua_tointeger(L, top + 5);
    lua_pushvalue(L, top + 2);
    lua_rawget(L, top + 1);
    if (lua_istable(L, -1) && operation != LATCH_J_PLACE) {
      touch(vm, L, top + 6, top + 3, operation != LATCH_J_SET);
    }
    lua_settop(L, top + 1);
  }
  lua_settop(L, top);
}

static void touch_fields(lua_State *L, latch_vm *vm) {
  int top = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_DEPENDENTS);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
  lua_rawget(L, top + 1);
  for (int i = 0; i < vm->field_count && lua_istable(L, top + 2); i++) {
    latch_push_field(L, vm, i);
    touch(vm, L, top + 2, top + 3, false);
    lua_settop(L, top + 2);
  }
  lua_settop(L, top);
}

void latch_touch_writes(lua_State *L) {
  latch_vm *vm = latch_of(L);
  if (vm->reader_count == 0) return;
  touch_journal(L, vm);
  touch_fields(L, vm);
}

// MARK: Remembering

/// Adds the reader to the set at keys[key]. False: it was there already.
static bool add_reader(lua_State *L, int keys, int key, lua_Integer reader) {
  int top = lua_gettop(L);
  lua_pushvalue(L, key);
  lua_rawget(L, keys);
  bool added = true;
  if (lua_isnil(L, -1)) {
    lua_pushvalue(L, key);
    lua_pushinteger(L, reader);
    lua_rawset(L, keys);
  } else if (lua_isinteger(L, -1)) {
    added = lua_tointeger(L, -1) != reader;
    if (added) {
      lua_createtable(L, 0, 2);
      lua_pushboolean(L, 1);
      lua_rawseti(L, -2, lua_tointeger(L, top + 1));
      lua_pushboolean(L, 1);
      lua_rawseti(L, -2, reader);
      lua_pushvalue(L, key);
      lua_insert(L, -2);
      lua_rawset(L, keys);
    }
  } else {
    added = lua_rawgeti(L, -1, reader) == LUA_TNIL;
    lua_pop(L, 1);
    if (added) {
      lua_pushboolean(L, 1);
      lua_rawseti(L, -2, reader);
    }
  }
  lua_settop(L, top);
  return added;
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
  lua_rawget(L, top + 1);
  if (!lua_istable(L, -1)) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, node);
    lua_pushvalue(L, -2);
    lua_rawset(L, top + 1);
  }
  if (add_reader(L, top + 2, key, vm->recording)) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_READERS);
    lua_rawgeti(L, -1, vm->recording + 1);
    lua_rawgeti(L, -1, LATCH_READER_READS);
    lua_Integer count = (lua_Integer)lua_rawlen(L, -1);
    lua_pushvalue(L, node);
    lua_rawseti(L, -2, count + 1);
    lua_pushvalue(L, key);
    lua_rawseti(L, -2, count + 2);
  }
  lua_settop(L, top);
}

static void remove_reader(lua_State *L, int keys, int key, lua_Integer reader) {
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

/// Forgets what the reader at `record` has read.
void latch_forget_reads(lua_State *L, int record, lua_Integer reader) {
  int top = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_DEPENDENTS);
  lua_rawgeti(L, record, LATCH_READER_READS);
  lua_Integer count = (lua_Integer)lua_rawlen(L, top + 2);
  for (lua_Integer i = 1; i < count; i += 2) {
    lua_rawgeti(L, top + 2, i);
    lua_rawgeti(L, top + 2, i + 1);
    lua_pushvalue(L, top + 3);
    lua_rawget(L, top + 1);
    if (lua_istable(L, -1)) {
      remove_reader(L, top + 5, top + 4, reader);
      lua_pushnil(L);
      if (!lua_next(L, top + 5)) {
        lua_pushvalue(L, top + 3);
        lua_pushnil(L);
        lua_rawset(L, top + 1);
      }
    }
    lua_settop(L, top + 2);
  }
  lua_newtable(L);
  lua_rawseti(L, record, LATCH_READER_READS);
  lua_settop(L, top);
}

int latch_depend(lua_State *L) {
  lua_settop(L, 1);
  if (latch_of(L)->recording < 0) return 0;
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_PRELUDE);  // stands in for a node
  latch_remember(L, 2, 1);
  return 0;
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

latch_status latch_touch_name(latch_vm *vm, const char *name) {
  if (vm->reader_count == 0) return LATCH_OK;
  return latch_protect(vm, touch_name, (void *)(uintptr_t)name, 0);
}
