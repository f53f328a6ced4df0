/// Durations as text: `3d`, `1h30m`, `150ms`.
///
/// One or several parts, the longer units first and each unit at most once; a part is a number and
/// its unit, without signs and blanks. Only the last part may have a fraction.

#include <math.h>
#include <string.h>

#include "value/value.h"

/// The most digits of a part, before the point and after it: the result is exact.
enum { MOST_DIGITS = 9 };

typedef struct {
  const char *name;
  double seconds;
} latch_unit;

static const latch_unit UNITS[] = {
  {"w", 604800}, {"d", 86400}, {"h", 3600}, {"m", 60}, {"s", 1}, {"ms", 0.001}};
enum { UNIT_COUNT = sizeof UNITS / sizeof *UNITS };

/// Reads digits. Returns their number, or -1 for too many.
static int read_digits(const char **cursor, const char *end, double *value) {
  int count = 0;
  for (*value = 0; *cursor < end && **cursor >= '0' && **cursor <= '9'; ++*cursor) {
    if (++count > MOST_DIGITS) return -1;
    *value = *value * 10 + (**cursor - '0');
  }
  return count;
}

/// The unit of that name, from `from` on, or UNIT_COUNT.
static int find_unit(int from, const char *name, size_t length) {
  while (from < UNIT_COUNT &&
         (strlen(UNITS[from].name) != length || memcmp(UNITS[from].name, name, length) != 0)) {
    from++;
  }
  return from;
}

bool latch_read_duration(const char *text, size_t length, double *seconds) {
  const char *cursor = text, *end = text + length;
  bool has_fraction = false;
  *seconds = 0;
  for (int unit = 0; cursor < end; unit++) {
    double whole, fraction = 0;
    if (has_fraction || read_digits(&cursor, end, &whole) < 1) return false;
    if (cursor < end && *cursor == '.') {
      cursor++;
      int digits = read_digits(&cursor, end, &fraction);
      if (digits < 1) return false;
      fraction /= pow(10, digits);
      has_fraction = true;
    }
    const char *name = cursor;
    while (cursor < end && *cursor >= 'a' && *cursor <= 'z') cursor++;
    unit = find_unit(unit, name, (size_t)(cursor - name));
    if (unit == UNIT_COUNT) return false;
    *seconds += (whole + fraction) * UNITS[unit].seconds;
  }
  return length > 0;
}

const char *latch_what_seconds_are(bool is_text) {
  return is_text ? "0 or more seconds, or a string such as \"1h30m\" (of w, d, h, m, s and ms)"
                 : "0 or more seconds";
}

bool latch_to_seconds(lua_State *L, int index, lua_Number *seconds) {
  size_t length;
  switch (lua_type(L, index)) {
    case LUA_TNUMBER:
      *seconds = lua_tonumber(L, index);
      return *seconds >= 0 && *seconds != HUGE_VAL;
    case LUA_TSTRING: {
      const char *text = lua_tolstring(L, index, &length);
      return latch_read_duration(text, length, seconds);
    }
    default: return false;
  }
}
