/// Recording nodes: the state as views and invariants see it. `__index` is a function, so that each
/// read is remembered.

#include "state/state.h"

static int recorder_read(lua_State *L) {
  lua_settop(L, 2);
  lua_getmetatable(L, 1);
  lua_rawgeti(L, 3, 1);
  latch_remember(L, 4, 2);
  latch_push_node_data(L, 4);
  lua_pushvalue(L, 2);
  lua_gettable(L, 5);  // not raw: a closed record refuses undeclared fields
  if (latch_is_node(L, -1)) latch_push_recorder(L, lua_gettop(L));
  return 1;
}

int latch_recorder_write(lua_State *L) {
  latch_vm *vm = latch_of(L);
  return luaL_error(L, "%s cannot change the state; only a reducer can",
    vm->phase == LATCH_INVARIANT ? "an invariant" : "a view");
}

void latch_push_recorded_data(lua_State *L, int index) {
  lua_getmetatable(L, index);
  lua_rawgeti(L, -1, 1);
  lua_pushboolean(L, 1);
  latch_remember(L, -2, -1);
  lua_pop(L, 1);
  latch_push_node_data(L, -1);
  lua_replace(L, -3);
  lua_pop(L, 1);
}

static void push_new_recorder(lua_State *L, int node) {
  lua_newtable(L);
  lua_createtable(L, 1, 3);
  lua_pushvalue(L, node);
  lua_rawseti(L, -2, 1);
  lua_pushcfunction(L, recorder_read);
  latch_set_proxy_events(L, latch_recorder_write);
  lua_setmetatable(L, -2);
}

void latch_push_recorder(lua_State *L, int node) {
  latch_check_stack(L, 10, "too deep");
  node = lua_absindex(L, node);
  int top = lua_gettop(L);
  if (!lua_getmetatable(L, node)) {  // a state that nobody has declared
    push_new_recorder(L, node);
    return;
  }
  if (lua_rawgeti(L, top + 1, LATCH_NODE_RECORDER) != LUA_TTABLE) {
    lua_pop(L, 1);
    push_new_recorder(L, node);
    lua_pushvalue(L, -1);
    lua_rawseti(L, top + 1, LATCH_NODE_RECORDER);
  }
  lua_replace(L, top + 1);
}
