/// Shared by the whole language: texts of errors, permissions, and the flow's declarations.

#include <stdarg.h>
#include <string.h>

#include "language/language.h"

// MARK: Texts

int latch_raise(lua_State *L, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  lua_pushvfstring(L, format, arguments);
  va_end(arguments);
  return lua_error(L);
}

const char *latch_push_script_place(lua_State *L, const char *nowhere) {
  lua_Debug frame;
  if (!latch_find_script(L, &frame)) return lua_pushstring(L, nowhere);
  return lua_pushfstring(L, "%s:%d: ", latch_chunk_name(frame.source), frame.currentline);
}

const char *latch_push_quoted(lua_State *L, int name) {
  name = lua_absindex(L, name);
  lua_pushcfunction(L, latch_string_format);
  lua_pushliteral(L, "%q");
  lua_pushvalue(L, name);
  lua_call(L, 2, 1);
  return lua_tostring(L, -1);
}

const char *latch_push_dotted(lua_State *L, const char *kind, int name) {
  name = lua_absindex(L, name);
  size_t length;
  if (lua_type(L, name) != LUA_TSTRING) {
    return lua_pushfstring(L, "%s[%s]", kind, latch_tolstring(L, name, NULL));
  }
  const char *text = lua_tolstring(L, name, &length);
  if (strlen(text) == length && latch_is_name(text)) return lua_pushfstring(L, "%s.%s", kind, text);
  return lua_pushfstring(L, "%s[%s]", kind, latch_push_quoted(L, name));
}

// MARK: Who may do what

void latch_must_be_loading(lua_State *L, const char *what) {
  if (latch_of(L)->flow.has_loaded) {
    latch_raise(L, "%s is allowed only while the flow loads", what);
  }
}

int latch_refuse_phase(lua_State *L, const char *what) {
  return latch_raise(
    L, "%s%s cannot %s", latch_push_script_place(L, "?:0: "), latch_who_runs(latch_of(L)), what);
}

void latch_must_not_be_reducer(lua_State *L, const char *what) {
  if (latch_of(L)->phase == LATCH_REDUCER) latch_refuse_phase(L, what);
}

void latch_only_effects(lua_State *L, const char *what) {
  if (latch_of(L)->phase == LATCH_EFFECT) return;
  latch_raise(L, "%s%s cannot %s; only an effect can", latch_push_script_place(L, ""),
    latch_who_runs(latch_of(L)), what);
}

// MARK: Tables

void latch_make_handle(lua_State *L, const luaL_Reg *events, lua_CFunction refuse) {
  int count = 0;
  while (events[count].name != NULL) count++;
  lua_newtable(L);
  lua_createtable(L, 0, count + 2);  // plus the two that are added here
  lua_rotate(L, -3, 2);
  luaL_setfuncs(L, events, 1);
  lua_pushcfunction(L, refuse);
  lua_setfield(L, -2, "__newindex");
  latch_hide_metatable(L, -1);
  lua_setmetatable(L, -2);
}

/// The same for a table without a metatable, whose keys are traversed here: no function is called.
static void for_each_raw(lua_State *L, int index,
  void (*visit)(lua_State *L, int key, int value, void *context), void *context) {
  int base = lua_gettop(L);
  latch_census census = latch_count_keys(L, index);
  if (census.is_sequence) lua_pushnil(L);
  else latch_push_sorted_keys(L, index, census);
  for (lua_Integer i = 1; i <= (lua_Integer)census.count; i++) {
    if (census.is_sequence) lua_pushinteger(L, i);
    else lua_rawgeti(L, base + 1, i);
    lua_pushvalue(L, -1);
    if (lua_rawget(L, index) != LUA_TNIL) visit(L, base + 2, base + 3, context);
    lua_settop(L, base + 1);
  }
  lua_settop(L, base);
}

void latch_for_each(lua_State *L, int index,
  void (*visit)(lua_State *L, int key, int value, void *context), void *context) {
  index = lua_absindex(L, index);
  latch_check_stack(L, 8, "values are nested too deeply");
  if (lua_istable(L, index)) {
    if (!lua_getmetatable(L, index)) {
      for_each_raw(L, index, visit, context);
      return;
    }
    lua_pop(L, 1);
  }
  int iterator = lua_gettop(L) + 1;
  lua_pushcfunction(L, latch_base_pairs);
  lua_pushvalue(L, index);
  lua_call(L, 1, 3);
  for (;;) {
    lua_pushvalue(L, iterator);
    lua_pushvalue(L, iterator + 1);
    lua_pushvalue(L, iterator + 2);
    lua_call(L, 2, 2);
    if (lua_isnil(L, -2)) break;
    lua_pushvalue(L, -2);
    lua_replace(L, iterator + 2);
    visit(L, iterator + 3, iterator + 4, context);
    lua_settop(L, iterator + 2);
  }
  lua_settop(L, iterator - 1);
}

void latch_push_declared(lua_State *L, int registry_key) {
  if (lua_rawgeti(L, LUA_REGISTRYINDEX, registry_key) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_rawseti(L, LUA_REGISTRYINDEX, registry_key);
}

int latch_get_declared(lua_State *L, int registry_key, int name) {
  if (lua_rawgeti(L, LUA_REGISTRYINDEX, registry_key) == LUA_TTABLE) {
    lua_pushvalue(L, name);
    lua_rawget(L, -2);
  } else {
    lua_pushnil(L);
  }
  lua_remove(L, -2);
  return lua_type(L, -1);
}

void latch_set_declared(lua_State *L, int registry_key, int name) {
  latch_push_declared(L, registry_key);
  lua_pushvalue(L, name);
  lua_pushvalue(L, -3);
  lua_rawset(L, -3);
  lua_pop(L, 2);
}

void latch_forget_declared(lua_State *L, int registry_key) {
  lua_pushboolean(L, 0);
  lua_rawseti(L, LUA_REGISTRYINDEX, registry_key);
}
