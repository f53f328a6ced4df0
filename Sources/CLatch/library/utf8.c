/// The `utf8` library, with every byte that is walked over charged.

#include <limits.h>

#include "library/text.h"

enum { LONGEST_SEQUENCE = 6 };
static const uint32_t LARGEST_CODE = 0x7FFFFFFF;

static bool continues(unsigned char byte) { return (byte & 0xC0) == 0x80; }

/// Reads the code that starts at `p`. Gives the place behind it, or NULL if the bytes are no UTF-8.
/// Strict: neither surrogates nor anything above U+10FFFF.
static const char *decode(const char *p, const char *end, bool strict, uint32_t *code) {
  static const uint32_t smallest[LONGEST_SEQUENCE + 1] = {
    0, 0, 0x80, 0x800, 0x10000, 0x200000, 0x4000000};
  unsigned char first = (unsigned char)*p;
  if (first < 0x80) {
    *code = first;
    return p + 1;
  }
  int length = 0;
  while (length < 8 && (first & (0x80 >> length)) != 0) length++;
  if (length < 2 || length > LONGEST_SEQUENCE || length > end - p) return NULL;
  uint32_t value = first & (0x7F >> length);
  for (int i = 1; i < length; i++) {
    if (!continues((unsigned char)p[i])) return NULL;
    value = value << 6 | ((unsigned char)p[i] & 0x3F);
  }
  if (value < smallest[length]) return NULL;
  if (strict && (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))) return NULL;
  *code = value;
  return p + length;
}

/// Writes the code and gives the number of bytes.
static int encode(uint32_t code, char bytes[LONGEST_SEQUENCE]) {
  if (code < 0x80) {
    bytes[0] = (char)code;
    return 1;
  }
  int length = 2;
  while (length < LONGEST_SEQUENCE && code >> (5 * length + 1) != 0) length++;
  for (int i = length - 1; i > 0; i--) {
    bytes[i] = (char)(0x80 | (code & 0x3F));
    code >>= 6;
  }
  bytes[0] = (char)((0xFF00 >> length) | code);
  return length;
}

/// A place counted from 1; negative ones count from the end, and 0 is before the string.
static lua_Integer absolute(lua_Integer position, size_t length) {
  if (position >= 0) return position;
  if (position < -(lua_Integer)length) return 0;
  return (lua_Integer)length + position + 1;
}

// MARK: Functions

static int utf8_char(lua_State *L) {
  int count = lua_gettop(L);
  latch_charge_arguments(L);
  latch_text text;
  latch_text_open(&text, L);
  for (int i = 1; i <= count; i++) {
    lua_Unsigned code = (lua_Unsigned)latch_check_integer(L, i);
    luaL_argcheck(L, code <= LARGEST_CODE, i, "value out of range");
    char bytes[LONGEST_SEQUENCE];
    latch_text_add(&text, bytes, (size_t)encode((uint32_t)code, bytes));
  }
  latch_text_push(&text);
  return 1;
}

static int utf8_len(lua_State *L) {
  size_t length;
  const char *bytes = luaL_checklstring(L, 1, &length);
  lua_Integer first = absolute(latch_opt_integer(L, 2, 1), length);
  lua_Integer last = absolute(latch_opt_integer(L, 3, -1), length);
  bool strict = !lua_toboolean(L, 4);
  luaL_argcheck(
    L, 1 <= first && first <= (lua_Integer)length + 1, 2, "initial position out of bounds");
  luaL_argcheck(L, last <= (lua_Integer)length, 3, "final position out of bounds");
  if (last >= first) latch_charge(L, 4 * (size_t)(last - first + 1));
  lua_Integer count = 0;
  const char *p = bytes + first - 1;
  while (p - bytes < last) {
    uint32_t code;
    const char *next = decode(p, bytes + length, strict, &code);
    if (next == NULL) {
      lua_pushnil(L);
      lua_pushinteger(L, p - bytes + 1);
      return 2;
    }
    p = next;
    count++;
  }
  lua_pushinteger(L, count);
  return 1;
}

static int utf8_codepoint(lua_State *L) {
  size_t length;
  const char *bytes = luaL_checklstring(L, 1, &length);
  lua_Integer first = absolute(latch_opt_integer(L, 2, 1), length);
  lua_Integer last = absolute(latch_opt_integer(L, 3, first), length);
  bool strict = !lua_toboolean(L, 4);
  luaL_argcheck(L, first >= 1, 2, "out of bounds");
  luaL_argcheck(L, last <= (lua_Integer)length, 3, "out of bounds");
  if (first > last) return 0;
  if (last - first >= LATCH_MOST_VALUES) return luaL_error(L, "string slice too long");
  latch_charge_elements(L, (uint64_t)(last - first + 1));
  latch_check_stack(L, (int)(last - first + 1), "string slice too long");
  int count = 0;
  for (const char *p = bytes + first - 1; p - bytes < last; count++) {
    uint32_t code;
    p = decode(p, bytes + length, strict, &code);
    if (p == NULL) return luaL_error(L, "invalid UTF-8 code");
    lua_pushinteger(L, code);
  }
  return count;
}

/// Moves to the start of the sequence before or behind; both stop at the string's ends.
static lua_Integer step_back(const char *bytes, lua_Integer place) {
  do {
    place--;
  } while (place > 0 && continues((unsigned char)bytes[place]));
  return place;
}

static lua_Integer step_on(const char *bytes, lua_Integer place) {
  do {
    place++;
  } while (continues((unsigned char)bytes[place]));  // a string's last byte is followed by a 0
  return place;
}

static int utf8_offset(lua_State *L) {
  size_t length;
  const char *bytes = luaL_checklstring(L, 1, &length);
  lua_Integer count = latch_check_integer(L, 2);
  lua_Integer otherwise = count >= 0 ? 1 : (lua_Integer)length + 1;
  lua_Integer place = absolute(latch_opt_integer(L, 3, otherwise), length) - 1;
  luaL_argcheck(L, 0 <= place && place <= (lua_Integer)length, 3, "position out of bounds");
  lua_Integer start = place;
  if (count == 0) {
    while (place > 0 && continues((unsigned char)bytes[place])) place--;
  } else if (continues((unsigned char)bytes[place])) {
    return luaL_error(L, "initial position is a continuation byte");
  }
  for (; count < 0 && place > 0; count++) place = step_back(bytes, place);
  if (count > 0) count--;
  for (; count > 0 && place < (lua_Integer)length; count--) place = step_on(bytes, place);
  latch_charge(L, 4 * (size_t)(place > start ? place - start : start - place));
  if (count == 0) {
    lua_pushinteger(L, place + 1);
  } else {
    lua_pushnil(L);
  }
  return 1;
}

static int next_code(lua_State *L, bool strict) {
  size_t length;
  const char *bytes = luaL_checklstring(L, 1, &length);
  lua_Unsigned place = (lua_Unsigned)lua_tointeger(L, 2), start = place;
  if (place >= length) return 0;
  while (continues((unsigned char)bytes[place])) place++;
  latch_charge(L, 4 * (size_t)(place - start));
  if (place >= length) return 0;
  uint32_t code;
  if (decode(bytes + place, bytes + length, strict, &code) == NULL) {
    return luaL_error(L, "invalid UTF-8 code");
  }
  lua_pushinteger(L, (lua_Integer)place + 1);
  lua_pushinteger(L, code);
  return 2;
}

static int next_strict_code(lua_State *L) { return next_code(L, true); }
static int next_lax_code(lua_State *L) { return next_code(L, false); }

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
  luaL_newlib(L, functions);
  lua_pushlstring(L, pattern, sizeof pattern - 1);
  lua_setfield(L, -2, "charpattern");
  return 1;
}
