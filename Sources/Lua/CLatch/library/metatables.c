/// getmetatable and setmetatable.
///
/// The host's metatables (of strings, state nodes, read-only tables) are never visible to scripts.
/// A read-only table keeps its fields in another table, where Lua would not find metamethods: when
/// a script uses one as a metatable (a class that a module returns), a copy that the host keeps is
/// set instead, and getmetatable returns the original.

#include <string.h>

#include "library/library.h"

/// These addresses are keys: in the own metatable of a read-only table for its copy, in the copy
/// for the read-only table.
static const char copy_key, original_key;

static void refuse_field(lua_State *L, int metatable, const char *name) {
  lua_pushstring(L, name);
  if (lua_rawget(L, metatable) != LUA_TNIL) {
    luaL_error(L, "a metatable may not have the field %s here", name);
  }
  lua_pop(L, 1);
}

/// Pushes the copy that serves as a metatable for the read-only table at `index`.
static void push_copy(lua_State *L, int index) {
  latch_check_stack(L, 8, NULL);
  lua_getmetatable(L, index);
  int own = lua_gettop(L);
  if (lua_rawgetp(L, own, &copy_key) == LUA_TTABLE) {
    lua_remove(L, own);
    return;
  }
  lua_pop(L, 1);
  lua_newtable(L);
  latch_push_data(L, index);
  size_t count = 0;
  lua_pushnil(L);
  while (lua_next(L, own + 2)) {
    const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
    count++;
    if (name[0] == '_' && name[1] == '_') {
      lua_pushvalue(L, -2);
      lua_insert(L, -2);
      lua_rawset(L, own + 1);
    } else {
      lua_pop(L, 1);
    }
  }
  latch_charge_elements(L, count);
  lua_settop(L, own + 1);
  lua_pushvalue(L, index);
  lua_rawsetp(L, own + 1, &original_key);
  lua_pushvalue(L, own + 1);
  lua_rawsetp(L, own, &copy_key);
  lua_remove(L, own);
}

/// True if the function that runs was called by code of that source; NULL: by code without line
/// numbers, as the compiled prelude is.
static bool is_called_by(lua_State *L, const char *name) {
  lua_Debug caller;
  if (!lua_getstack(L, 1, &caller) || !lua_getinfo(L, "Sl", &caller)) return false;
  if (name != NULL) return strcmp(caller.source, name) == 0;
  return *caller.what != 'C' && caller.currentline < 1;
}

int latch_base_setmetatable(lua_State *L) {
  int type = lua_type(L, 2);
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_argexpected(L, type == LUA_TNIL || type == LUA_TTABLE, 2, "nil or table");
  bool is_protected = luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL;
  if (is_protected || latch_kind(L, 1) != LATCH_PLAIN) {
    return luaL_error(L, "cannot change a protected metatable");
  }
  lua_settop(L, 2);
  if (type == LUA_TTABLE) {
    switch (latch_kind(L, 2)) {
      case LATCH_PLAIN: break;
      case LATCH_FROZEN:
        push_copy(L, 2);
        lua_replace(L, 2);
        break;
      default: return luaL_argerror(L, 2, "a part of the state cannot be a metatable");
    }
    refuse_field(L, 2, "__gc");
    latch_vm *vm = latch_of(L);
    bool is_prelude = is_called_by(L, LATCH_PRELUDE_CHUNK);
    if (is_prelude || is_called_by(L, NULL)) latch_mark_host_metatable(L, 2);
    if (!vm->hook.has_metatables) vm->hook.has_metatables = !is_prelude;
  }
  lua_setmetatable(L, 1);
  return 1;
}

int latch_base_getmetatable(lua_State *L) {
  luaL_checkany(L, 1);
  if (!lua_getmetatable(L, 1)) {
    lua_pushnil(L);
    return 1;
  }
  if (lua_type(L, 1) != LUA_TTABLE || latch_kind(L, 1) != LATCH_PLAIN) {
    lua_pushboolean(L, 0);
    return 1;
  }
  lua_pushliteral(L, "__metatable");
  if (lua_rawget(L, -2) != LUA_TNIL) return 1;
  lua_pop(L, 1);
  if (lua_rawgetp(L, -1, &original_key) != LUA_TNIL) return 1;
  lua_pop(L, 1);
  return 1;
}
