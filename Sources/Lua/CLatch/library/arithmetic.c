/// Arithmetic on strings that can be read as numbers.

#include "library/library.h"

static const struct {
  const char *event;
  int operation;
} operations[] = {
  {"__add", LUA_OPADD},
  {"__sub", LUA_OPSUB},
  {"__mul", LUA_OPMUL},
  {"__mod", LUA_OPMOD},
  {"__pow", LUA_OPPOW},
  {"__div", LUA_OPDIV},
  {"__idiv", LUA_OPIDIV},
  {"__unm", LUA_OPUNM},
};

/// Pushes the operand at `index` as a number. False if it is not a number.
static bool push_number(lua_State *L, int index) {
  if (lua_type(L, index) == LUA_TNUMBER) {
    lua_pushvalue(L, index);
    return true;
  }
  size_t length;
  const char *text = lua_tolstring(L, index, &length);
  if (text == NULL) return false;
  latch_charge(L, length);
  return lua_stringtonumber(L, text) == length + 1;
}

/// Upvalue 1 is the index in `operations`.
static int operate(lua_State *L) {
  int i = (int)lua_tointeger(L, lua_upvalueindex(1));
  lua_settop(L, 2);
  if (push_number(L, 1) && push_number(L, 2)) {
    lua_arith(L, operations[i].operation);
    return 1;
  }
  lua_settop(L, 2);
  // The metamethod of a string comes first, even if the other operand has one.
  if (lua_type(L, 2) == LUA_TSTRING || !luaL_getmetafield(L, 2, operations[i].event)) {
    return luaL_error(L, "attempt to %s a '%s' with a '%s'", operations[i].event + 2,
      luaL_typename(L, 1), luaL_typename(L, 2));
  }
  lua_insert(L, 1);
  lua_call(L, 2, 1);
  return 1;
}

void latch_add_string_arithmetic(lua_State *L) {
  for (int i = 0; i < (int)(sizeof operations / sizeof *operations); i++) {
    lua_pushinteger(L, i);
    lua_pushcclosure(L, operate, 1);
    lua_setfield(L, -2, operations[i].event);
  }
}
