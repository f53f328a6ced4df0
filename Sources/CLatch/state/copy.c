/// Copying a table that a script has made into nodes of the state's own: quickly, in Lua's own
/// order, where nothing is wrong with it and no record in it is closed; else field by field in the
/// order of the keys, so that of several faults the same one is told every time.

#include "state/state.h"

/// Where the copy stands: the keys from the node down, as indices of the Lua stack.
typedef struct latch_trail {
  const struct latch_trail *up;
  const void *source;  ///< the table that is being copied
  int node, key;
  int depth;  ///< from the root of the state, which is 1
} latch_trail;

static void push_trail(lua_State *L, const latch_trail *trail) {
  if (trail->up == NULL) {
    if (trail->node == 0) lua_pushliteral(L, "state");
    else latch_push_path(L, trail->node, trail->key);
    return;
  }
  push_trail(L, trail->up);
  latch_append_step(L, trail->key);
}

static void trail_error(lua_State *L, const latch_trail *trail, const char *what) {
  latch_check_stack(L, 10, "too deep");
  push_trail(L, trail);
  lua_pushfstring(L, ": %s", what);
  lua_concat(L, 2);
  lua_error(L);
}

/// The error for a record that brings a field which its place does not declare.
static void undeclared_error(lua_State *L, int shape, int key, const latch_trail *trail) {
  if (lua_type(L, key) != LUA_TSTRING) {
    latch_trail here = {.up = trail, .key = key, .depth = trail->depth + 1};
    trail_error(L, &here, "no such field is declared");
  }
  luaL_checkstack(L, 10, "too deep");
  push_trail(L, trail);
  lua_pushfstring(L, " has no field %s", lua_tostring(L, key));
  lua_rawgeti(L, shape, 1);
  latch_push_suggestion(L, lua_gettop(L), lua_tostring(L, key));
  lua_remove(L, -2);
  lua_concat(L, 3);
  lua_error(L);
}

// MARK: Copies

static void push_copy(lua_State *L, int value, int shape, int old, latch_trail *trail);

/// Puts a copy of the value on top of the stack (popped) at data[key], and sets its place.
static void copy_child(
  lua_State *L, int node, int data, int key, int child_shape, int old, const latch_trail *trail) {
  int value = lua_gettop(L);
  latch_trail here = {.up = trail, .node = node, .key = key, .depth = trail->depth + 1};
  if (lua_istable(L, value)) {
    latch_copy_spot spot = {.parent = node, .key = key, .old = old, .depth = here.depth};
    if (child_shape != 0 || !latch_quick_copy(L, value, &spot)) {
      lua_settop(L, value);
      push_copy(L, value, child_shape, old, &here);
    }
    lua_replace(L, value);
  } else {
    const char *fault = latch_scalar_fault(L, value);
    if (fault != NULL) trail_error(L, &here, fault);
  }
  lua_pushvalue(L, key);
  lua_pushvalue(L, value);
  lua_rawset(L, data);
  lua_settop(L, value - 1);
}

static void copy_list(lua_State *L, int source, int node, int data, const latch_trail *trail) {
  lua_Integer length = (lua_Integer)lua_rawlen(L, source);
  for (lua_Integer i = 1; i <= length; i++) {
    lua_pushinteger(L, i);
    lua_rawgeti(L, source, i);
    copy_child(L, node, data, lua_gettop(L) - 1, 0, 0, trail);
    lua_pop(L, 1);
  }
}

/// `shape` 0: the keys are open.
static void copy_keyed(
  lua_State *L, int source, int shape, int old, int node, int data, const latch_trail *trail) {
  int top = lua_gettop(L);
  latch_sorted_keys(L, source);  // in order: of several faults the same one is told every time
  int keys = top + 1;
  lua_Integer count = (lua_Integer)lua_rawlen(L, keys);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, keys, i);
    int key = lua_gettop(L);
    int child = 0;
    if (shape != 0) {
      lua_rawgeti(L, shape, 1);
      lua_pushvalue(L, key);
      lua_rawget(L, -2);
      if (lua_tointeger(L, -1) == 0) undeclared_error(L, shape, key, trail);
      lua_rawgeti(L, shape, 3);
      lua_pushvalue(L, key);
      lua_rawget(L, -2);
      child = lua_istable(L, -1) ? lua_gettop(L) : 0;
    }
    if (!latch_is_utf8_key(L, key)) {
      latch_trail here = {.up = trail, .key = key, .depth = trail->depth + 1};
      trail_error(L, &here, "keys are UTF-8");
    }
    latch_push_old_child(L, old, key);
    int old_child = lua_gettop(L);
    lua_pushvalue(L, key);
    lua_rawget(L, source);
    if (lua_touserdata(L, -1) == latch_none()) lua_settop(L, key);
    else copy_child(L, node, data, key, child, old_child, trail);
    lua_settop(L, keys);
  }
  lua_settop(L, top);
}

/// Every field that always has a value has one.
static void check_complete(lua_State *L, int shape, int data, const latch_trail *trail) {
  int top = lua_gettop(L);
  lua_rawgeti(L, shape, 1);
  latch_sorted_keys(L, top + 1);
  lua_Integer count = (lua_Integer)lua_rawlen(L, top + 2);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, top + 2, i);
    lua_pushvalue(L, -1);
    lua_rawget(L, top + 1);
    bool always = lua_tointeger(L, -1) == LATCH_FIELD_ALWAYS;
    lua_pushvalue(L, top + 3);
    lua_rawget(L, data);
    if (always && lua_isnil(L, -1)) {
      latch_trail here = {.up = trail, .key = top + 3, .depth = trail->depth + 1};
      trail_error(L, &here, "this field always has a value");
    }
    lua_settop(L, top + 2);
  }
  lua_settop(L, top);
}

/// The mark that the copy of the raw table at `source` takes. `old`: what it replaces, or 0.
static int mark_of(lua_State *L, int source, int old, const latch_trail *trail) {
  latch_vm *vm = latch_of(L);
  const void *metatable = NULL;
  if (lua_getmetatable(L, source)) {
    metatable = lua_topointer(L, -1);
    lua_pop(L, 1);
  }
  lua_pushnil(L);
  if (!lua_next(L, source)) {
    if (metatable == vm->list_mark) return LATCH_R_LIST;
    if (metatable == vm->map_mark) return LATCH_R_MAP;
    if (metatable == vm->empty_mark) return LATCH_R_EMPTY;
    if (old == 0 || !latch_is_node(L, old)) return LATCH_R_EMPTY;
    latch_push_node_data(L, old);
    int mark = latch_data_mark(L, -1);
    lua_pop(L, 1);
    return mark == 0 ? LATCH_R_EMPTY : mark;
  }
  lua_pop(L, 2);
  lua_Integer length = (lua_Integer)lua_rawlen(L, source), inside = 0;
  size_t texts = 0, integers = 0;
  lua_pushnil(L);
  while (lua_next(L, source)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) == LUA_TSTRING) {
      texts++;
    } else if (lua_isinteger(L, -1)) {
      integers++;
      if (lua_tointeger(L, -1) >= 1 && lua_tointeger(L, -1) <= length) inside++;
    } else {
      trail_error(L, trail, "keys are strings or integers");
    }
  }
  latch_charge(L, texts + integers);
  if (texts > 0 && integers > 0) {
    trail_error(L, trail, "a table has either named keys or the keys 1 to n, not both");
  }
  if (texts > 0 || metatable == vm->map_mark) return LATCH_R_MAP;
  if ((size_t)inside != integers || inside != length) {
    trail_error(L, trail, "a list has the keys 1 to n without holes");
  }
  return LATCH_R_LIST;
}

/// Raises when the table at `value` is already being copied further out.
static void check_no_cycle(lua_State *L, int value, latch_trail *trail) {
  trail->source = lua_topointer(L, value);
  for (const latch_trail *above = trail->up; above != NULL; above = above->up) {
    if (above->source == trail->source) {
      trail_error(L, trail, "a table cannot stand inside itself (a cycle)");
    }
  }
}

/// Pushes a new node that holds a copy of the table at `value`.
static void push_copy(lua_State *L, int value, int shape, int old, latch_trail *trail) {
  latch_check_stack(L, 24, "values are nested too deeply");
  int most = latch_of(L)->limits.nesting;
  if (trail->depth > most) {
    trail_error(L, trail, lua_pushfstring(L, "values are nested more than %d deep", most));
  }
  check_no_cycle(L, value, trail);
  int top = lua_gettop(L);
  latch_table_kind kind = latch_push_data(L, value);
  int source = top + 1;
  if (kind == LATCH_PLAIN && lua_getmetatable(L, source)) {
    bool mark = latch_is_mark(latch_of(L), lua_topointer(L, -1));
    lua_pop(L, 1);
    if (!mark) trail_error(L, trail, "a table with a metatable is not plain data");
  }
  int mark = kind == LATCH_NODE && latch_data_mark(L, source) != 0 ? latch_data_mark(L, source)
                                                                   : mark_of(L, source, old, trail);
  lua_newtable(L);
  int data = top + 2, node = top + 3;
  latch_push_new_node(L, data, trail->node, trail->key, true);
  if (mark == LATCH_R_LIST && shape == 0) {
    copy_list(L, source, node, data, trail);
    latch_set_mark(L, data, LATCH_R_LIST);
  } else {
    copy_keyed(L, source, shape, old, node, data, trail);
    if (shape != 0) {
      check_complete(L, shape, data, trail);
      lua_pushvalue(L, shape);
      lua_setmetatable(L, data);
    } else {
      latch_set_mark(L, data, mark);
    }
  }
  if (kind == LATCH_NODE && latch_of(L)->has_records) latch_note_copied(L, node);
  lua_replace(L, source);
  lua_settop(L, source);
}

// MARK: Either

void latch_push_copy(lua_State *L, int value, latch_copy_place place) {
  int top = lua_gettop(L);
  latch_copy_spot spot = {
    .parent = place.node, .key = place.key, .old = place.old, .depth = place.depth};
  if (place.shape == 0 && latch_quick_copy(L, value, &spot)) return;
  lua_settop(L, top);
  latch_trail trail = {.node = place.node, .key = place.key, .depth = place.depth};
  push_copy(L, value, place.shape, place.old, &trail);
}
