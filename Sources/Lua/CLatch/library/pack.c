/// string.pack, unpack and packsize (manual, section 6.4.2): Lua's own, charged by the most that
/// the format can require. "Native" means the same on every machine.

#include <string.h>

#include "library/originals.h"

_Static_assert(
  __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && sizeof(long) == 8 && sizeof(size_t) == 8,
  "string.pack gives native sizes the same meaning on all machines");

enum { PACK, UNPACK, PACKSIZE, COUNT };

static const char *const NAMES[COUNT] = {"pack", "unpack", "packsize"};

/// The functions of Lua.
static lua_CFunction originals[COUNT];

/// The most bytes of an option with its padding, unless it is a string.
enum { MOST_PER_OPTION = 32 };

typedef struct {
  size_t length;
  int values;     ///< the most values to pack or unpack
  size_t fixed;   ///< the bytes of its strings of a fixed length
  bool has_ends;  ///< the end of one of its strings is searched for
} latch_format;

/// Reads the format, which is the first argument, and charges for it.
static latch_format read_format(lua_State *L) {
  latch_format format = {0};
  const char *p = luaL_checklstring(L, 1, &format.length), *end = p + format.length;
  latch_charge_elements(L, format.length);
  for (; p < end; p++) {
    if (strchr(" <>=!xX0123456789", *p) == NULL) format.values++;
    if (*p == 'z') format.has_ends = true;
    if (*p != 'c') continue;
    size_t size = 0;
    while (p + 1 < end && p[1] >= '0' && p[1] <= '9' && size <= LATCH_LONGEST_STRING) {
      size = size * 10 + (size_t)(*++p - '0');
    }
    if (format.fixed <= LATCH_LONGEST_STRING) format.fixed += size;
  }
  return format;
}

int latch_string_pack(lua_State *L) {
  latch_format format = read_format(L);
  size_t size = format.fixed;
  for (int i = lua_gettop(L); i > 1 && size <= LATCH_LONGEST_STRING; i--) {
    if (lua_type(L, i) == LUA_TSTRING) size += lua_rawlen(L, i);
  }
  if (size > LATCH_LONGEST_STRING) return luaL_error(L, "resulting string too large");
  latch_charge(L, size);
  latch_make_room(L, size + MOST_PER_OPTION * format.length);
  return originals[PACK](L);
}

int latch_string_packsize(lua_State *L) {
  read_format(L);
  return originals[PACKSIZE](L);
}

/// Unpacks in a protected call, since Lua may search all of the data for the end of a string and
/// not find it. Returns the number of results, or -1 if it has failed; then nothing is left on the
/// stack.
static int try_to_unpack(lua_State *L, int arguments) {
  lua_pushcfunction(L, originals[UNPACK]);
  for (int i = 1; i <= arguments; i++) lua_pushvalue(L, i);
  if (lua_pcall(L, arguments, LUA_MULTRET, 0) == LUA_OK) return lua_gettop(L) - arguments;
  lua_settop(L, arguments);
  return -1;
}

int latch_string_unpack(lua_State *L) {
  latch_format format = read_format(L);
  size_t length;
  luaL_checklstring(L, 2, &length);
  lua_settop(L, 3);
  size_t start = latch_range_start(latch_opt_integer(L, 3, 1), length);
  latch_check_stack(L, format.values + LUA_MINSTACK, "too many results");
  int results = format.has_ends ? try_to_unpack(L, 3) : originals[UNPACK](L);
  if (results < 0) {
    if (start <= length) latch_charge(L, length - start + 1);
    return originals[UNPACK](L);  // raises the same error again
  }
  // The amount is known only now. It is at most the length of the data.
  latch_charge(L, (size_t)lua_tointeger(L, -1) - start);
  return results;
}

void latch_find_pack(lua_State *L) {
  static const latch_originals WANTED = {luaopen_string, NAMES, originals, COUNT};
  latch_find_originals(L, &WANTED);
}
