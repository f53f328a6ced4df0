/// string.pack, unpack and packsize (manual, section 6.4.2). "Native" means the same everywhere:
/// little-endian, 2, 4 and 8 bytes for short, int and the rest, alignment up to 8.

#include <limits.h>
#include <string.h>

#include "library/text.h"

enum { LARGEST_INTEGER = 16, NATIVE_ALIGNMENT = 8 };

typedef enum {
  OPTION_SIGNED,
  OPTION_UNSIGNED,
  OPTION_FLOAT,
  OPTION_DOUBLE,
  OPTION_FIXED,
  OPTION_COUNTED,
  OPTION_ZERO_ENDED,
  OPTION_PADDING,
  OPTION_ALIGN,
  OPTION_NOTHING,
} latch_option;

/// A walk over a format. `total` is how much the options before have taken.
typedef struct {
  lua_State *L;
  const char *p;
  bool little;
  int alignment;
  size_t total;
} latch_format;

/// One option: how many bytes it takes itself, and how many come before it for alignment.
typedef struct {
  latch_option kind;
  size_t size, padding;
} latch_item;

static void open_format(lua_State *L, latch_format *format) {
  size_t length;
  const char *text = luaL_checklstring(L, 1, &length);
  latch_charge_elements(L, length);
  *format = (latch_format){L, text, true, 1, 0};
}

// MARK: Reading the format

static bool has_digit(const latch_format *format) { return *format->p >= '0' && *format->p <= '9'; }

/// The number at the cursor, or `otherwise`.
static size_t read_number(latch_format *format, size_t otherwise) {
  if (!has_digit(format)) return otherwise;
  size_t value = 0;
  do {
    value = value * 10 + (size_t)(*format->p++ - '0');
  } while (has_digit(format) && value <= (INT_MAX - 9) / 10);
  return value;
}

/// A size of 1 to 16 bytes.
static size_t read_size(latch_format *format, size_t otherwise) {
  size_t size = read_number(format, otherwise);
  if (size < 1 || size > LARGEST_INTEGER) {
    luaL_error(
      format->L, "integral size (%d) out of limits [1,%d]", (int)size, (int)LARGEST_INTEGER);
  }
  return size;
}

/// Reads one option letter with its size, and follows it if it sets something.
static latch_item read_option(latch_format *format) {
  char letter = *format->p++;
  switch (letter) {
    case 'b': return (latch_item){OPTION_SIGNED, 1, 0};
    case 'B': return (latch_item){OPTION_UNSIGNED, 1, 0};
    case 'h': return (latch_item){OPTION_SIGNED, 2, 0};
    case 'H': return (latch_item){OPTION_UNSIGNED, 2, 0};
    case 'l':
    case 'j': return (latch_item){OPTION_SIGNED, 8, 0};
    case 'L':
    case 'J':
    case 'T': return (latch_item){OPTION_UNSIGNED, 8, 0};
    case 'i': return (latch_item){OPTION_SIGNED, read_size(format, 4), 0};
    case 'I': return (latch_item){OPTION_UNSIGNED, read_size(format, 4), 0};
    case 'f': return (latch_item){OPTION_FLOAT, 4, 0};
    case 'd':
    case 'n': return (latch_item){OPTION_DOUBLE, 8, 0};
    case 's': return (latch_item){OPTION_COUNTED, read_size(format, 8), 0};
    case 'c':
      if (!has_digit(format)) luaL_error(format->L, "missing size for format option 'c'");
      return (latch_item){OPTION_FIXED, read_number(format, 0), 0};
    case 'z': return (latch_item){OPTION_ZERO_ENDED, 0, 0};
    case 'x': return (latch_item){OPTION_PADDING, 1, 0};
    case 'X': return (latch_item){OPTION_ALIGN, 0, 0};
    case ' ': break;
    case '<':
    case '=': format->little = true; break;
    case '>': format->little = false; break;
    case '!': format->alignment = (int)read_size(format, NATIVE_ALIGNMENT); break;
    default: luaL_error(format->L, "invalid format option '%c'", letter);
  }
  return (latch_item){OPTION_NOTHING, 0, 0};
}

/// Reads the next option and works out its alignment.
static latch_item next_item(latch_format *format) {
  latch_item item = read_option(format);
  size_t alignment = item.size;
  if (item.kind == OPTION_ALIGN) {
    latch_item aligned = {OPTION_NOTHING, 0, 0};
    if (*format->p != 0) aligned = read_option(format);
    alignment = aligned.size;
    if (aligned.kind == OPTION_FIXED || alignment == 0) {
      luaL_argerror(format->L, 1, "invalid next option for option 'X'");
    }
  }
  bool is_number = item.kind <= OPTION_DOUBLE;
  bool aligns = is_number || item.kind == OPTION_COUNTED || item.kind == OPTION_ALIGN;
  if (!aligns || alignment <= 1) return item;
  if (alignment > (size_t)format->alignment) alignment = (size_t)format->alignment;
  if ((alignment & (alignment - 1)) != 0) {
    luaL_argerror(format->L, 1, "format asks for alignment not power of 2");
  }
  item.padding = (alignment - (format->total & (alignment - 1))) & (alignment - 1);
  return item;
}

// MARK: Bytes of numbers

/// Writes the low bytes of `value`; a size above 8 is filled up with the sign.
static void write_integer(
  latch_text *text, bool little, lua_Unsigned value, size_t size, bool negative) {
  char *to = latch_text_reserve(text, size);
  for (size_t i = 0; i < size; i++) {
    unsigned byte = i < 8 ? (unsigned)(value >> (8 * i)) & 255 : negative ? 255 : 0;
    to[little ? i : size - 1 - i] = (char)byte;
  }
  text->length += size;
}

static lua_Integer read_integer(
  lua_State *L, const char *from, bool little, size_t size, bool is_signed) {
  lua_Unsigned value = 0;
  size_t low = size < 8 ? size : 8;
  for (size_t i = 0; i < low; i++) {
    value |= (lua_Unsigned)(unsigned char)from[little ? i : size - 1 - i] << (8 * i);
  }
  if (size < 8 && is_signed) {
    lua_Unsigned sign = (lua_Unsigned)1 << (8 * size - 1);
    value = (value ^ sign) - sign;
  }
  int fill = is_signed && (lua_Integer)value < 0 ? 255 : 0;
  for (size_t i = 8; i < size; i++) {
    if ((unsigned char)from[little ? i : size - 1 - i] != fill) {
      luaL_error(L, "%d-byte integer does not fit into Lua Integer", (int)size);
    }
  }
  return (lua_Integer)value;
}

static void write_float(latch_text *text, bool little, latch_option kind, lua_Number number) {
  lua_Unsigned bits = 0;
  if (kind == OPTION_FLOAT) {
    float narrow = (float)number;
    uint32_t narrow_bits;
    memcpy(&narrow_bits, &narrow, 4);
    bits = narrow_bits;
  } else {
    memcpy(&bits, &number, 8);
  }
  write_integer(text, little, bits, kind == OPTION_FLOAT ? 4 : 8, false);
}

static lua_Number read_float(lua_State *L, const char *from, bool little, latch_option kind) {
  lua_Integer bits = read_integer(L, from, little, kind == OPTION_FLOAT ? 4 : 8, false);
  if (kind == OPTION_FLOAT) {
    uint32_t narrow_bits = (uint32_t)bits;
    float narrow;
    memcpy(&narrow, &narrow_bits, 4);
    return narrow;
  }
  lua_Number number;
  memcpy(&number, &bits, 8);
  return number;
}

// MARK: pack

static void pack_integer(
  lua_State *L, latch_text *text, bool little, latch_item item, int argument) {
  lua_Integer value = latch_check_integer(L, argument);
  if (item.size < 8 && item.kind == OPTION_SIGNED) {
    lua_Integer limit = (lua_Integer)1 << (8 * item.size - 1);
    luaL_argcheck(L, -limit <= value && value < limit, argument, "integer overflow");
  } else if (item.size < 8) {
    lua_Unsigned limit = (lua_Unsigned)1 << (8 * item.size);
    luaL_argcheck(L, (lua_Unsigned)value < limit, argument, "unsigned overflow");
  }
  bool negative = item.kind == OPTION_SIGNED && value < 0;
  write_integer(text, little, (lua_Unsigned)value, item.size, negative);
}

/// Packs a string. Gives the bytes that it took beyond `item.size`.
static size_t pack_string(
  lua_State *L, latch_text *text, bool little, latch_item item, int argument) {
  size_t length;
  const char *bytes = luaL_checklstring(L, argument, &length);
  switch (item.kind) {
    case OPTION_FIXED:
      luaL_argcheck(L, length <= item.size, argument, "string longer than given size");
      latch_text_add(text, bytes, length);
      latch_text_fill(text, 0, item.size - length);
      return 0;
    case OPTION_COUNTED:
      luaL_argcheck(L, item.size >= sizeof(size_t) || length < (size_t)1 << (8 * item.size),
        argument, "string length does not fit in given size");
      write_integer(text, little, length, item.size, false);
      latch_text_add(text, bytes, length);
      return length;
    default:
      luaL_argcheck(L, memchr(bytes, 0, length) == NULL, argument, "string contains zeros");
      latch_text_add(text, bytes, length);
      latch_text_byte(text, 0);
      return length + 1;
  }
}

int latch_string_pack(lua_State *L) {
  latch_format format;
  open_format(L, &format);
  int argument = 1;
  lua_pushnil(L);  // one value that is no argument: a missing one is seen as such
  latch_text text;
  latch_text_open(&text, L);
  while (*format.p != 0) {
    latch_item item = next_item(&format);
    latch_text_fill(&text, 0, item.padding);
    format.total += item.padding + item.size;
    switch (item.kind) {
      case OPTION_SIGNED:
      case OPTION_UNSIGNED: pack_integer(L, &text, format.little, item, ++argument); break;
      case OPTION_FLOAT:
      case OPTION_DOUBLE:
        write_float(&text, format.little, item.kind, latch_check_number(L, ++argument));
        break;
      case OPTION_FIXED:
      case OPTION_COUNTED:
      case OPTION_ZERO_ENDED:
        format.total += pack_string(L, &text, format.little, item, ++argument);
        break;
      case OPTION_PADDING: latch_text_byte(&text, 0); break;
      case OPTION_ALIGN:
      case OPTION_NOTHING: break;
    }
  }
  latch_text_push(&text);
  return 1;
}

int latch_string_packsize(lua_State *L) {
  latch_format format;
  open_format(L, &format);
  while (*format.p != 0) {
    latch_item item = next_item(&format);
    bool varies = item.kind == OPTION_COUNTED || item.kind == OPTION_ZERO_ENDED;
    luaL_argcheck(L, !varies, 1, "variable-length format");
    size_t size = item.padding + item.size;
    luaL_argcheck(L, format.total <= (size_t)INT_MAX - size, 1, "format result too large");
    format.total += size;
  }
  lua_pushinteger(L, (lua_Integer)format.total);
  return 1;
}

// MARK: unpack

int latch_string_unpack(lua_State *L) {
  latch_format format;
  open_format(L, &format);
  size_t length;
  const char *data = luaL_checklstring(L, 2, &length);
  size_t position = latch_range_start(latch_opt_integer(L, 3, 1), length) - 1;
  luaL_argcheck(L, position <= length, 3, "initial position out of string");
  int count = 0;
  while (*format.p != 0) {
    format.total = position;
    latch_item item = next_item(&format);
    size_t left = length - position;
    luaL_argcheck(
      L, item.padding <= left && item.size <= left - item.padding, 2, "data string too short");
    position += item.padding;
    const char *from = data + position;
    latch_check_stack(L, 2, "too many results");
    count++;
    switch (item.kind) {
      case OPTION_SIGNED:
      case OPTION_UNSIGNED:
        lua_pushinteger(
          L, read_integer(L, from, format.little, item.size, item.kind == OPTION_SIGNED));
        break;
      case OPTION_FLOAT:
      case OPTION_DOUBLE: lua_pushnumber(L, read_float(L, from, format.little, item.kind)); break;
      case OPTION_FIXED:
        latch_charge(L, item.size);
        lua_pushlstring(L, from, item.size);
        break;
      case OPTION_COUNTED: {
        size_t counted = (size_t)read_integer(L, from, format.little, item.size, false);
        luaL_argcheck(L, counted <= length - position - item.size, 2, "data string too short");
        latch_charge(L, counted);
        lua_pushlstring(L, from + item.size, counted);
        position += counted;
        break;
      }
      case OPTION_ZERO_ENDED: {
        const char *zero = memchr(from, 0, length - position);
        size_t counted = zero == NULL ? length - position : (size_t)(zero - from);
        latch_charge(L, counted);
        luaL_argcheck(L, zero != NULL, 2, "unfinished string for format 'z'");
        lua_pushlstring(L, from, counted);
        position += counted + 1;
        break;
      }
      case OPTION_PADDING:
      case OPTION_ALIGN:
      case OPTION_NOTHING: count--; break;
    }
    position += item.size;
  }
  lua_pushinteger(L, (lua_Integer)position + 1);
  return count + 1;
}
