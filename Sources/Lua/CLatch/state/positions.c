/// The positions of records with machines.
///
/// A *position* is a place in the tree at which there are records with machines, or that leads to
/// such a place. Positions form a tree of their own, whose steps are a name or any key. A node at a
/// position with others below it is marked with its position: so it is known that a table which is
/// put below it is a record, and that one which is removed was a record (creation_log.c).

#include "state/state.h"

// MARK: Spots

bool latch_has_positions_below(lua_State *L, int position) {
  bool has = lua_rawgeti(L, position, LATCH_POSITION_NAMED) == LUA_TTABLE;
  has = lua_rawgeti(L, position, LATCH_POSITION_ALL) == LUA_TTABLE || has;
  lua_pop(L, 2);
  return has;
}

bool latch_push_position_below(lua_State *L, int position, int key) {
  position = lua_absindex(L, position);
  key = lua_absindex(L, key);
  if (lua_rawgeti(L, position, LATCH_POSITION_NAMED) == LUA_TTABLE) {
    lua_pushvalue(L, key);
    if (lua_rawget(L, -2) == LUA_TTABLE) {
      lua_remove(L, -2);
      return true;
    }
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  if (lua_rawgeti(L, position, LATCH_POSITION_ALL) == LUA_TTABLE) return true;
  lua_pop(L, 1);
  return false;
}

bool latch_push_machines_at(lua_State *L, int position) {
  if (lua_rawgeti(L, position, LATCH_POSITION_MACHINES) == LUA_TTABLE) return true;
  lua_pop(L, 1);
  return false;
}

bool latch_push_mark(lua_State *L, int node) {
  lua_getmetatable(L, node);
  bool marked = lua_rawgeti(L, -1, LATCH_NODE_POSITION) == LUA_TTABLE;
  lua_remove(L, -2);
  if (!marked) lua_pop(L, 1);
  return marked;
}

bool latch_is_marked(lua_State *L, int node) {
  bool marked = latch_push_mark(L, node);
  if (marked) lua_pop(L, 1);
  return marked;
}

void latch_put_mark_back(lua_State *L, int node, int mark) {
  node = lua_absindex(L, node);
  if (mark != 0) mark = lua_absindex(L, mark);
  lua_getmetatable(L, node);
  if (mark == 0) lua_pushnil(L);
  else lua_pushvalue(L, mark);
  lua_rawseti(L, -2, LATCH_NODE_POSITION);
  lua_pop(L, 1);
}

bool latch_push_machine(lua_State *L, lua_Integer number) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_RECORD_MACHINES);
  bool found = lua_istable(L, -1) && lua_rawgeti(L, -1, number) == LUA_TTABLE;
  if (found) lua_remove(L, -2);
  else lua_settop(L, -2);
  return found;
}

// MARK: Names

uint64_t latch_bit_of_name(const char *name, size_t length) {
  if (length > LATCH_LONGEST_KNOWN) return 1;
  return (uint64_t)1 << (((const lua_string_part *)latch_string_of(name))->hash & 63);
}

// MARK: Where a machine stands

int latch_stop_of_region(lua_State *L, int machine, int data, int region) {
  int top = lua_gettop(L), stop = LATCH_NO_STOP;
  machine = lua_absindex(L, machine);
  data = lua_absindex(L, data);
  int first = LATCH_MACHINE_REGIONS + LATCH_REGION_WIDTH * region;
  lua_rawgeti(L, machine, first + LATCH_REGION_STOPS);
  if (lua_rawgeti(L, machine, first) == LUA_TSTRING) {
    int type = lua_rawget(L, data);
    if (type == LUA_TSTRING) {
      stop = lua_rawget(L, top + 1) == LUA_TNUMBER ? (int)lua_tointeger(L, -1) : LATCH_ODD_STOP;
    } else if (type != LUA_TNIL) {
      stop = LATCH_ODD_STOP;
    }
  }
  lua_settop(L, top);
  return stop;
}

// MARK: Walking

typedef struct {
  latch_position_visit *visit;
  void *context;
  int path;            // the names that lead to a machine's records; 0: visits all positions
  lua_Integer levels;  // the length of the path
} latch_position_walk;

static void walk(
  lua_State *L, int node, int position, lua_Integer depth, const latch_position_walk *walker);

/// Visits the value on top of the stack, which the node has under the key below it.
static void walk_child(
  lua_State *L, int position, lua_Integer depth, const latch_position_walk *walker) {
  int value = lua_gettop(L);
  if (latch_is_node(L, value) && latch_push_position_below(L, position, value - 1)) {
    walk(L, value, value + 1, depth + 1, walker);
  }
  lua_settop(L, value);
}

static void walk(
  lua_State *L, int node, int position, lua_Integer depth, const latch_position_walk *walker) {
  latch_check_stack(L, 16, "the state is nested too deeply");
  latch_charge(L, 1);
  int top = lua_gettop(L);
  walker->visit(L, node, position, walker->context);
  lua_settop(L, top);
  if (walker->path != 0 && depth > walker->levels) return;
  if (!latch_has_positions_below(L, position)) return;
  latch_push_node_data(L, node);
  int data = top + 1;
  if (walker->path != 0 && lua_rawgeti(L, walker->path, depth + 1) == LUA_TSTRING) {
    lua_pushvalue(L, -1);
    lua_rawget(L, data);
    walk_child(L, position, depth, walker);
    lua_settop(L, top);
    return;
  }
  lua_settop(L, data);
  // In the order of the keys: the results must be the same in every run.
  if (lua_rawgeti(L, position, LATCH_POSITION_ALL) == LUA_TTABLE) latch_sorted_keys(L, data);
  else if (lua_rawgeti(L, position, LATCH_POSITION_NAMED) == LUA_TTABLE)
    latch_sorted_keys(L, top + 3);
  int keys = lua_gettop(L);
  lua_Integer count = (lua_Integer)lua_rawlen(L, keys);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, keys, i);
    lua_pushvalue(L, -1);
    lua_rawget(L, data);
    walk_child(L, position, depth, walker);
    lua_settop(L, keys);
  }
  lua_settop(L, top);
}

void latch_walk_positions(
  lua_State *L, int node, int position, int machine, latch_position_visit *visit, void *context) {
  int top = lua_gettop(L);
  latch_position_walk walker = {visit, context, 0, 0};
  node = lua_absindex(L, node), position = lua_absindex(L, position);
  if (machine != 0) {
    lua_rawgeti(L, machine, LATCH_MACHINE_PATH);
    walker.path = lua_gettop(L);
    walker.levels = (lua_Integer)lua_rawlen(L, walker.path);
  }
  walk(L, node, position, 0, &walker);
  lua_settop(L, top);
}
