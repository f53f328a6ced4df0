/// The simple functions of `string`, and the table of the library. Bytes are ASCII in every locale.
/// There is no string.dump: a script never sees bytecode.

#include <limits.h>
#include <string.h>

#include "library/text.h"

static int string_len(lua_State *L) {
  size_t length;
  luaL_checklstring(L, 1, &length);
  lua_pushinteger(L, (lua_Integer)length);
  return 1;
}

static int string_sub(lua_State *L) {
  size_t length;
  const char *bytes = luaL_checklstring(L, 1, &length);
  size_t first = latch_range_start(latch_check_integer(L, 2), length);
  size_t last = latch_range_end(latch_opt_integer(L, 3, -1), length);
  size_t count = first <= last ? last - first + 1 : 0;
  latch_charge(L, count);
  lua_pushlstring(L, count > 0 ? bytes + first - 1 : "", count);
  return 1;
}

/// Pushes the string at 1 with each byte changed by `rewrite`.
static int rewritten(lua_State *L, void (*rewrite)(char *to, const char *from, size_t length)) {
  size_t length;
  const char *bytes = luaL_checklstring(L, 1, &length);
  latch_text text;
  latch_text_open(&text, L);
  rewrite(latch_text_reserve(&text, length), bytes, length);
  text.length = length;
  latch_text_push(&text);
  return 1;
}

static void write_lower(char *to, const char *from, size_t length) {
  for (size_t i = 0; i < length; i++) {
    to[i] = from[i] >= 'A' && from[i] <= 'Z' ? (char)(from[i] + 32) : from[i];
  }
}

static void write_upper(char *to, const char *from, size_t length) {
  for (size_t i = 0; i < length; i++) {
    to[i] = from[i] >= 'a' && from[i] <= 'z' ? (char)(from[i] - 32) : from[i];
  }
}

static void write_reverse(char *to, const char *from, size_t length) {
  for (size_t i = 0; i < length; i++) to[i] = from[length - 1 - i];
}

static int string_lower(lua_State *L) { return rewritten(L, write_lower); }
static int string_upper(lua_State *L) { return rewritten(L, write_upper); }
static int string_reverse(lua_State *L) { return rewritten(L, write_reverse); }

static int string_byte(lua_State *L) {
  size_t length;
  const char *bytes = luaL_checklstring(L, 1, &length);
  lua_Integer position = latch_opt_integer(L, 2, 1);
  size_t first = latch_range_start(position, length);
  size_t last = latch_range_end(latch_opt_integer(L, 3, position), length);
  if (first > last) return 0;
  size_t count = last - first + 1;
  if (count > LATCH_MOST_VALUES) return luaL_error(L, "string slice too long");
  latch_charge_elements(L, count);
  latch_check_stack(L, (int)count, "string slice too long");
  for (size_t i = 0; i < count; i++) {
    lua_pushinteger(L, (unsigned char)bytes[first - 1 + i]);
  }
  return (int)count;
}

static void add_byte(latch_text *text, lua_Unsigned code) { latch_text_byte(text, (char)code); }

static int string_char(lua_State *L) { return latch_text_of_codes(L, UCHAR_MAX, add_byte); }

static int string_rep(lua_State *L) {
  size_t length, separator_length;
  const char *bytes = luaL_checklstring(L, 1, &length);
  lua_Integer count = latch_check_integer(L, 2);
  const char *separator = luaL_optlstring(L, 3, "", &separator_length);
  size_t unit = length + separator_length;
  if (count <= 0 || unit == 0) {
    lua_pushliteral(L, "");
    return 1;
  }
  if ((lua_Unsigned)count > LATCH_LONGEST_STRING / unit) {
    return luaL_error(L, "resulting string too large");
  }
  size_t total = unit * (size_t)count - separator_length;
  latch_text text;
  latch_text_open(&text, L);
  char *to = latch_text_reserve(&text, total);
  memcpy(to, bytes, length);
  size_t done = length;
  if (total > done) {
    memcpy(to + done, separator, separator_length);
    done += separator_length;
  }
  // The text so far is the start of the result, which repeats `unit`, so appending the text to
  // itself is right.
  while (done < total) {
    size_t more = done < total - done ? done : total - done;
    memcpy(to + done, to, more);
    done += more;
  }
  text.length = total;
  latch_text_push(&text);
  return 1;
}

int latch_open_string(lua_State *L) {
  static const luaL_Reg functions[] = {
    {"byte", string_byte},
    {"char", string_char},
    {"find", latch_string_find},
    {"format", latch_string_format},
    {"gmatch", latch_string_gmatch},
    {"gsub", latch_string_gsub},
    {"len", string_len},
    {"lower", string_lower},
    {"match", latch_string_match},
    {"pack", latch_string_pack},
    {"packsize", latch_string_packsize},
    {"rep", string_rep},
    {"reverse", string_reverse},
    {"sub", string_sub},
    {"unpack", latch_string_unpack},
    {"upper", string_upper},
    {NULL, NULL},
  };
  latch_find_pack(L);
  luaL_newlib(L, functions);
  return 1;
}
