/// pairs, next and ipairs: the same order in every process, also if the table changes meanwhile.
///
/// Lua's own order depends on a seed that differs from process to process. Here `pairs` looks at
/// the keys once. If they are exactly 1 to n, it only counts; otherwise it sorts a copy of the
/// keys. In both cases it visits the keys that existed at its start, and skips those that have been
/// removed.

#include "library/library.h"

// MARK: pairs

/// Iterators step through the raw table that has the elements: a proxy always has the same one.
/// Nodes are prepared for a reader, if one runs (recorder.c).

/// Steps through 1 to n; upvalue 1 is n, and upvalue 2 the table.
static int next_element(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_Integer last = lua_tointeger(L, lua_upvalueindex(1));
  lua_Integer i = latch_opt_integer(L, 2, 0);
  if (i < 0) i = 0;
  while (i < last) {
    lua_pushinteger(L, ++i);
    if (lua_rawgeti(L, lua_upvalueindex(2), i) != LUA_TNIL) return 2;
    lua_pop(L, 2);
    if (i % 64 == 0) latch_charge_elements(L, 64);
  }
  lua_pushnil(L);
  return 1;
}

/// The upvalues of the step through sorted keys.
enum { TABLE = 1, KEYS, POSITION };

static int next_key(lua_State *L) {
  lua_Integer position = lua_tointeger(L, lua_upvalueindex(POSITION));
  lua_settop(L, 0);
  for (;;) {
    if (lua_rawgeti(L, lua_upvalueindex(KEYS), ++position) == LUA_TNIL) return 1;
    lua_pushvalue(L, 1);
    if (lua_rawget(L, lua_upvalueindex(TABLE)) != LUA_TNIL) break;
    lua_settop(L, 0);
  }
  lua_pushinteger(L, position);
  lua_replace(L, lua_upvalueindex(POSITION));
  return 2;
}

/// The same for a table of the state: an effect cannot read it, not even by an iterator that was
/// stored.
static int next_state_element(lua_State *L) {
  latch_check_state_read(L);
  return next_element(L);
}

static int next_state_key(lua_State *L) {
  latch_check_state_read(L);
  return next_key(L);
}

static int seen(lua_State *L, int results) {
  if (results == 2) latch_push_seen(L);
  return results;
}

static int next_seen_element(lua_State *L) { return seen(L, next_state_element(L)); }
static int next_seen_key(lua_State *L) { return seen(L, next_state_key(L)); }

static lua_CFunction element_step(latch_table_kind kind) {
  if (kind == LATCH_RECORDER) return next_seen_element;
  return kind == LATCH_NODE ? next_state_element : next_element;
}

static lua_CFunction key_step(latch_table_kind kind) {
  if (kind == LATCH_RECORDER) return next_seen_key;
  return kind == LATCH_NODE ? next_state_key : next_key;
}

static int pairs_are_made(lua_State *L, int status, lua_KContext context) {
  (void)L, (void)status, (void)context;
  return 3;
}

static bool is_of_state(latch_table_kind kind) {
  return kind == LATCH_NODE || kind == LATCH_RECORDER;
}

int latch_base_pairs(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  if (luaL_getmetafield(L, 1, "__pairs") != LUA_TNIL) {
    lua_pushvalue(L, 1);
    lua_callk(L, 1, 3, 0, pairs_are_made);
    return pairs_are_made(L, LUA_OK, 0);
  }
  latch_table_kind kind = latch_push_walked(L);
  if (latch_of(L)->trace != NULL && is_of_state(kind)) return latch_traced_pairs(L);
  latch_census census = latch_count_keys(L, 2);
  if (census.is_sequence) {
    lua_pushinteger(L, (lua_Integer)census.count);
    lua_pushvalue(L, 2);
    lua_pushcclosure(L, element_step(kind), 2);
  } else {
    lua_pushvalue(L, 2);
    latch_push_sorted_keys(L, 2, census);
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, key_step(kind), 3);
  }
  lua_pushvalue(L, 1);
  lua_pushnil(L);
  return 3;
}

// MARK: next

/// The smallest key above the given one, found among all keys.
int latch_base_next(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 2);
  latch_key after, best = {0}, key;
  bool bounded = !lua_isnil(L, 2), found = false;
  if (bounded && !latch_key_read(L, 2, &after)) return luaL_error(L, "invalid key to 'next'");
  bool plain = latch_push_data(L, 1) == LATCH_PLAIN;
  lua_pushnil(L);  // slot 4: the smallest key so far
  size_t count = 0, string_bytes = 0;
  lua_pushnil(L);
  while (lua_next(L, 3)) {
    lua_pop(L, 1);
    latch_read_key(L, 5, &key);
    count++;
    if (key.rank == LATCH_KEY_STRING) string_bytes += key.string.length;
    if (bounded && latch_key_compare(&key, &after) <= 0) continue;
    if (found && latch_key_compare(&key, &best) >= 0) continue;
    best = key;
    found = true;
    lua_copy(L, 5, 4);
  }
  latch_charge_elements(L, LATCH_ELEMENTS_PER_KEY * count);
  latch_charge(L, string_bytes / 8);
  latch_charge_empty_slots(L, 3, count);
  if (!found) {
    lua_pushnil(L);
    return 1;
  }
  lua_settop(L, 4);
  lua_pushvalue(L, 4);
  if (plain) {
    lua_rawget(L, 1);
  } else {
    lua_gettable(L, 1);
  }
  return 2;
}

// MARK: ipairs

enum { LATCH_SHORT_LIST = 8 };

static int next_index(lua_State *L) {
  lua_Integer i = (lua_Integer)((lua_Unsigned)latch_check_integer(L, 2) + 1);
  lua_pushinteger(L, i);
  return latch_get_element(L, 1, i) == LUA_TNIL ? 1 : 2;
}

/// Pushes the index after the one at 2, and the element of the data there.
static inline int push_next_element(lua_State *L, const void *data) {
  const latch_cell *last = latch_argument_cells(L) + 1;
  bool is_integer = latch_top_cells(L, 0) > last && last->type == LATCH_CELL_INTEGER;
  lua_Integer before = is_integer ? last->integer : latch_check_integer(L, 2);
  lua_Integer i = (lua_Integer)((lua_Unsigned)before + 1);
  const latch_cell *cell = latch_element_cell(data, i);
  if (cell == NULL) {
    lua_pushinteger(L, i);
    latch_push_table(L, data);
    lua_rawgeti(L, -1, i);
    lua_remove(L, -2);
    return lua_isnil(L, -1) ? 1 : 2;
  }
  latch_cell *pushed = latch_push_cells(L, 2);
  pushed[0].integer = i;
  pushed[0].type = LATCH_CELL_INTEGER;
  latch_put_in_cell(&pushed[1], cell);
  return latch_is_nil(cell) ? 1 : 2;
}

/// The same over the data behind a node, which is the upvalue.
static int next_index_of_data(lua_State *L) {
  latch_check_state_read(L);
  return push_next_element(L, latch_upvalue_cells(L)->object);
}

/// The same over the data of the node at 1, without an upvalue: for a short list, to make a closure
/// takes longer than to go through it.
static int next_index_of_node(lua_State *L) {
  latch_check_state_read(L);
  const latch_cell *node = latch_argument_cells(L);
  const void *data = NULL;
  bool is_table = latch_top_cells(L, 0) > node && node->type == LATCH_CELL_TABLE;
  if (!is_table || latch_look_at(latch_of(L), node->object, &data) != LATCH_NODE)
    return next_index(L);
  return push_next_element(L, data);
}

static int next_seen_index(lua_State *L) { return seen(L, next_index_of_data(L)); }

/// True unless the data is that of a closed record, which cannot be read in this way.
static bool has_elements(latch_vm *vm, const void *data) {
  const void *metatable = latch_metatable_of(data);
  return metatable == NULL || latch_is_mark(vm, latch_mark_of(vm, metatable));
}

/// Pushes the upvalue of the step through the table of the state at 1, if it has one, and returns
/// the step.
static lua_CFunction push_index_step(lua_State *L, latch_table_kind kind) {
  latch_vm *vm = latch_of(L);
  const void *data;
  if (kind == LATCH_RECORDER || vm->trace != NULL) {
    kind = latch_push_walked(L);
    data = lua_topointer(L, 2);
    lua_settop(L, 1);
  } else {
    latch_check_state_read(L);
    latch_look_at(vm, lua_topointer(L, 1), &data);
  }
  if (!has_elements(vm, data)) return next_index;
  if (kind == LATCH_NODE && latch_array_limit(data) <= LATCH_SHORT_LIST) return next_index_of_node;
  latch_push_table(L, data);
  return kind == LATCH_NODE ? next_index_of_data : next_seen_index;
}

int latch_base_ipairs(lua_State *L) {
  luaL_checkany(L, 1);
  lua_settop(L, 1);
  latch_table_kind kind = lua_istable(L, 1) ? latch_kind(L, 1) : LATCH_PLAIN;
  lua_CFunction next = is_of_state(kind) ? push_index_step(L, kind) : next_index;
  if (next != next_index && latch_of(L)->trace != NULL) return latch_traced_ipairs(L);
  lua_pushcclosure(L, next, lua_gettop(L) - 1);
  lua_pushvalue(L, 1);
  lua_pushinteger(L, 0);
  return 3;
}
