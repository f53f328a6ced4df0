/// The `utf8` library: Lua's own, with each byte that is visited charged for. Exceptions are
/// `codes`, since the result of Lua's for a text that begins in the middle of a character differs
/// from release to release, and `char`, since Lua's builds a long result in memory that the
/// collector does not count.

#include "library/originals.h"
#include "library/text.h"

enum { CODEPOINT, LEN, OFFSET, COUNT };

static const char *const NAMES[COUNT] = {"codepoint", "len", "offset"};

/// The functions of Lua.
static lua_CFunction originals[COUNT];

/// The cost of each byte that is visited.
enum { UNITS_PER_BYTE = 4 };

static const lua_Unsigned LARGEST_CODE = 0x7FFFFFFF;

/// A position counted from 1; negative ones count from the end, and 0 is before the string.
static lua_Integer absolute(lua_Integer position, size_t length) {
  if (position >= 0) return position;
  if (position < -(lua_Integer)length) return 0;
  return (lua_Integer)length + position + 1;
}

static void add_code(latch_text *text, lua_Unsigned code) {
  lua_pushfstring(text->L, "%U", (unsigned long)code);
  latch_text_value(text);
}

static int utf8_char(lua_State *L) { return latch_text_of_codes(L, LARGEST_CODE, add_code); }

static int utf8_len(lua_State *L) {
  size_t length;
  luaL_checklstring(L, 1, &length);
  lua_Integer first = absolute(latch_opt_integer(L, 2, 1), length);
  lua_Integer last = absolute(latch_opt_integer(L, 3, -1), length);
  bool fine = first >= 1 && last <= (lua_Integer)length;  // otherwise Lua raises an error
  if (fine && last >= first) latch_charge(L, UNITS_PER_BYTE * (size_t)(last - first + 1));
  return originals[LEN](L);
}

static int utf8_codepoint(lua_State *L) {
  size_t length;
  luaL_checklstring(L, 1, &length);
  lua_Integer first = absolute(latch_opt_integer(L, 2, 1), length);
  lua_Integer last = absolute(latch_opt_integer(L, 3, first), length);
  if (first >= 1 && last >= first && last <= (lua_Integer)length) {
    if (last - first >= LATCH_MOST_VALUES) return luaL_error(L, "string slice too long");
    latch_charge_elements(L, (uint64_t)(last - first + 1));
    latch_check_stack(L, (int)(last - first) + LUA_MINSTACK, "string slice too long");
  }
  return originals[CODEPOINT](L);
}

static int utf8_offset(lua_State *L) {
  size_t length;
  luaL_checklstring(L, 1, &length);
  lua_Integer count = latch_check_integer(L, 2);
  lua_Integer start = latch_opt_integer(L, 3, count >= 0 ? 1 : (lua_Integer)length + 1);
  start = absolute(start, length);
  int results = originals[OFFSET](L);
  // The distance is known only now. It is at most the length of the text.
  lua_Integer outside = count > 0 ? (lua_Integer)length + 1 : 1;
  lua_Integer end = lua_isnil(L, -1) ? outside : lua_tointeger(L, -1);
  latch_charge(L, UNITS_PER_BYTE * (size_t)(end > start ? end - start : start - end));
  return results;
}

// MARK: codes

static bool continues(char byte) { return ((unsigned char)byte & 0xC0) == 0x80; }

/// (text, position): returns the position and the code of the next character.
static int next_code(lua_State *L, bool lax) {
  size_t length;
  const char *bytes = luaL_checklstring(L, 1, &length);
  lua_Unsigned place = (lua_Unsigned)lua_tointeger(L, 2), start = place;
  if (place >= length) return 0;
  while (continues(bytes[place])) place++;  // a 0 follows the last byte of a string
  latch_charge(L, UNITS_PER_BYTE * (size_t)(place - start));
  if (place >= length) return 0;
  lua_settop(L, 1);
  lua_pushinteger(L, (lua_Integer)place + 1);
  lua_pushvalue(L, 2);
  lua_pushboolean(L, lax);
  originals[CODEPOINT](L);
  lua_pushvalue(L, 2);
  lua_insert(L, -2);
  return 2;
}

static int next_strict_code(lua_State *L) { return next_code(L, false); }
static int next_lax_code(lua_State *L) { return next_code(L, true); }

static int utf8_codes(lua_State *L) {
  bool lax = lua_toboolean(L, 2);
  luaL_checkstring(L, 1);
  lua_pushcfunction(L, lax ? next_lax_code : next_strict_code);
  lua_pushvalue(L, 1);
  lua_pushinteger(L, 0);
  return 3;
}

int latch_open_utf8(lua_State *L) {
  static const luaL_Reg functions[] = {
    {"char", utf8_char},
    {"codepoint", utf8_codepoint},
    {"codes", utf8_codes},
    {"len", utf8_len},
    {"offset", utf8_offset},
    {NULL, NULL},
  };
  static const char pattern[] = "[\0-\x7F\xC2-\xFD][\x80-\xBF]*";
  static const latch_originals WANTED = {luaopen_utf8, NAMES, originals, COUNT};
  latch_find_originals(L, &WANTED);
  luaL_newlib(L, functions);
  lua_pushlstring(L, pattern, sizeof pattern - 1);
  lua_setfield(L, -2, "charpattern");
  return 1;
}
