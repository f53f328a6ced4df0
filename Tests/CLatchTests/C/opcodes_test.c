/// Instructions that do more than others: what each charges, and that nothing else is taken for one
/// of them. An argument makes it tell of every case.

#include <stdio.h>
#include <string.h>

#include "host.h"

/// A script that does the same `times` over, and the least that each time has to be charged: what
/// it does, in thousands of the machine's instructions, over 20.
typedef struct {
  const char *name, *prepare, *repeat;
  int64_t times, least;
} test_cost;

#define GROWN                                                                                      \
  "local big = {} for i = 1, 200000 do big[i] = i end "                                            \
  "local function grow(...) return select('#', ...) end grow(table.unpack(big)) "
#define CHAIN(count)                                                                               \
  "local t = function() return 1 end "                                                             \
  "for i = 1, " #count " do t = setmetatable({}, { __call = t }) end "
#define LATER(count)                                                                               \
  "local t = function() return 1 end for i = 1, " #count " do "                                    \
  "local m = { __call = type } local next_one = t t = setmetatable({}, m) "                       \
  "m.__call = next_one end "

static const test_cost costs[] = {
  {"a chain of __call", CHAIN(150), "t()", 5000, 10},
  {"a chain of __call that was linked later", LATER(150), "t()", 5000, 10},
  {"a chain of __call in a tail call", CHAIN(150) "local function f() return t() end ", "f()",
   5000, 10},
  {"a chain of __call in pcall", CHAIN(150), "pcall(t)", 5000, 10},
  {"a chain of __call as an iterator", CHAIN(150), "for x in t do break end", 5000, 10},
  {"a chain of __call behind __add", CHAIN(150) "local a = setmetatable({}, { __add = t }) ",
   "local x = a + a", 5000, 10},
  {"a chain of __call behind __unm", CHAIN(150) "local a = setmetatable({}, { __unm = t }) ",
   "local x = -a", 5000, 10},
  {"a chain of __call behind __len", CHAIN(150) "local a = setmetatable({}, { __len = t }) ",
   "local x = #a", 5000, 10},
  {"a chain of __call behind __concat", CHAIN(150) "local a = setmetatable({}, { __concat = t }) ",
   "local x = a .. 'x'", 5000, 10},
  {"a chain of __call behind __eq",
   CHAIN(150) "local m = { __eq = t } local a, b = setmetatable({}, m), setmetatable({}, m) ",
   "local x = a == b", 5000, 10},
  {"a chain of __call behind __lt", CHAIN(150) "local a = setmetatable({}, { __lt = t }) ",
   "local x = a < 1", 5000, 10},
  {"a chain of __call behind __close", CHAIN(150) "local a = setmetatable({}, { __close = t }) ",
   "do local x <close> = a end", 5000, 5},
  {"a chain of __call behind __tostring",
   "local t = function() return '' end for i = 1, 150 do t = setmetatable({}, { __call = t }) end "
   "local a = setmetatable({}, { __tostring = t }) ",
   "tostring(a)", 5000, 5},
  {"a chain of __call while sorting",
   "local t = function() return false end "
   "for i = 1, 150 do t = setmetatable({}, { __call = t }) end local m = { __lt = t } "
   "local list = {} for i = 1, 100 do list[i] = setmetatable({}, m) end ",
   "table.sort(list)", 20, 1000},
  {"a chain of __call between arrays that are made",
   CHAIN(150) "local row = {} for i = 1, 700 do row[i] = i end ",
   "for i = 1, 220 do t() end local x = { table.unpack(row) }", 100, 20000},
  {"a chain of __call in step with the hook", CHAIN(150) "local x = 0 ",
   "t() t() for i = 1, 984 do x = i end", 3000, 30},
  {"a full hash beside a large array",
   "local t = {} for i = 1, 100000 do t[i] = i end "
   "for i = 0, 3 do t['k' .. i] = 1 end local k = 0 ",
   "t['k' .. k % 97] = nil t['k' .. (k + 4) % 97] = 1 k = k + 1", 5000, 500},
  {"a full hash beside a large array, assigned to through another table",
   "local t = {} for i = 1, 100000 do t[i] = i end "
   "for i = 0, 3 do t['k' .. i] = 1 end local k = 0 "
   "local p = setmetatable({}, { __newindex = t }) ",
   "t['k' .. k % 97] = nil p['k' .. (k + 4) % 97] = 1 k = k + 1", 5000, 500},
  {"a full hash beside a large array, assigned to in C",
   "local t = {} for i = 1, 100000 do t[i] = i end "
   "for i = 0, 3 do t[-i] = 1 end local k = 0 local one = { 1 } ",
   "t[-(k % 97)] = nil table.move(one, 1, 1, -((k + 4) % 97), t) k = k + 1", 5000, 500},
  {"numbers that come together only in the next hash",
   "", "local m, t = (1 << 17) - 1, {} for i = 1, (1 << 16) + 1 do t[i * m] = 1 end", 1, 20000000},
  {"a number among numbers that belong in the same slot",
   "local t = {} for i = 1, 3000 do t[1 + i * 2.0 ^ -50] = true end local k = 1 + 2.0 ^ -36 ",
   "local x = t[k]", 20000, 20},
  {"pairs of numbers that belong in the same slot",
   "local t = {} for i = 1, 3000 do t[1 + i * 2.0 ^ -50] = true end local k = 1 + 2.0 ^ -36 "
   "for i = 1, 20000 do local x = t[k] end ",
   "for x in pairs(t) do break end", 5, 20000},
  {"many results handed on",
   "local big = {} for i = 1, 100000 do big[i] = i end "
   "local function hand(n) if n == 0 then return table.unpack(big) end return 1, hand(n - 1) end ",
   "hand(2000)", 3, 1000000},
  {"errors deep down",
   "local function deep(n, f) if n > 0 then return 1 + deep(n - 1, f) end f() return 0 end "
   "local go = coroutine.wrap(function() deep(50000, function() "
   "while true do coroutine.yield() pcall(error) end end) end) go() ",
   "go()", 5000, 50},
};

/// Scripts that are allowed, although some look like attacks.
static const struct {
  const char *name, *text;
} fine[] = {
  {"buffers that grow",
   "for _, n in ipairs { 1000, 5000, 20000, 100000, 1000000 } do "
   "  local z = ('x'):rep(n) "
   "  assert(#string.pack('s4s4s4', z, z, z) == 3 * n + 12) "
   "  assert(#string.pack('s4s4s4s4s4s4s4', z, z, z, z, z, z, z) == 7 * n + 28) "
   "  assert(#string.pack('zzz', z, z, z) == 3 * n + 3) "
   "  assert(#('%s%s%s%s'):format(z, z, z, z) == 4 * n) "
   "  assert(#table.concat({ z, z, z, z, z }, z) == 9 * n) "
   "  assert(#('a'):rep(9, z) == 9 + 8 * n) "
   "  assert(#('abc'):gsub('.', z) == 3 * n) "
   "  assert(#(z .. z .. z .. z) == 4 * n) "
   "  assert(#string.format('%q', z) > n) "
   "  assert(#z:upper():lower():reverse() == n) "
   "end"},
  {"rows of values that grow",
   "for _, n in ipairs { 100, 700, 1500, 6000, 20000, 100000 } do "
   "  local t = {} for i = 1, n do t[i] = i % 100 end "
   "  local function count(...) return select('#', ...) end "
   "  local function hand(...) return ... end "
   "  assert(count(table.unpack(t)) == n) "
   "  assert(count(hand(hand(table.unpack(t)))) == n) "
   "  assert(#table.pack(table.unpack(t)) == n) "
   "  assert(#{ table.unpack(t) } == n) "
   "  assert(#utf8.char(table.unpack(t)) == n) "
   "  assert(#string.char(table.unpack(t)) == n) "
   "  assert(select('#', select(2, table.unpack(t))) == n - 1) "
   "  assert(count(pcall(hand, table.unpack(t))) == n + 1) "
   "  assert(count(pcall(pcall, pcall, hand, table.unpack(t))) == n + 3) "
   "  local co = coroutine.wrap(function(...) while true do coroutine.yield(...) end end) "
   "  assert(count(co(table.unpack(t))) == n) "
   "  assert(count(coroutine.wrap(table.unpack)(t)) == n) "
   "  assert(count(xpcall(hand, type, table.unpack(t))) == n + 1) "
   "  if n <= 6000 then assert(count(('x'):rep(n):byte(1, -1)) == n) end "
   "end"},
  {"classes and what they call",
   "local C = {} C.__index = C "
   "setmetatable(C, { __call = function(class, n) return setmetatable({ n = n }, class) end }) "
   "local sum = 0 for i = 1, 50000 do sum = sum + C(i).n end assert(sum == 1250025000)"},
  {"a short chain of __call",
   "local t = function(...) return select('#', ...) end "
   "for i = 1, 10 do t = setmetatable({}, { __call = t }) end "
   "for i = 1, 10000 do assert(t(1, 2) == 12) end"},
  {"recursion with metatables",
   "local m = { __index = { one = 1 } } "
   "local function f(n) if n == 0 then return 0 end return setmetatable({}, m).one + f(n - 1) end "
   "for i = 1, 10 do assert(f(5000) == 5000) end"},
  {"large maps of numbers and texts",
   "local t, u = {}, {} for i = 1, 100000 do t[i * 1000003] = i u['k' .. i] = i end "
   "for i = 1, 100000 do t[i * 0.37] = i t[-i] = i end assert(t[1000003] == 1 and u.k7 == 7)"},
  {"many small tables beside a large array",
   "local t = {} for i = 1, 200000 do t[i] = { id = i, name = 'x' } end assert(#t == 200000)"},
  {"many functions", "for i = 1, 100000 do local f = function() return i end end"},
};

enum { MOST_TEXT = 16 << 10 };

static latch_status run(const char *text, int64_t budget, int64_t *used) {
  latch_vm *vm = test_open((size_t)256 << 20);
  latch_status status =
    test_run(vm, text, strlen(text), "@opcodes.lua", (latch_run){LATCH_SCRIPT, budget});
  *used = latch_instructions_used(vm);
  if (status != LATCH_OK && status != LATCH_LIMIT) printf("%s\n", test_message(vm));
  latch_close(vm);
  return status;
}

/// The number of instructions charged for a script that repeats something so often; the whole
/// budget if it reaches the limit.
static int64_t charged(const test_cost *test, int64_t times, int64_t budget) {
  char text[2 * MOST_TEXT];
  int64_t used;
  snprintf(text, sizeof text, "%s for i_ = 1, %lld do %s end", test->prepare, (long long)times,
           test->repeat);
  return run(text, budget, &used) == LATCH_LIMIT ? budget : used;
}

/// A function with so many upvalues, which are locals of the one that makes it.
static void make_closures(char *prepare, char *repeat, int upvalues) {
  *prepare = 0;
  strcpy(repeat, "local f = function() return 0");
  for (int i = 0; i < upvalues; i++) {
    sprintf(prepare + strlen(prepare), "local a%d = %d ", i, i);
    sprintf(repeat + strlen(repeat), " + a%d", i);
  }
  strcat(repeat, " end");
}

static bool is_charged(const test_cost *test, bool verbose) {
  int64_t budget = 1000000000, base = charged(test, 0, budget);
  int64_t most = base + test->times * test->least;
  bool good = charged(test, test->times, most) == most;
  if (verbose || !good) {
    printf("%s %s: %lld of %lld for %lld\n", good ? "ok  " : "FAIL", test->name,
           (long long)(charged(test, test->times, budget) - base),
           (long long)(test->times * test->least), (long long)test->times);
  }
  return good;
}

int main(int count, char **arguments) {
  (void)arguments;
  setvbuf(stdout, NULL, _IOLBF, 0);
  int failures = 0, total = 0;
  for (size_t i = 0; i < sizeof costs / sizeof *costs; i++, total++) {
    if (!is_charged(&costs[i], count > 1)) failures++;
  }
  char prepare[MOST_TEXT], repeat[MOST_TEXT];
  make_closures(prepare, repeat, 180);
  test_cost closures = {"a function with many upvalues", prepare, repeat, 5000, 20};
  total++;
  if (!is_charged(&closures, count > 1)) failures++;
  for (size_t i = 0; i < sizeof fine / sizeof *fine; i++, total++) {
    int64_t used, again;
    latch_status status = run(fine[i].text, 1000000000, &used);
    run(fine[i].text, 1000000000, &again);
    bool good = status == LATCH_OK && used == again;
    if (count > 1 || !good) {
      printf("%s %s: status %d, %lld instructions, %lld again\n", good ? "ok  " : "FAIL",
             fine[i].name, status, (long long)used, (long long)again);
    }
    if (!good) failures++;
  }
  printf("opcodes: %d cases, %d failures\n", total, failures);
  return failures == 0 ? 0 : 1;
}
