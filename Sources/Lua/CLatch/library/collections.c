/// Functions of `table` over lists and maps: count, sum, map, filter, find, any, all and copy.
///
/// They visit the elements as `pairs` does, and call f(value, key) for each. An effect may wait in
/// f.

#include "library/library.h"

/// The stack of a walk. KEY and ELEMENT change with each step.
enum { WALKED = 1, FUNCTION, RESULT, STEP, STEPPED, KEY, ELEMENT };

enum { LATCH_ELEMENTS_PER_STEP = 4 };

typedef enum { SUM, MAP, MAP_LIST, FILTER, FILTER_LIST, FIND, ANY, ALL } walk_kind;

/// (table): returns two booleans. The first is true for a list; an empty table without a mark
/// counts as one. The second is true for a table that has a mark or is not plain.
static int read_kind(lua_State *L) {
  lua_settop(L, 1);
  bool is_marked = latch_kind(L, 1) != LATCH_PLAIN;
  latch_push_walked(L);
  latch_census census = latch_count_keys(L, 2);
  bool is_map = false;
  if (lua_getmetatable(L, 2)) {
    is_marked = is_marked || latch_is_mark(latch_of(L), lua_topointer(L, -1));
    lua_pop(L, 1);
    is_map = latch_data_mark(L, 2) == LATCH_R_MAP;
  }
  lua_pushboolean(L, census.is_sequence && !is_map);
  lua_pushboolean(L, is_marked);
  return 2;
}

/// Pushes an empty table of the kind of the one at `like`. Returns true for a list.
static bool push_empty(lua_State *L, int like) {
  lua_pushcfunction(L, read_kind);
  lua_pushvalue(L, like);
  lua_call(L, 1, 2);
  bool is_list = lua_toboolean(L, -2), is_marked = lua_toboolean(L, -1);
  lua_pop(L, 2);
  lua_createtable(L, 0, 0);
  if (is_marked) latch_set_mark(L, -1, is_list ? LATCH_R_LIST : LATCH_R_MAP);
  return is_list;
}

/// Calls `pairs` for the table at WALKED; pushes the iterator, its table and the first key.
static void push_pairs(lua_State *L, int table) {
  // An iterator written in Lua would not be charged for.
  if (luaL_getmetafield(L, table, "__pairs") != LUA_TNIL) {
    luaL_error(L, "this function does not accept a table with the metamethod __pairs");
  }
  lua_pushcfunction(L, latch_base_pairs);
  lua_pushvalue(L, table);
  lua_call(L, 1, 3);
}

/// Pushes the next key and value; false at the end, with nothing pushed.
static bool push_next(lua_State *L, int step) {
  latch_charge_elements(L, LATCH_ELEMENTS_PER_STEP);
  for (int i = 0; i < 3; i++) lua_pushvalue(L, step + i);
  lua_call(L, 2, 2);
  if (!lua_isnil(L, -2)) return true;
  lua_pop(L, 2);
  return false;
}

/// Pops the value on top and adds it to the result: behind the last element of a list, or under
/// KEY.
static void add(lua_State *L, bool is_list) {
  if (is_list) {
    lua_rawseti(L, RESULT, (lua_Integer)lua_rawlen(L, RESULT) + 1);
  } else {
    lua_pushvalue(L, KEY);
    lua_insert(L, -2);
    lua_rawset(L, RESULT);
  }
}

/// Pops the result of f on top and handles it. Returns the number of results if the walk ends here,
/// otherwise 0.
static int use_result(lua_State *L, walk_kind kind) {
  bool holds = lua_toboolean(L, -1);
  switch (kind) {
    case SUM:
      // Calls of a metamethod would not be charged for.
      if (lua_type(L, -1) != LUA_TNUMBER) {
        return luaL_error(L, "table.sum adds numbers, and this is a %s", luaL_typename(L, -1));
      }
      lua_pushvalue(L, RESULT);
      lua_insert(L, -2);
      lua_arith(L, LUA_OPADD);
      lua_replace(L, RESULT);
      return 0;
    case MAP:
    case MAP_LIST:
      if (lua_isnil(L, -1)) lua_pop(L, 1);
      else add(L, kind == MAP_LIST);
      return 0;
    case FILTER:
    case FILTER_LIST:
      lua_pop(L, 1);
      if (!holds) return 0;
      lua_pushvalue(L, ELEMENT);
      add(L, kind == FILTER_LIST);
      return 0;
    case FIND:
      lua_pop(L, 1);
      if (!holds) return 0;
      lua_pushvalue(L, ELEMENT);
      lua_pushvalue(L, KEY);
      return 2;
    case ANY:
    case ALL:
      lua_pop(L, 1);
      if (holds == (kind == ALL)) return 0;
      lua_pushboolean(L, kind == ANY);
      return 1;
  }
  return 0;
}

static int walk(lua_State *L, walk_kind kind);

static int continue_walk(lua_State *L, int status, lua_KContext context) {
  (void)status;
  int results = use_result(L, (walk_kind)context);
  return results > 0 ? results : walk(L, (walk_kind)context);
}

static int walk(lua_State *L, walk_kind kind) {
  for (;;) {
    lua_settop(L, KEY);
    if (!push_next(L, STEP)) break;
    lua_copy(L, -2, KEY);
    lua_remove(L, -2);
    if (lua_isnil(L, FUNCTION)) {
      lua_pushvalue(L, ELEMENT);
    } else {
      lua_pushvalue(L, FUNCTION);
      lua_pushvalue(L, ELEMENT);
      lua_pushvalue(L, KEY);
      lua_callk(L, 2, 1, (lua_KContext)kind, continue_walk);
    }
    int results = use_result(L, kind);
    if (results > 0) return results;
  }
  if (kind == FIND) lua_pushnil(L);
  else if (kind == ANY || kind == ALL) lua_pushboolean(L, kind == ALL);
  else lua_pushvalue(L, RESULT);
  return 1;
}

/// Walks over the table at 1 with the function at 2. For lists, MAP and FILTER become MAP_LIST and
/// FILTER_LIST here.
static int start_walk(lua_State *L, walk_kind kind) {
  luaL_checktype(L, WALKED, LUA_TTABLE);
  lua_settop(L, FUNCTION);
  if (kind != SUM || !lua_isnil(L, FUNCTION)) luaL_checktype(L, FUNCTION, LUA_TFUNCTION);
  latch_check_stack(L, 16, NULL);
  if (kind == MAP || kind == FILTER) kind += push_empty(L, WALKED);
  else if (kind == SUM) lua_pushinteger(L, 0);
  else lua_pushnil(L);
  push_pairs(L, WALKED);
  return walk(L, kind);
}

static int sum(lua_State *L) { return start_walk(L, SUM); }
static int map(lua_State *L) { return start_walk(L, MAP); }
static int filter(lua_State *L) { return start_walk(L, FILTER); }
static int find(lua_State *L) { return start_walk(L, FIND); }
static int any(lua_State *L) { return start_walk(L, ANY); }
static int all(lua_State *L) { return start_walk(L, ALL); }

static int count(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  push_pairs(L, 1);
  lua_Integer found = 0;
  while (push_next(L, 2)) {
    found++;
    lua_pop(L, 1);
    lua_replace(L, 4);  // the key with which the next step begins
  }
  lua_pushinteger(L, found);
  return 1;
}

/// Replaces the value on top by its copy. Tables of all kinds become plain tables in it.
static void copy_value(lua_State *L, int depth) {
  if (!lua_istable(L, -1)) return;
  int deepest = latch_of(L)->limits.nesting;
  if (depth > deepest) luaL_error(L, "table.copy: values are nested more than %d deep", deepest);
  latch_check_stack(L, 16, "values are nested too deeply");
  int table = lua_gettop(L);
  (void)push_empty(L, table);
  push_pairs(L, table);
  while (push_next(L, table + 2)) {
    copy_value(L, depth + 1);
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, table + 1);
    lua_replace(L, table + 4);
  }
  lua_settop(L, table + 1);
  lua_replace(L, table);
}

static int copy(lua_State *L) {
  luaL_checkany(L, 1);
  lua_settop(L, 1);
  copy_value(L, 1);
  return 1;
}

void latch_add_collections(lua_State *L) {
  static const luaL_Reg functions[] = {
    {"all", all},
    {"any", any},
    {"copy", copy},
    {"count", count},
    {"filter", filter},
    {"find", find},
    {"map", map},
    {"sum", sum},
    {NULL, NULL},
  };
  luaL_setfuncs(L, functions, 0);
}
