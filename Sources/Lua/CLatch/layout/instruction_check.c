/// Checks that instructions are as expected: runs known code under a hook that reads it.

#include <string.h>

#include "layout/layout.h"

/// Each line does one thing that is examined, with these five as its locals number 1 to 5.
static const char code[] =
  "local check, a, b, t, r = ...\n"
  "r = a == b\n"
  "r = a < b\n"
  "r = a <= b\n"
  "r = a == \"a text that is longer than any that Lua keeps as a short one\"\n"
  "r = t[a]\n"
  "t[a] = r\n"
  "r = t.name\n"
  "t.name = r\n"
  "r = t[3]\n"
  "t[3] = r\n"
  "r = name\n"
  "name = r\n"
  "for i = 1, a do end\n"
  "t:a_name_that_is_longer_than_any_that_Lua_keeps_as_a_short_one()\n";

static const char LONG_TEXT[] = "a text that is longer than any that Lua keeps as a short one";
static const char LONG_NAME[] = "a_name_that_is_longer_than_any_that_Lua_keeps_as_a_short_one";

enum { A = 2, B = 3, TABLE = 4 };

static const struct {
  latch_instruction_kind kind;
  const char *first, *second;
  bool in_upvalue;
  int table;
} expected[] = {
  {LATCH_EQUALS, "1", "2", false, 0},
  {LATCH_ORDERS, "1", "2", false, 0},
  {LATCH_ORDERS, "1", "2", false, 0},
  {LATCH_EQUALS, "1", LONG_TEXT, false, 0},
  {LATCH_READS, "1", NULL, false, TABLE},
  {LATCH_WRITES, "1", NULL, false, TABLE},
  {LATCH_READS, NULL, NULL, false, TABLE},
  {LATCH_WRITES, NULL, NULL, false, TABLE},
  {LATCH_READS, NULL, NULL, false, TABLE},
  {LATCH_WRITES, NULL, NULL, false, TABLE},
  {LATCH_READS, NULL, NULL, true, 1},
  {LATCH_WRITES, NULL, NULL, true, 1},
  {LATCH_COUNTS, "1", NULL, false, 0},
  {LATCH_READS, LONG_NAME, NULL, false, TABLE},
};

enum { EXPECTED = sizeof expected / sizeof *expected };

typedef struct {
  int seen;
  bool differs;
} layout_check;

static bool is_text(latch_text_operand found, const char *text) {
  if (text == NULL) return found.bytes == NULL;
  return found.bytes != NULL && found.length == strlen(text) &&
         memcmp(found.bytes, text, found.length) == 0;
}

static void compare(lua_State *L, lua_Debug *frame) {
  if (lua_getlocal(L, frame, 1) == NULL) return;
  layout_check *check = lua_touserdata(L, -1);
  lua_pop(L, 1);
  if (check == NULL) return;  // the locals have no values yet
  latch_instruction found = latch_read_instruction(L, frame);
  if (found.kind == LATCH_OTHER) return;
  int i = check->seen++;
  if (i >= EXPECTED || found.kind != expected[i].kind || found.table != expected[i].table ||
      found.in_upvalue != expected[i].in_upvalue || !is_text(found.first, expected[i].first) ||
      !is_text(found.second, expected[i].second)) {
    check->differs = true;
  }
}

/// Two functions that need no hook, and some that do.
static const char functions[] =
  "local up\n"
  "return function(s, a) if s.n > a[1] then s.n = a.n + 1 end return not s.n, 'text' end,\n"
  "  function() end,\n"
  "  function(s) return up end, function(s) return s.f() end, function(s) return s:f() end,\n"
  "  function(s) while s.n do s.n = 1 end end, function(s) for i = 1, 2 do s.n = i end end,\n"
  "  function(s) return s.n .. s.n end, function(s) return n end, function(...) end,\n"
  "  function(s) return {} end, function(s) return function() end end\n";

enum { WITHOUT_HOOK = 2, FUNCTIONS = 12 };

/// Functions that only look up fields in their second argument, and some that do more.
static const char readers[] =
  "local up\n"
  "return function(s, a) s.n = a.n + a[s.n] if a.b then s.t = { a.c, a.d } end return a.x.y end,\n"
  "  function(s) s.a = s local t = { s, n = up } return t end,\n"
  "  function(s, a) for i = a.n, 2 do s.f(i, a.b, 'text' .. a.c) end up = a.n end,\n"
  "  function(s, a) s.a = a end, function(s, a) a.b = 1 end, function(s, a) up = a end,\n"
  "  function(s, a) return a end, function(s, a) return s, a end, function(s, a) s.f(a) end,\n"
  "  function(s, a) return a:f() end, function(s, a) return function() return a end end,\n"
  "  function(s, a) local b = a b.c = 1 end, function(s, a) return { a } end,\n"
  "  function(s, a) return s[a] end, function(s, a) return a + 1 end,\n"
  "  function(s, a) a[1] = 2 end, function(s, a) s[a] = 1 end, function(s, a) return a == s end,\n"
  "  function(s, a) return #a end, function(s, a) for k in a do end end,\n"
  "  function(s, a) return s.b or a end, function(s, a) s.b = s.c .. a end,\n"
  "  function(s, a) return -a end, function(s, a) return s < a end,\n"
  "  function(s, a) local b <close> = a end, function(s, a) s:f(a) end, function(s, ...) end,\n"
  "  function(s, a) return s.f(a) end, function(s, a) n = a end, function(s, a) return 1 + a end,\n"
  "  function(s, a) for i = a, 2 do end end, function(s, a) return { n = a } end\n";

enum { ONLY_READ = 3, READERS = 32 };

static bool only_reads_second(lua_State *L, int index) { return latch_only_reads(L, index, 2); }

/// Two functions that only read the fields `n` and `m` of their argument, and some that read two
/// and do more.
static const char conditions[] =
  "local up, t = 1, {}\n"
  "return function(s) return s.n >= s.m end,\n"
  "  function(s) if s.n == 'text' then return not s.m, up end return s.n - 1 > 2 end,\n"
  "  function(s, a) return s.n > s.m end, function(s) return s, s.n, s.m end,\n"
  "  function(s) return s.n[1] > s.m end, function(s) return s.n.m, s.m end,\n"
  "  function(s) return #s.n, s.m end, function(s) return s[s.n], s.m end,\n"
  "  function(s) local r = s return r.n, r.m end, function(s) s.n = s.m end,\n"
  "  function(s) return s:n(s.m) end, function(s) return f(s.n, s.m) end,\n"
  "  function(s) return t.n == s.n, s.m end, function(s) s = s.n return s.m end,\n"
  "  function(s) return s.n .. s.m end, function(s) return t, s.n, s.m end,\n"
  "  function(...) local s = ... return s.n, s.m end, function(s) return { s.n, s.m } end,\n"
  "  function(s) return function() return s.n, s.m end end,\n"
  "  function(s) while s.n do if s.m then break end end end,\n"
  "  function(s) return s.n == s, s.m end, function(s) return -s, s.n, s.m end,\n"
  "  function(s) return s + s.n, s.m end, function(s) return s < s.n, s.m end,\n"
  "  function(s) up = s.n return s.m end, function(s) t.n = s.n return s.m end,\n"
  "  function(s) return s.n, s.m, n end, function(s) for i = s.n, s.m do end end,\n"
  "  function(s) return s.n and s.m or s end, function(s) return s == 1, s.n, s.m end\n";

enum { READ_FIELDS = 2, CONDITIONS = 30 };

static bool reads_two_fields(lua_State *L, int index) {
  uint32_t fields[LATCH_MOST_FIELDS];
  return latch_fields_read(L, index, fields) == 2 && fields[0] == latch_field_of("n", 1) &&
         fields[1] == latch_field_of("m", 1);
}

/// True if `is_such` holds for exactly the first `few` of the `count` functions that the text
/// returns.
static bool can_tell_apart(
  lua_State *L, const char *text, int count, int few, bool (*is_such)(lua_State *L, int index)) {
  int top = lua_gettop(L);
  if (luaL_loadbufferx(L, text, strlen(text), "=check", "t") != LUA_OK) lua_error(L);
  lua_call(L, 0, LUA_MULTRET);
  bool fine = lua_gettop(L) - top == count;
  for (int i = 1; i <= count && fine; i++) fine = is_such(L, top + i) == (i <= few);
  lua_settop(L, top);
  return fine;
}

static int nothing(lua_State *L) {
  (void)L;
  return 0;
}

static int run_code(lua_State *L) {
  layout_check *check = lua_touserdata(L, 1);
  luaL_checkstack(L, 2 * READERS, NULL);
  check->differs =
    !can_tell_apart(L, functions, FUNCTIONS, WITHOUT_HOOK, latch_runs_without_hook) ||
    !can_tell_apart(L, readers, READERS, ONLY_READ, only_reads_second) ||
    !can_tell_apart(L, conditions, CONDITIONS, READ_FIELDS, reads_two_fields);
  if (luaL_loadbufferx(L, code, sizeof code - 1, "=check", "t") != LUA_OK) return lua_error(L);
  lua_pushlightuserdata(L, check);
  lua_pushliteral(L, "1");
  lua_pushliteral(L, "2");
  lua_createtable(L, 0, 2);
  lua_pushcfunction(L, nothing);
  lua_setfield(L, -2, LONG_NAME);
  lua_sethook(L, compare, LUA_MASKCOUNT, 1);
  lua_call(L, 4, 0);
  return 0;
}

int latch_check_instructions(void) {
  lua_State *L = luaL_newstate();
  if (L == NULL) return 0;
  layout_check check = {0, false};
  lua_pushcfunction(L, run_code);
  lua_pushlightuserdata(L, &check);
  int status = lua_pcall(L, 1, 0, 0);
  lua_close(L);
  if (status == LUA_ERRMEM) return 0;
  return status == LUA_OK && !check.differs && check.seen == EXPECTED ? 1 : -1;
}
