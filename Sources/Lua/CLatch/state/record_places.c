/// The places of nodes among the records with machines: now, and before the changes since they were
/// last processed.

#include "state/state.h"

// MARK: Where a node stands, and where it stood

/// Pushes the parent and the key that the node on top of the stack had when they were last
/// processed.
static latch_standing push_old_place(lua_State *L, int node, int first_places) {
  lua_pushvalue(L, node);
  if (lua_rawget(L, first_places) == LUA_TNUMBER) {
    const latch_written *write =
      (const latch_written *)latch_of(L)->log.writes.items + lua_tointeger(L, -1);
    lua_pop(L, 1);
    if (write->parent == NULL) return LATCH_STANDS_NOWHERE;
    latch_push_table(L, write->parent);
    latch_push_place_key(L, write);
    return LATCH_STANDS;
  }
  lua_pop(L, 1);
  if (latch_is_fresh(L, node)) return LATCH_MADE_NOW;
  return latch_push_place(L, node) ? LATCH_STANDS : LATCH_STANDS_NOWHERE;
}

latch_standing latch_push_way(lua_State *L, int node, int first_places, int *count) {
  int top = lua_gettop(L);
  latch_vm *vm = latch_of(L);
  *count = 0;
  lua_pushvalue(L, node);
  while (lua_topointer(L, top + 1) != vm->root) {
    latch_check_stack(L, 8, "the state is nested too deeply");
    latch_standing standing = LATCH_STANDS_NOWHERE;
    if (*count < LATCH_DEEPEST_NESTING && first_places != 0) {
      standing = push_old_place(L, top + 1, first_places);
    } else if (*count < LATCH_DEEPEST_NESTING && latch_push_place(L, top + 1)) {
      standing = LATCH_STANDS;
    }
    if (standing != LATCH_STANDS) {
      *count = 0;
      lua_settop(L, top);
      return standing;
    }
    lua_pushvalue(L, -2);
    lua_replace(L, top + 1);
    lua_remove(L, -2);
    ++*count;
  }
  lua_remove(L, top + 1);
  return LATCH_STANDS;
}

bool latch_push_position_of(lua_State *L, int keys, int count) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_RECORD_MACHINES);
  lua_rawgeti(L, -1, LATCH_ROOT_POSITION);
  lua_remove(L, -2);
  for (int i = count - 1; i >= 0; i--) {
    if (!latch_push_position_below(L, -1, keys + i)) {
      lua_pop(L, 1);
      return false;
    }
    lua_remove(L, -2);
  }
  return true;
}

void latch_push_record_keys(lua_State *L, int machine, int keys, int count) {
  lua_rawgeti(L, machine, LATCH_MACHINE_PATH);
  int path = lua_gettop(L);
  lua_newtable(L);
  lua_Integer found = 0;
  for (int i = 1; i <= count; i++) {
    bool is_named = i < count && lua_rawgeti(L, path, i) == LUA_TSTRING;
    lua_settop(L, path + 1);
    if (is_named) continue;
    lua_pushvalue(L, keys + count - i);
    lua_rawseti(L, path + 1, ++found);
  }
  lua_remove(L, path);
}

bool latch_push_keys_of_record(lua_State *L, int node, int machine) {
  int top = lua_gettop(L), count = 0;
  if (latch_push_way(L, lua_absindex(L, node), 0, &count) != LATCH_STANDS) return false;
  lua_rawgeti(L, machine, LATCH_MACHINE_PATH);
  bool is_there = (lua_Integer)lua_rawlen(L, -1) + 1 == count;
  lua_pop(L, 1);
  if (is_there && latch_push_position_of(L, top + 1, count)) {
    is_there = latch_push_machines_at(L, -1);
    lua_settop(L, top + count);
  } else {
    is_there = false;
  }
  if (is_there) {
    latch_push_record_keys(L, machine, top + 1, count);
    lua_replace(L, top + 1);
    lua_settop(L, top + 1);
  } else {
    lua_settop(L, top);
  }
  return is_there;
}
