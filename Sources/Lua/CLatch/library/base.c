/// The base library, as far as a sandbox has it: without load and the functions of the collector.

#include <string.h>

#include "library/library.h"

/// Raises the value on top, as an error that a script raises on purpose; errors of the prelude do
/// not count as such.
static int raise(lua_State *L) {
  lua_Debug frame;
  bool has_caller = lua_getstack(L, 1, &frame) && lua_getinfo(L, "Sl", &frame);
  // The compiled code of the prelude has no line numbers.
  bool is_prelude = has_caller && *frame.what != 'C' &&
                    (frame.currentline < 1 || strcmp(frame.source, LATCH_PRELUDE_CHUNK) == 0);
  latch_of(L)->is_raised = !is_prelude;
  return lua_error(L);
}

static int base_assert(lua_State *L) {
  if (lua_toboolean(L, 1)) {
    latch_charge_arguments(L);
    return lua_gettop(L);
  }
  luaL_checkany(L, 1);
  lua_remove(L, 1);
  lua_pushliteral(L, "assertion failed!");
  lua_settop(L, 1);  // the message, or the default if there is none
  if (lua_type(L, 1) == LUA_TSTRING) {
    luaL_where(L, 1);
    lua_insert(L, 1);
    lua_concat(L, 2);
  }
  return raise(L);
}

static int base_error(lua_State *L) {
  int level = (int)latch_opt_integer(L, 2, 1);
  lua_settop(L, 1);
  if (lua_type(L, 1) == LUA_TSTRING && level > 0) {
    luaL_where(L, level);
    lua_insert(L, 1);
    lua_concat(L, 2);
  }
  return raise(L);
}

static int base_type(lua_State *L) {
  luaL_checkany(L, 1);
  lua_pushstring(L, luaL_typename(L, 1));
  return 1;
}

static int base_tostring(lua_State *L) {
  luaL_checkany(L, 1);
  latch_tolstring(L, 1, NULL);
  return 1;
}

static int base_select(lua_State *L) {
  int count = lua_gettop(L);
  latch_charge_arguments(L);
  if (lua_type(L, 1) == LUA_TSTRING && *lua_tostring(L, 1) == '#') {
    lua_pushinteger(L, count - 1);
    return 1;
  }
  lua_Integer first = latch_check_integer(L, 1);
  if (first < 0) {
    first += count;
  } else if (first > count) {
    first = count;
  }
  luaL_argcheck(L, first >= 1, 1, "index out of range");
  return count - (int)first;
}

// MARK: tonumber

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  return 99;
}

/// Reads a numeral of that base that is the whole text; blanks around it are allowed, and numbers
/// that are too large wrap around.
static bool read_numeral(const char *p, const char *end, int base, lua_Integer *value) {
  while (p < end && is_blank(*p)) p++;
  bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) p++;
  if (p == end || digit_value(*p) >= base) return false;
  lua_Unsigned number = 0;
  while (p < end && digit_value(*p) < base) {
    number = number * (lua_Unsigned)base + (lua_Unsigned)digit_value(*p++);
  }
  while (p < end && is_blank(*p)) p++;
  *value = (lua_Integer)(negative ? 0u - number : number);
  return p == end;
}

static int base_tonumber(lua_State *L) {
  size_t length;
  if (lua_isnoneornil(L, 2)) {
    luaL_checkany(L, 1);
    if (lua_type(L, 1) == LUA_TNUMBER) {
      lua_settop(L, 1);
      return 1;
    }
    if (lua_type(L, 1) == LUA_TSTRING) {
      const char *text = lua_tolstring(L, 1, &length);
      latch_charge(L, length);
      if (lua_stringtonumber(L, text) == length + 1) return 1;
    }
  } else {
    lua_Integer base = latch_check_integer(L, 2), value;
    luaL_checktype(L, 1, LUA_TSTRING);
    const char *text = lua_tolstring(L, 1, &length);
    luaL_argcheck(L, base >= 2 && base <= 36, 2, "base out of range");
    latch_charge(L, length);
    if (read_numeral(text, text + length, (int)base, &value)) {
      lua_pushinteger(L, value);
      return 1;
    }
  }
  lua_pushnil(L);
  return 1;
}

const luaL_Reg latch_base_functions[] = {
  {"assert", base_assert},
  {"error", base_error},
  {"getmetatable", latch_base_getmetatable},
  {"ipairs", latch_base_ipairs},
  {"next", latch_base_next},
  {"pairs", latch_base_pairs},
  {"pcall", latch_base_pcall},
  {"rawequal", latch_base_rawequal},
  {"rawget", latch_base_rawget},
  {"rawlen", latch_base_rawlen},
  {"rawset", latch_base_rawset},
  {"select", base_select},
  {"setmetatable", latch_base_setmetatable},
  {"tonumber", base_tonumber},
  {"tostring", base_tostring},
  {"type", base_type},
  {"xpcall", latch_base_xpcall},
  {NULL, NULL},
};
