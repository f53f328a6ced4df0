/// string.format, without `%p`: a script sees no addresses.
///
/// It does not use Lua's own string.format: that one shows the addresses of tables and functions,
/// and the sign of a NaN, which differs between processors; which specifications it refuses, and
/// with which messages, differs between releases of Lua; and it runs a script's __tostring while
/// its buffer, which the collector does not count, is on the C stack.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "library/text.h"

/// The longest specification, and space for the longest number: 99.99 digits of 1e308.
enum { LONGEST_SPECIFICATION = 20, LONGEST_NUMBER = 512 };

/// One `%...x` of the format: its text and its meaning.
typedef struct {
  char text[LONGEST_SPECIFICATION + 8];  ///< "%-5.2d", ended by 0
  char conversion;
  bool plain;  ///< nothing between the percent sign and the letter
  bool left;
  int width, precision;  ///< precision -1: not given
} latch_specification;

/// Reads what follows a percent sign. Returns the position after the letter.
static const char *read_specification(
  lua_State *L, latch_specification *spec, const char *p, const char *end) {
  static const char modifiers[] = "-+ #0123456789.";
  size_t length = 0;
  while (p + length < end && memchr(modifiers, p[length], sizeof modifiers - 1) != NULL) length++;
  if (length > LONGEST_SPECIFICATION) luaL_error(L, "invalid format (too long)");
  spec->plain = length == 0;
  spec->conversion = p + length < end ? p[length] : 0;
  spec->text[0] = '%';
  memcpy(spec->text + 1, p, length);
  spec->text[length + 1] = spec->conversion;
  spec->text[length + 2] = 0;
  return p + length + 1;
}

static const char *read_digits(const char *p, int *value) {
  *value = 0;
  for (int i = 0; i < 2 && *p >= '0' && *p <= '9'; i++) *value = *value * 10 + (*p++ - '0');
  return p;
}

/// Raises unless the specification has only these flags, a width of at most two digits, and, where
/// it has a meaning, a precision of at most two digits.
static void check(
  lua_State *L, latch_specification *spec, const char *flags, bool takes_precision) {
  const char *p = spec->text + 1;
  size_t count = strspn(p, flags);
  spec->left = memchr(p, '-', count) != NULL;
  p += count;
  spec->width = 0;
  spec->precision = -1;
  if (*p != '0') {
    p = read_digits(p, &spec->width);
    if (*p == '.' && takes_precision) p = read_digits(p + 1, &spec->precision);
  }
  if (*p != spec->conversion || p[1] != 0) {
    luaL_error(L, "invalid conversion specification: '%s'", spec->text);
  }
}

static void add_padded(
  latch_text *text, const latch_specification *spec, const char *bytes, size_t length) {
  size_t padding = (size_t)spec->width > length ? (size_t)spec->width - length : 0;
  if (!spec->left) latch_text_fill(text, ' ', padding);
  latch_text_add(text, bytes, length);
  if (spec->left) latch_text_fill(text, ' ', padding);
}

// The digits are on the C stack, and must not be there while a script's __tostring runs.
#define ON_ITS_OWN __attribute__((noinline))

ON_ITS_OWN static void add_integer(latch_text *text, latch_specification *spec, lua_Integer value) {
  // "%5d" becomes "%5lld": the length modifier goes in front of the letter.
  size_t length = strlen(spec->text);
  memcpy(spec->text + length - 1, "ll", 2);
  spec->text[length + 1] = spec->conversion;
  spec->text[length + 2] = 0;
  char digits[LONGEST_NUMBER];
  int count = snprintf(digits, sizeof digits, spec->text, (long long)value);
  latch_text_add(text, digits, (size_t)count);
}

ON_ITS_OWN static void add_number(
  latch_text *text, const latch_specification *spec, lua_Number value) {
  char digits[LONGEST_NUMBER];
  // The sign of a NaN differs between processors.
  int count = snprintf(digits, sizeof digits, spec->text, isnan(value) ? fabs(value) : value);
  // Computing the digits of a large number takes long: one instruction is charged for each.
  if (count > 0) latch_charge_instructions(text->L, count);
  latch_text_add(text, digits, (size_t)count);
}

static void add_string(latch_text *text, latch_specification *spec, int argument) {
  lua_State *L = text->L;
  size_t length;
  const char *bytes = latch_tolstring(L, argument, &length);
  if (!spec->plain) {
    luaL_argcheck(L, memchr(bytes, 0, length) == NULL, argument, "string contains zeros");
    check(L, spec, "-", true);
    if (spec->precision >= 0 && length > (size_t)spec->precision) length = (size_t)spec->precision;
    add_padded(text, spec, bytes, length);
  } else {
    latch_text_add(text, bytes, length);
  }
  lua_pop(L, 1);
}

// MARK: Literals

static void add_quoted(latch_text *text, const char *bytes, size_t length) {
  latch_text_byte(text, '"');
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)bytes[i];
    if (c == '"' || c == '\\' || c == '\n') {
      latch_text_byte(text, '\\');
      latch_text_byte(text, (char)c);
    } else if (c < 32 || c == 127) {
      bool digit_follows = i + 1 < length && bytes[i + 1] >= '0' && bytes[i + 1] <= '9';
      char escape[8];
      int count = snprintf(escape, sizeof escape, digit_follows ? "\\%03d" : "\\%d", c);
      latch_text_add(text, escape, (size_t)count);
    } else {
      latch_text_byte(text, (char)c);
    }
  }
  latch_text_byte(text, '"');
}

ON_ITS_OWN static void add_number_literal(latch_text *text, int argument) {
  char digits[LONGEST_NUMBER];
  int count;
  if (lua_isinteger(text->L, argument)) {
    long long value = lua_tointeger(text->L, argument);
    const char *form = value == LUA_MININTEGER ? "0x%llx" : "%lld";
    count = snprintf(digits, sizeof digits, form, value);
  } else {
    lua_Number value = lua_tonumber(text->L, argument);
    if (isnan(value)) {
      count = snprintf(digits, sizeof digits, "(0/0)");
    } else if (isinf(value)) {
      count = snprintf(digits, sizeof digits, value > 0 ? "1e9999" : "-1e9999");
    } else {
      count = snprintf(digits, sizeof digits, "%a", value);
    }
  }
  latch_text_add(text, digits, (size_t)count);
}

static void add_literal(latch_text *text, int argument) {
  lua_State *L = text->L;
  size_t length;
  switch (lua_type(L, argument)) {
    case LUA_TSTRING: {
      const char *bytes = lua_tolstring(L, argument, &length);
      add_quoted(text, bytes, length);
      break;
    }
    case LUA_TNUMBER: add_number_literal(text, argument); break;
    case LUA_TNIL:
    case LUA_TBOOLEAN: {
      const char *bytes = latch_tolstring(L, argument, &length);
      latch_text_add(text, bytes, length);
      lua_pop(L, 1);
      break;
    }
    default: luaL_argerror(L, argument, "value has no literal form");
  }
}

// MARK: Conversions

static void convert(latch_text *text, latch_specification *spec, int argument) {
  lua_State *L = text->L;
  switch (spec->conversion) {
    case 'c': {
      check(L, spec, "-", false);
      char byte = (char)latch_check_integer(L, argument);
      add_padded(text, spec, &byte, 1);
      break;
    }
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X': {
      lua_Integer value = latch_check_integer(L, argument);
      bool is_signed = spec->conversion == 'd' || spec->conversion == 'i';
      check(L, spec, is_signed ? "-+0 " : spec->conversion == 'u' ? "-0" : "-#0", true);
      add_integer(text, spec, value);
      break;
    }
    case 'a':
    case 'A':
      check(L, spec, "-+ #0", true);
      add_number(text, spec, latch_check_number(L, argument));
      break;
    case 'e':
    case 'E':
    case 'f':
    case 'g':
    case 'G': {
      lua_Number value = latch_check_number(L, argument);
      check(L, spec, "-+ #0", true);
      add_number(text, spec, value);
      break;
    }
    case 'p': luaL_error(L, "'%%p' is not available: a script sees no addresses"); break;
    case 'q':
      if (!spec->plain) luaL_error(L, "specifier '%%q' cannot have modifiers");
      add_literal(text, argument);
      break;
    case 's': add_string(text, spec, argument); break;
    default: luaL_error(L, "invalid conversion '%s' to 'format'", spec->text);
  }
}

int latch_string_format(lua_State *L) {
  int top = lua_gettop(L), argument = 1;
  size_t length;
  const char *p = luaL_checklstring(L, 1, &length), *end = p + length;
  latch_charge_arguments(L);
  latch_text text;
  latch_text_open(&text, L);
  while (p < end) {
    const char *percent = memchr(p, '%', (size_t)(end - p));
    if (percent == NULL) percent = end;
    latch_text_add(&text, p, (size_t)(percent - p));
    if (percent == end) break;
    p = percent + 1;
    if (p < end && *p == '%') {
      latch_text_byte(&text, *p++);
      continue;
    }
    if (++argument > top) return luaL_argerror(L, argument, "no value");
    latch_specification spec;
    p = read_specification(L, &spec, p, end);
    convert(&text, &spec, argument);
  }
  latch_text_push(&text);
  return 1;
}
