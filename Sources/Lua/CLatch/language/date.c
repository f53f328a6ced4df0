/// date and born: times as years, months and days, in UTC.
///
/// The calendar is the Gregorian one, also for times before its introduction. Everything depends
/// only on the number, not on a time zone or a table of the machine. Days are counted from the
/// first of March of the year 0, so that a leap day is the last of its year (Howard Hinnant,
/// "chrono-Compatible Low-Level Date Algorithms").

#include <math.h>

#include "language/language.h"

enum { DAY = 86400, DAYS_TO_1970 = 719468, FIRST_YEAR = 1, LAST_YEAR = 9999 };

/// From the first second of the first year to the last second of the last one, since 1970.
static const lua_Integer FIRST = -62135596800, LAST = 253402300799;

typedef struct {
  lua_Integer year;
  int month, day;
} latch_day;

static lua_Integer floor_of(lua_Integer number, lua_Integer by) {
  return number / by - (number % by < 0);
}

/// Returns the day with that number since 1970.
static latch_day day_of(lua_Integer days) {
  days += DAYS_TO_1970;
  lua_Integer era = floor_of(days, 146097);
  unsigned inside = (unsigned)(days - era * 146097);
  unsigned year = (inside - inside / 1460 + inside / 36524 - inside / 146096) / 365;
  unsigned rest = inside - (365 * year + year / 4 - year / 100);
  unsigned month = (5 * rest + 2) / 153;
  int in_calendar = (int)(month < 10 ? month + 3 : month - 9);
  return (latch_day){(lua_Integer)year + era * 400 + (in_calendar <= 2), in_calendar,
    (int)(rest - (153 * month + 2) / 5) + 1};
}

/// Returns the number of a day since 1970.
static lua_Integer days_to(latch_day day) {
  lua_Integer year = day.year - (day.month <= 2);
  lua_Integer era = floor_of(year, 400);
  unsigned inside = (unsigned)(year - era * 400);
  unsigned month = (unsigned)(day.month > 2 ? day.month - 3 : day.month + 9);
  unsigned rest = (153 * month + 2) / 5 + (unsigned)day.day - 1;
  return era * 146097 + (lua_Integer)(inside * 365 + inside / 4 - inside / 100 + rest) -
         DAYS_TO_1970;
}

static int last_day_of(lua_Integer year, int month) {
  latch_day next = {month == 12 ? year + 1 : year, month == 12 ? 1 : month + 1, 1};
  return (int)(days_to(next) - days_to((latch_day){year, month, 1}));
}

/// Returns the whole seconds of the time at `index`.
static lua_Integer take_time(lua_State *L, int index, const char *what) {
  if (lua_type(L, index) == LUA_TNUMBER) {
    lua_Number time = lua_tonumber(L, index);
    // NaN fails both comparisons.
    if (time >= (lua_Number)FIRST && time < (lua_Number)LAST + 1) {
      return lua_isinteger(L, index) ? lua_tointeger(L, index) : (lua_Integer)floor(time);
    }
  }
  bool is_text = lua_type(L, index) == LUA_TSTRING;
  return latch_raise(L,
    "%s%s takes seconds since 1970, in the years %d to %d, such as born() + now(), not %s",
    latch_push_script_place(L, ""), what, FIRST_YEAR, LAST_YEAR,
    is_text ? latch_push_quoted(L, index) : latch_tolstring(L, index, NULL));
}

enum { FIELDS = 8, INSTRUCTIONS_PER_DATE = 20 };

static void set(lua_State *L, const char *name, lua_Integer value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, name);
}

/// (date, seconds)
static int date(lua_State *L) {
  lua_settop(L, 2);
  lua_Integer time = take_time(L, 2, "date");
  latch_charge_instructions(L, INSTRUCTIONS_PER_DATE);
  lua_Integer days = floor_of(time, DAY), second = time - days * DAY;
  latch_day day = day_of(days);
  lua_createtable(L, 0, FIELDS);
  set(L, "year", day.year);
  set(L, "month", day.month);
  set(L, "day", day.day);
  set(L, "hour", second / 3600);
  set(L, "min", second / 60 % 60);
  set(L, "sec", second % 60);
  set(L, "wday", days + 4 - floor_of(days + 4, 7) * 7 + 1);
  set(L, "yday", days - days_to((latch_day){day.year, 1, 1}) + 1);
  return 1;
}

static lua_Integer take_months(lua_State *L, int index) {
  int is_whole = 0;
  lua_Integer months = 0;
  if (lua_type(L, index) == LUA_TNUMBER) months = lua_tointegerx(L, index, &is_whole);
  if (!is_whole) {
    latch_raise(L, "%sdate.add_months takes a whole number of months, not %s",
      latch_push_script_place(L, ""), latch_tolstring(L, index, NULL));
  }
  return months;
}

/// (seconds, months)
static int add_months(lua_State *L) {
  lua_settop(L, 2);
  lua_Integer time = take_time(L, 1, "date.add_months");
  lua_Integer months = take_months(L, 2), most = 12 * (LAST_YEAR + 1);
  latch_charge_instructions(L, INSTRUCTIONS_PER_DATE);
  lua_Integer days = floor_of(time, DAY);
  latch_day day = day_of(days);
  if (months >= -most && months <= most) {
    lua_Integer month = day.year * 12 + day.month - 1 + months;
    latch_day then = {floor_of(month, 12), (int)(month - floor_of(month, 12) * 12) + 1, 1};
    if (then.year >= FIRST_YEAR && then.year <= LAST_YEAR) {
      int last = last_day_of(then.year, then.month);
      then.day = day.day < last ? day.day : last;
      lua_Integer moved = (days_to(then) - days) * DAY;
      if (lua_isinteger(L, 1)) lua_pushinteger(L, lua_tointeger(L, 1) + moved);
      else lua_pushnumber(L, lua_tonumber(L, 1) + (lua_Number)moved);
      return 1;
    }
  }
  return latch_raise(L,
    "%sdate.add_months: %s months after the year %I is outside of the years %d to %d",
    latch_push_script_place(L, ""), latch_tolstring(L, 2, NULL), (LUAI_UACINT)day.year, FIRST_YEAR,
    LAST_YEAR);
}

int latch_birth(lua_State *L) {
  if (latch_of(L)->phase == LATCH_LOADING) {
    return latch_raise(L, "%sborn() can be called once the flow has loaded: each case has its own",
      latch_push_script_place(L, ""));
  }
  lua_settop(L, 0);
  return latch_ask_host(L, LATCH_HOST_BORN);
}

void latch_add_date(lua_State *L, int globals) {
  globals = lua_absindex(L, globals);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, add_months);
  lua_setfield(L, -2, "add_months");
  latch_freeze_shallow(L);
  lua_getmetatable(L, -1);
  lua_pushcfunction(L, date);
  lua_setfield(L, -2, "__call");
  lua_pop(L, 1);
  lua_setfield(L, globals, "date");
}
