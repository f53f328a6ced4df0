/// Tables of the state that a function has stored outside of the state, where an effect would find
/// them.
///
/// A read of a node stays inside Lua's VM and calls nothing, so a reducer could put `s` into a
/// local and an effect could read it there. Flows without such places pay nothing for the check: at
/// the end of loading, everything that their functions can reach is visited once, and only locals
/// that some function assigns to, and tables that are not read-only, are recorded. Before an effect
/// runs, those are searched. Once a node was found in one, all nodes check each read
/// (traced_nodes.c does the same), so that the effect fails at the line that reads, and nothing
/// else fails.

#include <string.h>

#include "layout/layout.h"
#include "state/state.h"

/// If there are more values, they are not visited, and nodes check each read.
enum { MOST_SEARCHED = 1000, MOST_LOADED = 100000 };

/// The stack of a search: the values already seen, those to visit, and the places found.
enum { SEEN = 1, QUEUE, PLACES, VISITED };

typedef struct {
  lua_State *L;
  size_t queued, visited, most;
  bool has_loaded;  ///< places are searched; otherwise they are collected
  bool found;       ///< a node was found, or there is more than can be searched
} latch_search;

// MARK: Nodes that ask

static int checked_read(lua_State *L) {
  latch_check_state_read(L);
  lua_settop(L, 2);
  latch_push_node_data(L, 1);
  lua_pushvalue(L, 2);
  lua_gettable(L, 3);  // not raw: reading an undeclared field of a closed record raises
  return 1;
}

/// Makes these functions read and write the node on top of the stack and all nodes below it.
static void guard_node(lua_State *L, lua_CFunction read, lua_CFunction write) {
  latch_check_stack(L, 8, "the state is nested too deeply");
  int node = lua_gettop(L);
  latch_push_node_data(L, node);
  lua_getmetatable(L, node);
  latch_push_string(L, latch_of(L)->index_name, false);
  lua_pushcfunction(L, read);
  lua_rawset(L, node + 2);
  latch_push_string(L, latch_of(L)->newindex_name, false);
  lua_pushcfunction(L, write);
  lua_rawset(L, node + 2);
  lua_settop(L, node + 1);
  lua_pushnil(L);
  while (lua_next(L, node + 1)) {
    if (lua_istable(L, -1)) guard_node(L, read, write);
    lua_settop(L, node + 2);
  }
  lua_settop(L, node);
}

void latch_guard_state(lua_State *L, lua_CFunction read, lua_CFunction write) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
  if (latch_of(L)->root != NULL) guard_node(L, read, write);
  lua_pop(L, 1);
  latch_of(L)->guards.node = write;
  latch_of(L)->guards.read = read;
}

// MARK: What functions reach

/// Pops the value on top of the stack and checks it.
static void add_value(latch_search *search) {
  lua_State *L = search->L;
  int type = lua_type(L, -1);
  bool is_table = type == LUA_TTABLE, is_function = type == LUA_TFUNCTION;
  if (type == LUA_TTHREAD) search->found = true;  // one of its own locals may hold a node
  if (is_table && search->has_loaded && latch_is_node(L, -1)) {
    search->found = true;
    guard_node(L, checked_read, latch_of(L)->guards.node);
    is_table = false;
  }
  if ((!is_table && !is_function) || search->queued == search->most) {
    search->found = search->found || is_table || is_function;
    lua_pop(L, 1);
    return;
  }
  if (lua_isnil(L, SEEN)) {
    lua_newtable(L);
    lua_replace(L, SEEN);
    lua_newtable(L);
    lua_replace(L, QUEUE);
  }
  lua_pushvalue(L, -1);
  if (lua_rawget(L, SEEN) == LUA_TNIL) {
    lua_pushvalue(L, -2);
    lua_pushboolean(L, 1);
    lua_rawset(L, SEEN);
    lua_pushvalue(L, -2);
    lua_rawseti(L, QUEUE, (lua_Integer)++search->queued);
  }
  lua_pop(L, 2);
}

/// Records the value at VISITED: a table, or a function with upvalues that it assigns to.
static void add_place(latch_search *search) {
  if (search->has_loaded) return;
  lua_pushvalue(search->L, VISITED);
  lua_rawseti(search->L, PLACES, (lua_Integer)lua_rawlen(search->L, PLACES) + 1);
}

static void visit_function(latch_search *search) {
  lua_State *L = search->L;
  if (latch_assigns_upvalues(L, VISITED)) add_place(search);
  const char *name;
  for (int i = 1; (name = lua_getupvalue(L, VISITED, i)) != NULL; i++) {
    if (strcmp(name, "_ENV") == 0) lua_pop(L, 1);
    else add_value(search);
  }
}

static void visit_table(latch_search *search) {
  lua_State *L = search->L;
  const void *data;
  latch_table_kind kind = latch_look_at(latch_of(L), lua_topointer(L, VISITED), &data);
  if (kind == LATCH_PLAIN) add_place(search);
  if (kind == LATCH_PLAIN && lua_getmetatable(L, VISITED)) add_value(search);
  if (kind != LATCH_PLAIN && kind != LATCH_FROZEN) return;
  latch_push_table(L, data);
  int table = lua_gettop(L);
  lua_pushnil(L);
  while (lua_next(L, table)) {
    search->visited++;
    add_value(search);
    if (search->visited > search->most) break;
    if (!lua_istable(L, -1) && !lua_isfunction(L, -1)) continue;
    lua_pushvalue(L, -1);
    add_value(search);
  }
  lua_settop(L, VISITED);
}

static void visit_all(latch_search *search) {
  lua_State *L = search->L;
  for (size_t next = 1; next <= search->queued && search->visited <= search->most; next++) {
    search->visited++;
    lua_settop(L, PLACES);
    lua_rawgeti(L, QUEUE, (lua_Integer)next);
    if (lua_isfunction(L, VISITED)) visit_function(search);
    else visit_table(search);
  }
  if (search->visited > search->most) search->found = true;
  lua_settop(L, PLACES);
}

static latch_search begin_search(lua_State *L, bool has_loaded) {
  latch_check_stack(L, 16, NULL);
  lua_settop(L, 0);
  lua_pushnil(L);
  lua_pushnil(L);
  if (has_loaded) lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_PLACES);
  else lua_newtable(L);
  size_t most = has_loaded ? MOST_SEARCHED : MOST_LOADED;
  return (latch_search){.L = L, .has_loaded = has_loaded, .most = most};
}

static int guard_all(lua_State *L) {
  latch_vm *vm = latch_of(L);
  vm->search_stored_nodes = NULL;
  latch_guard_state(L, checked_read, vm->guards.node);
  return 0;
}

static int search_places(lua_State *L) {
  latch_vm *vm = latch_of(L);
  latch_search search = begin_search(L, true);
  lua_Integer count = (lua_Integer)lua_rawlen(L, PLACES);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, PLACES, i);
    add_value(&search);
  }
  visit_all(&search);
  latch_spend(vm, (int64_t)search.visited);
  if (search.found) guard_all(L);
  return 0;
}

void latch_find_places(lua_State *L) {
  latch_vm *vm = latch_of(L);
  latch_search search = begin_search(L, false);
  for (int32_t i = 1; i <= vm->kept; i++) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, -i);
    add_value(&search);
  }
  visit_all(&search);
  if (search.found) {
    vm->search_stored_nodes = guard_all;
  } else if (lua_rawlen(L, PLACES) > 0) {
    lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_PLACES);
    vm->search_stored_nodes = search_places;
  }
  lua_settop(L, 0);
}
