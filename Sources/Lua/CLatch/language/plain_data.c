/// Plain data: decides if a value is plain data, without a message if it is not; the marks of lists
/// and maps; texts as they are shown in messages.
///
/// A large state is checked here, in one traversal. If it has a fault, the prelude (data.lua)
/// traverses it again, with the keys that lead to the fault, for the message.

#include "language/language.h"

/// The cost of checking an element, without that of its text, and of checking a table, which may
/// occur in many places and is checked in each.
enum { ELEMENT_COST = 8, TABLE_COST = 16 };

/// A table that is being checked, and the one that contains it.
typedef struct latch_look {
  const struct latch_look *above;
  const void *table;
  int depth;
  int types;         ///< the index of the table that has every type as a key
  bool tells_kinds;  ///< an empty table must be marked
} latch_look;

static bool is_plain(lua_State *L, int index, const latch_look *above);

/// LATCH_R_LIST or LATCH_R_MAP for a table that a script has marked, else 0.
static int mark_of(lua_State *L, int data) {
  if (!lua_getmetatable(L, data)) return 0;
  const void *metatable = lua_topointer(L, -1);
  lua_pop(L, 1);
  const latch_vm *vm = latch_of(L);
  if (metatable == vm->list_mark) return LATCH_R_LIST;
  return metatable == vm->map_mark ? LATCH_R_MAP : 0;
}

/// True if the keys of the raw table on top of the stack are those of one kind of table, and its
/// values are plain data.
static bool is_content_plain(lua_State *L, int mark, const latch_look *look) {
  int data = lua_gettop(L);
  size_t names = 0, numbers = 0, inside = 0;
  lua_Integer length = (lua_Integer)lua_rawlen(L, data);
  lua_pushnil(L);
  while (lua_next(L, data)) {
    if (lua_type(L, -2) == LUA_TSTRING) {
      names++;
      if (!latch_is_utf8_key(L, -2)) return false;
    } else if (lua_isinteger(L, -2)) {
      numbers++;
      if (lua_tointeger(L, -2) >= 1 && lua_tointeger(L, -2) <= length) inside++;
    } else {
      return false;
    }
    if (!is_plain(L, data + 2, look)) return false;
    lua_settop(L, data + 1);
  }
  size_t count = names + numbers;
  latch_charge_elements(L, TABLE_COST + ELEMENT_COST * count);
  if (count == 0) return mark != 0 || look->depth == 1 || !look->tells_kinds;
  if (names > 0) return numbers == 0 && mark != LATCH_R_LIST;
  return mark == LATCH_R_MAP || (inside == numbers && numbers == (size_t)length);
}

static bool is_table_plain(lua_State *L, int index, const latch_look *above) {
  latch_look look = *above;
  look.above = above;
  look.table = lua_topointer(L, index);
  if (++look.depth > latch_of(L)->limits.nesting) return false;
  for (const latch_look *each = above; each->above != NULL; each = each->above) {
    if (each->table == look.table) return false;
  }
  latch_check_stack(L, 8, "values are nested too deeply");
  lua_pushvalue(L, index);
  if (lua_rawget(L, look.types) != LUA_TNIL) return false;
  lua_pop(L, 1);
  latch_table_kind kind = latch_push_data(L, index);
  int mark = mark_of(L, lua_gettop(L));
  if (kind == LATCH_PLAIN && mark == 0 && lua_getmetatable(L, -1)) return false;
  return is_content_plain(L, mark, &look);
}

/// May leave things on the stack above the value.
static bool is_plain(lua_State *L, int index, const latch_look *above) {
  if (lua_istable(L, index)) return is_table_plain(L, index, above);
  if (latch_is_none(L, index)) return true;
  return !lua_isnil(L, index) && latch_scalar_fault(L, index) == NULL;
}

/// (value, types, tells_kinds): true if the value is plain data (language.h).
int latch_is_plain_data(lua_State *L) {
  lua_settop(L, 3);
  luaL_checktype(L, 2, LUA_TTABLE);
  latch_look look = {.types = 2, .tells_kinds = lua_toboolean(L, 3)};
  lua_pushboolean(L, is_plain(L, 1, &look));
  return 1;
}

int latch_printable(lua_State *L) {
  luaL_checktype(L, 1, LUA_TSTRING);
  lua_settop(L, 1);
  latch_make_printable(L, 1);
  return 1;
}

int latch_tell_mark(lua_State *L) {
  if (!lua_istable(L, 1)) return 0;
  bool is_plain = latch_push_data(L, 1) == LATCH_PLAIN;
  if (!lua_getmetatable(L, -1)) return 0;
  latch_vm *vm = latch_of(L);
  const void *metatable = lua_topointer(L, -1);
  if (!is_plain) metatable = latch_mark_of(vm, metatable);
  if (metatable == vm->list_mark) lua_pushliteral(L, "list");
  else if (metatable == vm->map_mark || metatable == vm->leaf_mark) lua_pushliteral(L, "map");
  else return 0;
  return 1;
}

int latch_mark_table(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  if (latch_kind(L, 1) != LATCH_PLAIN) return luaL_error(L, "only a plain table can be marked");
  latch_set_mark(L, 1, *luaL_checkstring(L, 2) == 'l' ? LATCH_R_LIST : LATCH_R_MAP);
  lua_settop(L, 1);
  return 1;
}
