/// Copying what scripts put into the state into nodes of the state's own, by place: at the start
/// from the declaration, and at the end of each transition.

#include "iteration.h"
#include "vm.h"


/// Where the copy stands: the keys from the node down, as indices of the Lua stack.
typedef struct latch_trail {
  const struct latch_trail *up;
  const void *source;  ///< the table that is being copied
  int node;            ///< set in the outermost only
  int key;
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

// MARK: Shapes

static int push_shape_part(lua_State *L, int data, int part) {
  if (latch_data_mark(L, data) != 0) return 0;
  lua_getmetatable(L, data);
  lua_rawgeti(L, -1, part);
  lua_remove(L, -2);
  return 1;
}

/// Pushes the shape that records take at `key` of this data; false (nothing pushed): none is closed.
static bool push_shape_at(lua_State *L, int data, int key) {
  key = lua_absindex(L, key);
  if (!push_shape_part(L, data, 3)) return false;
  lua_pushvalue(L, key);
  lua_rawget(L, -2);
  lua_remove(L, -2);
  if (lua_istable(L, -1)) return true;
  lua_pop(L, 1);
  return false;
}

bool latch_has_shape(lua_State *L, int data, int key) {
  if (!push_shape_at(L, data, key)) return false;
  lua_pop(L, 1);
  return true;
}

static bool is_record(lua_State *L, int table) {
  if (lua_getmetatable(L, table)) {
    lua_pop(L, 1);
    return false;
  }
  if (lua_rawlen(L, table) > 0) return false;
  lua_pushnil(L);
  if (!lua_next(L, table)) return false;
  lua_pop(L, 2);
  return true;
}

/// Pushes the shape of the declared record at `source`, whose path is on top of the stack (popped).
static void push_new_shape(lua_State *L, int source) {
  latch_check_stack(L, 12, "the state is nested too deeply");
  int path = lua_gettop(L);
  lua_createtable(L, 3, 2);
  int shape = path + 1;
  lua_newtable(L);
  lua_newtable(L);
  int fields = shape + 1, children = shape + 2;
  lua_pushnil(L);
  while (lua_next(L, source)) {
    int key = children + 1, value = children + 2;
    bool optional = lua_type(L, value) == LUA_TLIGHTUSERDATA;
    lua_pushvalue(L, key);
    lua_pushinteger(L, optional ? LATCH_FIELD_OPTIONAL : LATCH_FIELD_ALWAYS);
    lua_rawset(L, fields);
    if (lua_istable(L, value) && is_record(L, value)) {
      lua_pushvalue(L, key);
      lua_pushvalue(L, path);
      latch_append_step(L, key);
      push_new_shape(L, value);
      lua_rawset(L, children);
    }
    lua_settop(L, key);
  }
  lua_settop(L, children);
  lua_rawseti(L, shape, 3);
  lua_rawseti(L, shape, 1);
  lua_pushvalue(L, path);
  lua_rawseti(L, shape, 2);
  lua_pushcfunction(L, latch_closed_read);
  lua_setfield(L, shape, "__index");
  lua_pushboolean(L, 0);
  lua_setfield(L, shape, "__metatable");
  lua_replace(L, path);
}

// MARK: Copies

static void push_copy(lua_State *L, int value, int shape, int old, latch_trail *trail);

/// Puts a copy of the value on top of the stack (popped) at data[key], and sets its place.
static void copy_child(
  lua_State *L, int node, int data, int key, int child_shape, int old, const latch_trail *trail) {
  int value = lua_gettop(L);
  latch_trail here = {.up = trail, .key = key, .depth = trail->depth + 1};
  if (lua_istable(L, value)) {
    push_copy(L, value, child_shape, old, &here);
    latch_set_place(L, -1, node, key);
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

/// Pushes what stands at `key` of the node that is replaced (index 0: of none); nil for nothing.
static void push_old_child(lua_State *L, int old, int key) {
  if (old == 0 || !latch_is_node(L, old)) {
    lua_pushnil(L);
    return;
  }
  latch_push_node_data(L, old);
  lua_pushvalue(L, key);
  lua_rawget(L, -2);
  lua_remove(L, -2);
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
    push_old_child(L, old, key);
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
  int data = top + 2;
  lua_pushvalue(L, data);
  latch_push_new_node(L);
  int node = top + 3;
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
  lua_replace(L, source);
  lua_settop(L, source);
}

// MARK: Adoption

/// The stack of adopt_journal.
enum { SPLICED = 1, NODE, KEY, OLD, OPERATION, DATA };

/// How far below the root the node stands (1: it is the root); 0: it is not in the state, or so deep in it
/// that the patch will say so.
static int depth_of(lua_State *L, int node) {
  int top = lua_gettop(L);
  lua_pushvalue(L, node);
  for (int depth = 1; depth <= LATCH_DEEPEST_NESTING; depth++) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
    bool root = lua_rawequal(L, -1, top + 1);
    lua_settop(L, top + 1);
    if (root) {
      lua_settop(L, top);
      return depth;
    }
    if (!latch_push_place(L, top + 1)) break;
    lua_settop(L, top + 2);
    lua_replace(L, top + 1);
  }
  lua_settop(L, top);
  return 0;
}

/// data[key] of the node holds a table that a reducer put there: a plain one, or a node that
/// stands elsewhere too. Both are copied.
static void adopt_at(lua_State *L, int node, int depth, int data, int key, int old) {
  int top = lua_gettop(L);
  lua_pushvalue(L, key);
  lua_rawget(L, data);
  int value = top + 1;
  if (!lua_istable(L, value)) {
    lua_settop(L, top);
    return;
  }
  if (latch_is_node(L, value) && latch_push_place(L, value)) {
    bool here = lua_rawequal(L, -2, node) && lua_rawequal(L, -1, key);
    lua_pop(L, 2);
    if (here) {
      lua_settop(L, top);
      return;
    }
  }
  int shape = push_shape_at(L, data, key) ? lua_gettop(L) : 0;
  latch_trail trail = {.node = node, .key = key, .depth = depth + 1};
  push_copy(L, value, shape, old, &trail);
  latch_set_place(L, -1, node, key);
  lua_pushvalue(L, key);
  lua_insert(L, -2);
  lua_rawset(L, data);
  lua_settop(L, top);
}

/// All elements of a list: once in a transition, and only where elements have moved about.
static void adopt_list(lua_State *L, int depth) {
  lua_pushvalue(L, NODE);
  lua_pushboolean(L, 0);
  lua_rawset(L, SPLICED);
  lua_Integer length = (lua_Integer)lua_rawlen(L, DATA);
  for (lua_Integer i = 1; i <= length; i++) {
    lua_pushinteger(L, i);
    adopt_at(L, NODE, depth, DATA, lua_gettop(L), 0);
    lua_pop(L, 1);
  }
}

/// The place of an inserted value near where it was put. 0: later splices moved it far.
static lua_Integer find_inserted(lua_State *L) {
  enum { FAR = 32 };
  lua_Integer length = (lua_Integer)lua_rawlen(L, DATA), hint = lua_tointeger(L, KEY);
  for (lua_Integer distance = 0; distance <= FAR; distance++) {
    for (int side = -1; side <= 1; side += 2) {
      lua_Integer at = hint + side * distance;
      if (at < 1 || at > length) continue;
      lua_rawgeti(L, DATA, at);
      bool found = lua_rawequal(L, -1, OLD);
      lua_pop(L, 1);
      if (found) return at;
    }
  }
  return 0;
}

typedef enum { LIST_UNMOVED, LIST_MOVED, LIST_ADOPTED } latch_list_state;

static latch_list_state list_state(lua_State *L) {
  if (!latch_of(L)->spliced) return LIST_UNMOVED;
  lua_pushvalue(L, NODE);
  lua_rawget(L, SPLICED);
  latch_list_state state = lua_isnil(L, -1) ? LIST_UNMOVED
    : lua_toboolean(L, -1)                  ? LIST_MOVED
                                            : LIST_ADOPTED;
  lua_pop(L, 1);
  return state;
}

static void push_journalled(lua_State *L, lua_Integer entry) {
  lua_settop(L, SPLICED);
  latch_push_entry(L, entry);
  latch_push_node_data(L, NODE);
}

/// Notes the lists whose elements have moved.
static void find_spliced(lua_State *L, lua_Integer count) {
  for (lua_Integer entry = 1; entry <= count; entry++) {
    push_journalled(L, entry);
    lua_Integer operation = lua_tointeger(L, OPERATION);
    if (operation != LATCH_J_INSERT && operation != LATCH_J_REMOVE &&
        operation != LATCH_J_REPLACE) {
      continue;
    }
    lua_pushvalue(L, NODE);
    lua_pushboolean(L, 1);
    lua_rawset(L, SPLICED);
  }
}

static void adopt_entry(lua_State *L) {
  latch_operation operation = (latch_operation)lua_tointeger(L, OPERATION);
  if (operation == LATCH_J_PLACE || operation == LATCH_J_KIND || operation == LATCH_J_REMOVE) return;
  if (operation == LATCH_J_INSERT && !lua_istable(L, OLD)) return;
  latch_list_state state = list_state(L);
  if (state == LIST_ADOPTED) return;
  int depth = depth_of(L, NODE);
  if (depth == 0) return;  // what stands nowhere is adopted when it is put somewhere
  if (operation == LATCH_J_SET && state == LIST_UNMOVED) {
    adopt_at(L, NODE, depth, DATA, KEY, OLD);
    return;
  }
  bool is_one = operation == LATCH_J_INSERT && !latch_of(L)->aliased;
  lua_Integer at = is_one ? find_inserted(L) : 0;
  if (at == 0) {
    adopt_list(L, depth);
    return;
  }
  lua_pushinteger(L, at);
  adopt_at(L, NODE, depth, DATA, lua_gettop(L), 0);
}

static int adopt_journal(lua_State *L) {
  latch_vm *vm = latch_of(L);
  if (vm->structural) {
    lua_settop(L, 0);
    lua_newtable(L);
    if (vm->spliced) find_spliced(L, vm->journal_count);
    for (lua_Integer entry = 1; entry <= vm->journal_count; entry++) {
      push_journalled(L, entry);
      adopt_entry(L);
    }
  }
  latch_touch_writes(L);
  return 0;
}

latch_status latch_adopt(latch_vm *vm) {
  if (vm->journal_count == 0 && vm->field_count == 0) return LATCH_OK;
  if (!vm->structural && !latch_may_touch(vm)) return LATCH_OK;
  return latch_protect(vm, adopt_journal, NULL, 0);
}

// MARK: The declaration

/// (table), from the prelude: the table is the initial state and says its shape. Its records that
/// are reached through records only are closed from here on.
int latch_declare_state(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  lua_pushliteral(L, "state");
  push_new_shape(L, 1);
  latch_trail trail = {.depth = 1};
  push_copy(L, 1, 2, 0, &trail);
  latch_of(L)->root = lua_topointer(L, -1);
  latch_push_node_data(L, -1);
  lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_STATE_DATA);
  lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
  latch_readers_reset(latch_of(L));
  return 0;
}

static int get_state(lua_State *L) {
  latch_vm *vm = lua_touserdata(L, 1);
  latch_buffer_clear(&vm->out);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
  latch_encoder encoder;
  latch_encoder_begin(&encoder, vm, &vm->out);
  if (!latch_encode(&encoder, L, -1)) return luaL_error(L, "%s", encoder.fault);
  if (vm->out.failed) return latch_raise_no_memory(L);
  return 0;
}

latch_status latch_state_get(latch_vm *vm, latch_bytes *value) {
  vm->unlimited++;
  latch_status status = latch_protect(vm, get_state, vm, 0);
  vm->unlimited--;
  *value = latch_buffer_view(&vm->out);
  return status;
}
