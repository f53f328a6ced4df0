/// A node of the state: an empty table (the proxy) that scripts hold, with a metatable of its own:
///
///   __index      the data: a read stays inside Lua's VM; or a function, as in recorder.c
///   __newindex   the write barrier: the proxy stays empty, so every write calls it
///   __len        the length of the data, if it may have one
///   __eq         if tables are compared by their contents: latch_give_equality
///   [1], [2]     the node's place: its parent node and its key there. After a splice the key of a
///                list's element may be out of date; it is checked before use, and the element is
///                searched for near its old index. false: the node is not in the state.
///   [3]          the data again: an integer key is found faster
///
/// The data's own metatable is the kind of table: one of three marks (list, map, empty), or the
/// shape of a closed record: [1] field -> how it may be used, [2] its path as text,
/// [3] field -> shape of the record there, and an __index that refuses undeclared fields.

#include <string.h>

#include "state/state.h"

// MARK: Kinds of tables

static int node_length(lua_State *L) {
  latch_check_state_read(L);
  latch_vm *vm = latch_of(L);
  if (latch_is_recorded(vm, latch_metatable_of(lua_topointer(L, 1)))) {
    vm->push_recorded_data(L, 1, true);
  } else {
    if (vm->trace != NULL) latch_trace_length(vm, lua_topointer(L, 1));
    latch_push_node_data(L, 1);
  }
  lua_pushinteger(L, (lua_Integer)lua_rawlen(L, -1));
  return 1;
}

// MARK: Making nodes

void latch_push_new_node(lua_State *L, int data, int parent, int key, bool has_length) {
  const latch_cell nowhere = {{0}, LATCH_CELL_FALSE};
  lua_createtable(L, 0, 0);
  latch_vm *vm = latch_of(L);
  lua_createtable(L, 3, (has_length ? 3 : 2) + (vm->compares_contents ? 1 : 0));
  // Nothing runs in between: a table that was just created may be filled in this way, whatever the
  // collector does.
  const void *place = lua_topointer(L, -1);
  const latch_cell *cells = latch_argument_cells(L) - 1;
  latch_put_in_cell(latch_element_cell(place, 1), parent == 0 ? &nowhere : &cells[parent]);
  latch_put_in_cell(latch_element_cell(place, 2), parent == 0 ? &nowhere : &cells[key]);
  latch_put_in_cell(latch_element_cell(place, 3), &cells[data]);
  latch_push_string(L, vm->index_name, false);
  if (vm->guards.read == NULL) lua_pushvalue(L, data);
  else lua_pushcfunction(L, vm->guards.read);
  lua_rawset(L, -3);
  latch_push_string(L, vm->newindex_name, false);
  lua_pushcfunction(L, vm->guards.node);
  lua_rawset(L, -3);
  if (vm->compares_contents) latch_give_equality(L);
  lua_setmetatable(L, -2);
  if (has_length) latch_give_length(L, lua_gettop(L));
}

void latch_give_length(lua_State *L, int node) {
  lua_getmetatable(L, node);
  lua_pushcfunction(L, node_length);
  lua_setfield(L, -2, "__len");
  lua_pop(L, 1);
}

// MARK: Places

void latch_set_place(lua_State *L, int node, int parent, int key) {
  parent = lua_absindex(L, parent);
  key = lua_absindex(L, key);
  lua_getmetatable(L, node);
  lua_pushvalue(L, parent);
  lua_rawseti(L, -2, 1);
  lua_pushvalue(L, key);
  lua_rawseti(L, -2, 2);
  lua_pop(L, 1);
}

/// True if data[key] is the node; both indices are absolute.
static bool stands_at(lua_State *L, int data, lua_Integer key, int node) {
  lua_rawgeti(L, data, key);
  bool there = lua_rawequal(L, -1, node);
  lua_pop(L, 1);
  return there;
}

/// Looks for an element of a list, beginning where it was last seen and going outwards. 0: it is
/// not there.
static lua_Integer find_near(lua_State *L, int data, lua_Integer hint, int node) {
  lua_Integer length = (lua_Integer)lua_rawlen(L, data);
  if (hint > length) hint = length;
  if (hint < 1) hint = 1;
  for (lua_Integer distance = 0; distance <= length; distance++) {
    if (hint - distance >= 1 && stands_at(L, data, hint - distance, node)) return hint - distance;
    if (hint + distance <= length && stands_at(L, data, hint + distance, node)) {
      return hint + distance;
    }
  }
  return 0;
}

const void *latch_node_at(lua_State *L, const void *data, const latch_cell *key) {
  const latch_cell *cell = latch_cell_at(data, key);
  if (cell != NULL) return cell->type == LATCH_CELL_TABLE ? cell->object : NULL;
  if (!lua_checkstack(L, 2)) return NULL;
  latch_push_table(L, data);
  latch_push_cell(L, key);
  lua_rawget(L, -2);
  cell = latch_top_cells(L, 1);
  const void *node = cell->type == LATCH_CELL_TABLE ? cell->object : NULL;
  lua_pop(L, 2);
  return node;
}

bool latch_push_place(lua_State *L, int index) {
  int node = lua_absindex(L, index);
  latch_check_stack(L, 8, "the state is nested too deeply");
  lua_getmetatable(L, node);
  int metatable = lua_gettop(L);
  lua_rawgeti(L, metatable, 1);
  if (!lua_istable(L, -1)) {
    lua_settop(L, metatable - 1);
    return false;
  }
  lua_rawgeti(L, metatable, 2);
  latch_push_node_data(L, metatable + 1);
  int data = metatable + 3;
  lua_pushvalue(L, metatable + 2);
  lua_rawget(L, data);
  if (!lua_rawequal(L, -1, node)) {
    lua_Integer found = lua_isinteger(L, metatable + 2)
                          ? find_near(L, data, lua_tointeger(L, metatable + 2), node)
                          : 0;
    if (found == 0) {
      lua_settop(L, metatable - 1);
      return false;
    }
    lua_pushinteger(L, found);
    lua_copy(L, -1, metatable + 2);
    lua_rawseti(L, metatable, 2);
  }
  lua_settop(L, metatable + 2);
  lua_remove(L, metatable);
  return true;
}

int latch_depth_of(const latch_vm *vm, const void *node) {
  for (int depth = 1; depth <= LATCH_DEEPEST_NESTING; depth++) {
    if (node == vm->root) return depth;
    const latch_cell *above = latch_element_cell(latch_metatable_of(node), 1);
    if (above->type != LATCH_CELL_TABLE) return 0;
    node = above->object;
  }
  return LATCH_DEEPEST_NESTING + 1;
}

// MARK: Text

bool latch_is_name(const char *text) {
  if (!(*text == '_' || (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z')))
    return false;
  for (; *text != 0; text++) {
    bool fine = *text == '_' || (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') ||
                (*text >= '0' && *text <= '9');
    if (!fine) return false;
  }
  return true;
}

void latch_append_step(lua_State *L, int key) {
  key = lua_absindex(L, key);
  if (lua_type(L, key) == LUA_TSTRING) {
    const char *name = lua_tostring(L, key);
    lua_pushfstring(L, latch_is_name(name) ? ".%s" : "[\"%s\"]", name);
  } else if (lua_isinteger(L, key)) {
    lua_pushfstring(L, "[%I]", (LUAI_UACINT)lua_tointeger(L, key));
  } else {
    lua_pushfstring(L, "[%s]", luaL_typename(L, key));
  }
  lua_concat(L, 2);
}

/// The same for the value of a node under a key; a secret key is not shown.
static void append_step_below(lua_State *L, int node, int key) {
  latch_vm *vm = latch_of(L);
  node = lua_absindex(L, node);
  key = lua_absindex(L, key);
  uint32_t type = 0;
  if (vm->types != NULL) {
    latch_push_node_data(L, node);
    type = latch_type_of_data(lua_topointer(L, -1));
    lua_pop(L, 1);
  }
  if (type == 0 || !latch_hides_keys(vm, type)) {
    latch_append_step(L, key);
    return;
  }
  lua_pushliteral(L, "[\"\u2022\u2022\u2022\"]");
  lua_concat(L, 2);
}

/// Pushes the path of the node itself; "(detached)" for a node that is not in the state.
static void push_node_path(lua_State *L, int node, int depth) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
  bool root = lua_rawequal(L, -1, node);
  lua_pop(L, 1);
  bool deep = depth > LATCH_DEEPEST_NESTING;
  if (root || deep || !latch_push_place(L, node)) {
    lua_pushstring(L, root ? "state" : deep ? "(too deep)" : "(detached)");
    return;
  }
  int key = lua_gettop(L);
  push_node_path(L, key - 1, depth + 1);
  append_step_below(L, key - 1, key);
  lua_replace(L, key - 1);
  lua_settop(L, key - 1);
}

/// Looks for the data below that of the node on top of the stack, whose path is below it. Replaces
/// both by the path of the data, or by two nils.
static bool find_data(lua_State *L, const void *data, int depth) {
  int node = lua_gettop(L);
  latch_check_stack(L, 8, "the state is nested too deeply");
  latch_push_node_data(L, node);
  if (lua_topointer(L, node + 1) == data) return true;
  lua_pushnil(L);
  while (depth < LATCH_DEEPEST_NESTING && lua_next(L, node + 1)) {
    latch_charge(L, LATCH_UNITS_PER_INSTRUCTION);
    if (latch_is_node(L, node + 3)) {
      lua_pushvalue(L, node - 1);
      append_step_below(L, node, node + 2);
      lua_pushvalue(L, node + 3);
      if (find_data(L, data, depth + 1)) {
        lua_pushvalue(L, node + 4);
        lua_replace(L, node - 1);
        return true;
      }
    }
    lua_settop(L, node + 2);
  }
  lua_settop(L, node);
  return false;
}

void latch_push_path_of_data(lua_State *L, const void *data) {
  int top = lua_gettop(L);
  lua_pushliteral(L, "state");
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
  bool is_there = find_data(L, data, 1);
  lua_settop(L, top + 1);
  if (is_there) return;
  lua_pushliteral(L, "this record");
  lua_replace(L, top + 1);
}

const char *latch_push_path(lua_State *L, int node, int key) {
  node = lua_absindex(L, node);
  key = lua_absindex(L, key);
  push_node_path(L, node, 0);
  append_step_below(L, node, key);
  return lua_tostring(L, -1);
}

int latch_path_error(lua_State *L, int node, int key, const char *what) {
  latch_push_where(L);
  latch_push_path(L, node, key);
  lua_pushfstring(L, ": %s", what);
  lua_concat(L, 3);
  return lua_error(L);
}
