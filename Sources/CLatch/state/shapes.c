/// Closed records: a shape says which fields a record has, and how each may be used. It is the
/// metatable of the record's data (see node.c).

#include "state/state.h"

void latch_refuse_undeclared(lua_State *L, int fields, int path, int key) {
  latch_push_where(L);
  if (lua_type(L, key) == LUA_TSTRING) {
    const char *name = lua_tostring(L, key);
    lua_pushfstring(L, "%s has no field %s", lua_tostring(L, path), name);
    latch_push_suggestion(L, fields, name);
  } else {
    lua_pushfstring(L, "%s is a record and has no field", lua_tostring(L, path));
    lua_pushfstring(
      L, lua_isinteger(L, key) ? " [%I]" : " of that kind", (LUAI_UACINT)lua_tointeger(L, key));
  }
  lua_concat(L, 3);
  lua_error(L);
}

/// The __index of a closed record's data: nil for a field without a value, an error for others.
static int closed_read(lua_State *L) {
  lua_settop(L, 2);
  lua_getmetatable(L, 1);
  lua_rawgeti(L, 3, 1);
  lua_rawgeti(L, 3, 2);
  lua_pushvalue(L, 2);
  lua_rawget(L, 4);
  if (lua_toboolean(L, -1)) return 0;  // declared, without a value yet
  latch_refuse_undeclared(L, 4, 5, 2);
  return 0;
}

// MARK: Asking

static int push_shape_part(lua_State *L, int data, int part) {
  if (latch_data_mark(L, data) != 0) return 0;
  lua_getmetatable(L, data);
  lua_rawgeti(L, -1, part);
  lua_remove(L, -2);
  return 1;
}

bool latch_push_shape(lua_State *L, int data, int key) {
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
  if (!latch_push_shape(L, data, key)) return false;
  lua_pop(L, 1);
  return true;
}

bool latch_is_field(lua_State *L, int name) {
  name = lua_absindex(L, name);
  int top = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE_DATA);
  bool is_field = lua_getmetatable(L, -1) && lua_rawgeti(L, -1, 1) == LUA_TTABLE;
  if (is_field) {
    lua_pushvalue(L, name);
    is_field = lua_rawget(L, -2) != LUA_TNIL;
  }
  lua_settop(L, top);
  return is_field;
}

// MARK: Declaring

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

void latch_push_new_shape(lua_State *L, int source) {
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
      latch_push_new_shape(L, value);
      lua_rawset(L, children);
    }
    lua_settop(L, key);
  }
  lua_settop(L, children);
  lua_rawseti(L, shape, 3);
  lua_rawseti(L, shape, 1);
  lua_pushvalue(L, path);
  lua_rawseti(L, shape, 2);
  lua_pushcfunction(L, closed_read);
  lua_setfield(L, shape, "__index");
  latch_hide_metatable(L, shape);
  lua_replace(L, path);
}
