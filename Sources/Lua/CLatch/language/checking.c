/// Handles declarations in every VM: has them checked if the VM only checks the flow, and stores
/// their functions.

#include "language/language.h"

bool latch_passes_check(lua_State *L, const char *declarator, const char *how, int first) {
  if (!latch_of(L)->flow.is_checking) return true;
  int top = lua_gettop(L), count = top - first + 1;
  latch_check_stack(L, count + 4, "too many arguments");
  bool passes = true;
  if (lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_CHECKS) == LUA_TTABLE &&
      lua_getfield(L, -1, declarator) == LUA_TTABLE && lua_getfield(L, -1, how) == LUA_TFUNCTION) {
    for (int i = first; i <= top; i++) lua_pushvalue(L, i);
    lua_call(L, count, 1);
    passes = lua_toboolean(L, -1);
  }
  lua_settop(L, top);
  return passes;
}

/// A search for functions: the stack index of the tables that were visited, and the depth.
typedef struct {
  int seen, depth;
} latch_search;

static void search_in(lua_State *L, int table, latch_search *search);

static void keep_or_search(lua_State *L, int key, int value, void *context) {
  (void)key;
  if (lua_isfunction(L, value)) {
    lua_pushvalue(L, value);
    latch_keep_function(L);
  } else if (lua_istable(L, value)) {
    search_in(L, value, context);
  }
}

/// Counts the functions and tables in a table, where 2 stands for several; pushes the first.
static int look_over(lua_State *L, int table) {
  int found = 0;
  uint64_t count = 0;
  lua_pushnil(L);
  int first = lua_gettop(L);
  lua_pushnil(L);
  while (lua_next(L, table)) {
    count++;
    if (lua_isfunction(L, -1) || lua_istable(L, -1)) {
      if (++found == 2) break;
      lua_copy(L, -1, first);
    }
    lua_pop(L, 1);
  }
  lua_settop(L, first);
  latch_charge_elements(L, count);
  return found;
}

/// Most tables hold at most one function or table: only others need a fixed order.
static void search_in(lua_State *L, int table, latch_search *search) {
  latch_check_stack(L, 8, "values are nested too deeply");
  lua_pushvalue(L, table);
  if (lua_rawget(L, search->seen) != LUA_TNIL) return;
  lua_pushvalue(L, table);
  lua_pushboolean(L, 1);
  lua_rawset(L, search->seen);
  if (++search->depth > latch_of(L)->limits.nesting) {
    luaL_error(L, "a declaration is nested more than %d deep", latch_of(L)->limits.nesting);
  }
  if (lua_getmetatable(L, table)) {
    latch_for_each(L, table, keep_or_search, search);
  } else {
    int found = look_over(L, table);
    if (found == 1) keep_or_search(L, 0, lua_gettop(L), search);
    else if (found > 1) latch_for_each(L, table, keep_or_search, search);
  }
  search->depth--;
}

void latch_keep_functions(lua_State *L, int definition) {
  enum { FEW_TABLES = 8 };
  lua_createtable(L, 0, FEW_TABLES);
  latch_search state = {lua_gettop(L), 0};
  search_in(L, definition, &state);
  lua_settop(L, state.seen - 1);
}
