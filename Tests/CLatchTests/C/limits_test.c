/// Scripts that try to outlast, exhaust or escape: each must end in time and in the way said here,
/// at the same instruction every time, and the VM must answer a good script afterwards. An argument
/// makes it tell of every case.

#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "host.h"

typedef struct {
  const char *name;
  latch_status status;
  const char *text;
} test_case;

/// The result of coroutines inside coroutines: before 5.4.3 Lua did not count them as nested calls.
enum { NESTED_TOO_DEEPLY = LUA_VERSION_RELEASE_NUM < 50403 ? LATCH_LIMIT : LATCH_OK };

static const test_case cases[] = {
  // Patterns
  {"an exponential pattern", LATCH_LIMIT,
   "string.find(('a'):rep(26), ('a?'):rep(26)..('a'):rep(26)..'b')"},
  {"a cubic pattern", LATCH_LIMIT, "string.find(('a'):rep(3000), '.-.-b')"},
  {"a quadratic %b", LATCH_LIMIT, "string.find(('('):rep(300000), '%b()')"},
  {"a pattern with a huge set", LATCH_LIMIT,
   "string.find(('a'):rep(20000), '['..('b'):rep(20000)..']')"},
  {"a back reference to a long capture", LATCH_LIMIT,
   "string.find(('a'):rep(30000), '(.*)%1b')"},
  {"a long pattern of captures", LATCH_OK,
   "assert(not pcall(string.find, 'a', ('()'):rep(40)))"},
  {"a frontier pattern over and over", LATCH_LIMIT,
   "string.find(('a'):rep(100000), '%f['..('b'):rep(10000)..']')"},
  {"repetitive plain search", LATCH_LIMIT,
   "string.find(('a'):rep(400000), ('a'):rep(200000)..'b', 1, true)"},
  {"gsub in a loop", LATCH_LIMIT, "while true do ('x'):rep(1000):gsub('.', '%0%0') end"},
  {"gsub with an endless callback", LATCH_LIMIT,
   "string.gsub('x', 'x', function() while true do end end)"},
  {"gsub that grows", LATCH_LIMIT,
   "local s = 'xxxxxxxxxx' while true do s = s:gsub('x', '%0%0%0') end"},
  {"gmatch over nothing", LATCH_LIMIT,
   "while true do for _ in ('a'):rep(1000):gmatch('b') do end end"},
  {"pattern too complex is an error", LATCH_OK,
   "local ok, e = pcall(string.find, ('a'):rep(300), ('a?'):rep(250)) "
   "assert(not ok and e:find('too complex'), e)"},
  {"malformed patterns in a loop", LATCH_LIMIT,
   "while true do pcall(string.find, ('a'):rep(100), '.-.-[') end"},
  // Weak tables
  {"__mode set afterwards makes nothing weak", LATCH_OK,
   "for _, mode in ipairs { 'v', 'kv' } do "
   "  local m = {} local t = setmetatable({}, m) m.__mode = mode "
   "  for i = 1, 50 do t[i] = { i } end "
   "  for i = 1, 200000 do local _ = { i } end "
   "  assert(#t == 50, mode .. ' lost something') "
   "end"},
  // Long strings in one instruction
  {"long texts compared in a loop", LATCH_LIMIT,
   "local t = ('x'):rep(15000000) local a, b = t .. 'a', t .. 'b' while a ~= b do end"},
  {"long texts ordered in a loop", LATCH_LIMIT,
   "local t = ('x'):rep(15000000) local a, b = t .. 'a', t .. 'b' while a < b do end"},
  {"a long text against itself", LATCH_LIMIT,
   "local t = ('x'):rep(15000000) while t <= t do end"},
  {"a long key", LATCH_LIMIT,
   "local k = ('x'):rep(10000000) local a, b = k .. 'a', k .. 'a' local t = { [a] = true } "
   "while t[b] do end"},
  {"a long key assigned to", LATCH_LIMIT,
   "local k = ('x'):rep(10000000) local a, b = k .. 'a', k .. 'a' local t = { [a] = true } "
   "while true do t[b] = 1 end"},
  {"a long key in a chain of tables", LATCH_LIMIT,
   "local k = ('x'):rep(10000000) local a, b = k .. 'a', k .. 'b' local t = { [a] = true } "
   "for i = 1, 1900 do t = setmetatable({ [a] = true }, { __index = t }) end "
   "while not t[b] do end"},
  {"a key of some length in a chain of tables", LATCH_LIMIT,
   "local k = ('x'):rep(200000) local a, b = k .. 'a', k .. 'b' local t = { [a] = true } "
   "for i = 1, 1900 do t = setmetatable({ [a] = true }, { __index = t }) end "
   "while not t[b] do end"},
  {"a name in a chain of tables", LATCH_LIMIT,
   "local t = {} for i = 1, 1900 do t = setmetatable({}, { __index = t }) end "
   "while not t.x do end"},
  {"an assignment through a chain of tables", LATCH_LIMIT,
   "local t = {} for i = 1, 1900 do t = setmetatable({}, { __newindex = t }) end "
   "while true do t.x = nil end"},
  {"a long text as the limit of a loop", LATCH_LIMIT,
   "local s = (' '):rep(15000000) .. '1' while true do for i = 1, s do end end"},
  {"texts of some length", LATCH_LIMIT,
   "local t = ('x'):rep(250000) local a, b = t .. 'a', t .. 'b' while a ~= b do end"},
  {"texts of less length", LATCH_LIMIT,
   "local t = ('x'):rep(4000) local a, b = t .. 'a', t .. 'b' while a ~= b do end"},
  {"long texts in nested coroutines", LATCH_LIMIT,
   "local a, b local function nest(n) if n == 0 then local t = ('x'):rep(9000000) "
   "a, b = t .. 'a', t .. 'b' else coroutine.wrap(nest)(n - 1) end "
   "for i = 1, 400 do if a == b then return end end end nest(50)"},
  {"rawequal of long texts", LATCH_LIMIT,
   "local t = ('x'):rep(15000000) local a, b = t .. 'a', t .. 'b' while not rawequal(a, b) do end"},
  {"long texts of which the first byte differs", LATCH_OK,
   "local t = ('x'):rep(15000000) local a, b = 'a' .. t, 'b' .. t "
   "for i = 1, 100000 do assert(a ~= b and a < b) end"},
  {"a long text compared once", LATCH_OK,
   "local t = ('x'):rep(15000000) assert(t .. 'a' ~= t .. 'b' and t .. 'a' < t .. 'b')"},
  // Strings
  {"rep of nothing", LATCH_OK, "assert(string.rep('', 1000000000) == '')"},
  {"rep of much", LATCH_LIMIT, "string.rep('x', 1000000000)"},
  {"rep of too much", LATCH_OK,
   "local ok, e = pcall(string.rep, 'x', 1 << 50) assert(not ok and e:find('too large'), e)"},
  {"rep up to the memory", LATCH_MEMORY, "local s = string.rep('x', 100000000)"},
  {"rep in a loop", LATCH_LIMIT, "while true do local s = ('x'):rep(1000000) end"},
  {"rep at the memory limit in pcall", LATCH_MEMORY,
   "local keep = ('x'):rep(30000000) while true do pcall(string.rep, 'y', 20000000) end"},
  {"reverse, upper and sub in a loop", LATCH_LIMIT,
   "local s = ('x'):rep(1000000) while true do local t = s:reverse():upper():sub(2) end"},
  {"format in a loop", LATCH_LIMIT,
   "local s = ('x'):rep(1000000) while true do local t = ('%s%s'):format(s, s) end"},
  {"format shows no address", LATCH_OK,
   "assert(not pcall(string.format, '%p', {})) "
   "assert(string.format('%s %s %s', {}, type, coroutine.create(type)) == "
   "'table function thread')"},
  {"pack with a huge padding", LATCH_LIMIT, "string.pack('c1000000000', '')"},
  {"packsize counts without making", LATCH_OK, "assert(string.packsize('c1000000000') == 1000000000)"},
  {"unpack in a loop", LATCH_LIMIT,
   "local s = ('x'):rep(100000) while true do string.unpack('z', s .. '\\0') end"},
  {"byte of too much", LATCH_OK,
   "assert(not pcall(string.byte, ('x'):rep(1000000), 1, -1))"},
  {"byte in a loop", LATCH_LIMIT,
   "local s = ('x'):rep(100000) while true do select('#', s:byte(1, -1)) end"},
  {"tonumber in a loop", LATCH_LIMIT,
   "local s = ('1'):rep(1000000) while true do tonumber(s) tonumber(s, 10) end"},
  {"utf8 in a loop", LATCH_LIMIT,
   "local s = ('\\u{e9}'):rep(500000) while true do utf8.len(s) utf8.offset(s, -1, 3) end"},
  {"utf8.codes on a run of continuations", LATCH_LIMIT,
   "local s = 'a'..('\\x80'):rep(1000000)..'\\xff' local step = utf8.codes(s) "
   "while true do pcall(step, s, 1) end"},
  {"utf8.codepoint that fails at the end", LATCH_LIMIT,
   "local s = ('a'):rep(200000)..'\\xff' while true do pcall(utf8.codepoint, s, 1, -1) end"},
  // Tables
  {"move of nothing, far", LATCH_LIMIT, "table.move({}, 1, 100000000, 2)"},
  {"move of everything", LATCH_LIMIT, "table.move({}, 1, math.maxinteger - 1, 2)"},
  {"insert with a lying length", LATCH_OK,
   "local t = setmetatable({}, {__len = function() return 1e8 end}) table.insert(t, 1, 'x') "
   "assert(t[1] == 'x')"},
  {"insert at the front in a loop", LATCH_LIMIT,
   "local t = {} for i = 1, 10000 do t[i] = i end while true do table.insert(t, 1, 0) end"},
  {"remove at the front in a loop", LATCH_LIMIT,
   "local t = {} for i = 1, 50000 do t[i] = i end "
   "while true do table.remove(t, 1) table.insert(t, 0) end"},
  {"unpack of too many", LATCH_OK,
   "local ok, e = pcall(table.unpack, {}, 1, 900000) assert(not ok and e:find('too many'), e)"},
  {"unpack in a loop", LATCH_LIMIT,
   "local t = {} for i = 1, 100000 do t[i] = i end while true do local a = table.unpack(t) end"},
  {"unpack that fails in a loop", LATCH_LIMIT,
   "local s = ('x'):rep(1000000) while true do pcall(string.unpack, 'z', s) end"},
  {"pack where garbage fills the memory", LATCH_OK,
   "local s = ('x'):rep(4000000) local t = ('y'):rep(28000000) t = nil string.pack('s4s4', s, s)"},
  {"pack in a loop", LATCH_LIMIT,
   "local t = {} for i = 1, 10000 do t[i] = i end "
   "while true do local a = table.pack(table.unpack(t)) end"},
  {"concat in a loop", LATCH_LIMIT,
   "local t = {} for i = 1, 10000 do t[i] = 'xxxxxxxxxx' end while true do table.concat(t, ',') end"},
  {"concat through an endless __index", LATCH_LIMIT,
   "table.concat(setmetatable({}, {__index = function() return '' end}), '', 1, math.maxinteger)"},
  {"concat of few large ones", LATCH_LIMIT,
   "local s = ('x'):rep(100000) local t = {} for i = 1, 100 do t[i] = s end "
   "while true do table.concat(t) end"},
  {"sort of many", LATCH_LIMIT,
   "local t = {} for i = 1, 200000 do t[i] = (i * 7919) % 1000003 end while true do table.sort(t) end"},
  {"sort of long strings", LATCH_LIMIT,
   "local p = ('x'):rep(100000) local t = {} for i = 1, 100 do t[i] = p .. i end "
   "while true do table.sort(t) end"},
  {"sort with an endless comparator", LATCH_LIMIT,
   "table.sort({1, 2}, function() while true do end end)"},
  {"sort with a comparator that contradicts itself", LATCH_OK,
   "local t = {} for i = 1, 1000 do t[i] = i end table.sort(t, function() return true end) "
   "local n = 0 for i = 1, 1000 do n = n + t[i] end assert(n == 500500)"},
  {"sort with a C comparator", LATCH_LIMIT,
   "local t = {} for i = 1, 20000 do t[i] = i end while true do table.sort(t, rawequal) end"},
  {"a comparator that changes the table", LATCH_OK,
   "local t = {} for i = 1, 100 do t[i] = i end "
   "table.sort(t, function(a, b) t[a] = nil t[#t + 1] = b return a > b end) assert(t[1] == 100)"},
  // Iteration
  {"next on a cleared table", LATCH_LIMIT,
   "local t = {} for i = 1, 400000 do t[-i] = true end for i = 1, 400000 do t[-i] = nil end "
   "while next(t) == nil do end"},
  {"pairs on a cleared table", LATCH_LIMIT,
   "local t = {} for i = 1, 400000 do t[i] = true end for i = 1, 400000 do t[i] = nil end "
   "while true do for _ in pairs(t) do end end"},
  {"next over many", LATCH_LIMIT,
   "local t = {} for i = 1, 10000 do t['k' .. i] = i end local k repeat k = next(t, k) until false"},
  {"pairs over many", LATCH_LIMIT,
   "local t = {} for i = 1, 100000 do t['k' .. i] = i end "
   "while true do for _ in pairs(t) do break end end"},
  {"pairs over long keys", LATCH_LIMIT,
   "local p = ('x'):rep(100000) local t = {} for i = 1, 50 do t[p .. i] = i end "
   "while true do for _ in pairs(t) do break end end"},
  {"a pairs step asked again and again", LATCH_LIMIT,
   "local t = {} for i = 1, 200000 do t[i] = i end local step = pairs(t) "
   "for i = 1, 200000 do t[i] = nil end while true do step(t, nil) end"},
  {"ipairs through an endless __index", LATCH_LIMIT,
   "for _ in ipairs(setmetatable({}, {__index = function() return 1 end})) do end"},
  // Protected calls
  {"an endless loop", LATCH_LIMIT, "while true do end"},
  {"pcall in an endless loop", LATCH_LIMIT, "while true do pcall(error) end"},
  {"an endless loop in pcall in an endless loop", LATCH_LIMIT,
   "while true do pcall(function() while true do end end) end"},
  {"an endless handler", LATCH_LIMIT,
   "xpcall(error, function() while true do end end)"},
  {"an endless body and an endless handler", LATCH_LIMIT,
   "xpcall(function() while true do end end, function() while true do end end)"},
  {"a handler that fails for ever", LATCH_OK,
   "local ok, e = xpcall(error, function() error('again') end) "
   "assert(not ok and e == 'error in error handling', e)"},
  {"recursion through pcall", LATCH_OK,
   "local function f() return pcall(f) end f()"},
  {"recursion through xpcall's handler", LATCH_LIMIT,
   "local function f() error(xpcall(f, f)) end pcall(f)"},
  {"endless recursion", LATCH_MEMORY, "local function f() return 1 + f() end pcall(f)"},
  {"recursion that ends in time", LATCH_OK,
   "local function f(n) if n > 0 then return 1 + f(n - 1) end return 0 end assert(f(100000) == 100000)"},
  {"an endless __close after an error", LATCH_LIMIT,
   "local function f() local x <close> = setmetatable({}, {__close = function() while true do end "
   "end}) error('x') end pcall(f)"},
  {"an endless __close of a killed loop", LATCH_LIMIT,
   "local x <close> = setmetatable({}, {__close = function() while true do end end}) "
   "while true do end"},
  {"an endless __tostring", LATCH_LIMIT,
   "tostring(setmetatable({}, {__tostring = function() while true do end end}))"},
  {"an endless __index in gsub", LATCH_LIMIT,
   "string.gsub('x', 'x', setmetatable({}, {__index = function() while true do end end}))"},
  {"many arguments in a loop", LATCH_LIMIT,
   "local t = {} for i = 1, 200000 do t[i] = i end "
   "local function f(...) while true do select(1, ...) end end f(table.unpack(t))"},
  // Coroutines
  {"coroutines in a loop", LATCH_LIMIT,
   "while true do coroutine.resume(coroutine.create(function() end)) end"},
  {"a tree of short coroutines", LATCH_LIMIT,
   "local function f() for i = 1, 10 do coroutine.wrap(f)() end end while true do pcall(f) end"},
  {"an endless coroutine", LATCH_LIMIT,
   "coroutine.resume(coroutine.create(function() while true do end end))"},
  {"an endless coroutine in pcall", LATCH_LIMIT,
   "while true do pcall(coroutine.wrap(function() while true do end end)) end"},
  {"an endless coroutine with an endless __close", LATCH_LIMIT,
   "coroutine.wrap(function() local x <close> = setmetatable({}, {__close = function() "
   "while true do end end}) while true do end end)()"},
  {"a failing coroutine with an endless __close", LATCH_LIMIT,
   "coroutine.resume(coroutine.create(function() local x <close> = setmetatable({}, "
   "{__close = function() while true do end end}) error('x') end))"},
  {"coroutines inside coroutines", NESTED_TOO_DEEPLY,
   "local function f() return coroutine.resume(coroutine.create(f)) end "
   "local last repeat local ok, e = f() last = e until true"},
  {"a chain of closing coroutines", LATCH_OK,
   "local inner for i = 1, 5000 do local next_one = inner inner = coroutine.wrap(function() "
   "local x <close> = setmetatable({}, {__close = function() if next_one then pcall(next_one) end "
   "end}) error('x') end) end pcall(inner)"},
  {"a chain of closing coroutines, resumed", LATCH_OK,
   "local inner for i = 1, 5000 do local next_one = inner inner = coroutine.create(function() "
   "local x <close> = setmetatable({}, {__close = function() if next_one then "
   "coroutine.resume(next_one) end end}) error('x') end) end coroutine.resume(inner)"},
  {"all coroutines kept", LATCH_LIMIT,
   "local all = {} while true do all[#all + 1] = coroutine.create(function() end) end"},
  {"yield from the script itself", LATCH_OK,
   "local ok, e = pcall(coroutine.yield) assert(not ok and e:find('outside a coroutine'), e)"},
  {"the host's coroutine resumed", LATCH_OK,
   "local main, is_main = coroutine.running() assert(is_main and not coroutine.isyieldable()) "
   "local co = coroutine.wrap(function() return coroutine.status(main), coroutine.resume(main) end) "
   "local status, ok, e = co() assert(status == 'normal' and not ok, e)"},
  // Metatables
  {"no __gc", LATCH_OK, "assert(not pcall(setmetatable, {}, {__gc = function() end}))"},
  {"__mode makes nothing weak", LATCH_OK,
   "local t = setmetatable({}, {__mode = 'v'}) t[1] = {} "
   "for i = 1, 20000 do local _ = {i} end assert(t[1])"},
  {"the string metatable", LATCH_OK, "assert(getmetatable('') == false)"},
  {"a library's metatable", LATCH_OK,
   "assert(getmetatable(string) == false) assert(not pcall(setmetatable, string, nil)) "
   "assert(not pcall(table.insert, string, 1)) assert(not pcall(function() string.x = 1 end)) "
   "assert(not pcall(table.sort, table)) assert(not pcall(table.remove, math))"},
  {"a library as a metatable", LATCH_OK,
   "local o = setmetatable({}, string) assert(getmetatable(o) == string) "
   "assert(rawequal(getmetatable(setmetatable({}, string)), string))"},
  {"missing functions", LATCH_OK,
   "for _, name in ipairs {'dump'} do assert(string[name] == nil) end "
   "assert(coroutine.close == nil and math.randomseed == nil) "
   "for _, f in ipairs {function() return load end, function() return dofile end, "
   "function() return debug end, function() return os end, function() return collectgarbage end} do "
   "assert(not pcall(f)) end"},
};

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

// MARK: From one run to the next

typedef struct {
  const char *name, *first, *second;
  latch_status first_status;
  int64_t first_budget, second_budget;
} test_pair;

static const test_pair pairs[] = {
  {"a coroutine that a limit ended is dead in the next run",
   "co = coroutine.create(function() while true do end end) coroutine.resume(co)",
   "local ok, e = coroutine.resume(co) assert(not ok and e:find('dead') and "
   "coroutine.status(co) == 'dead', e)",
   LATCH_LIMIT, 100000, 100000},
  {"and so is one that it ended in C",
   "co = coroutine.create(function() string.rep('x', 1 << 29) end) pcall(coroutine.resume, co)",
   "assert(coroutine.status(co) == 'dead')", LATCH_LIMIT, 100000, 100000},
  {"and one that waited for it",
   "inner = coroutine.wrap(function() while true do end end) "
   "co = coroutine.create(function() inner() end) coroutine.resume(co)",
   "assert(coroutine.status(co) == 'dead' and not pcall(inner))", LATCH_LIMIT, 100000, 100000},
  {"a waiting coroutine goes on in the next run",
   "co = coroutine.wrap(function() for i = 1, 10 do coroutine.yield(i) end end) co()",
   "assert(co() == 2 and co() == 3)", LATCH_OK, 100000, 100000},
};

static int test_pairs(void) {
  int failures = 0, total = 0;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    latch_vm *vm = test_open((size_t)64 << 20);
    const char *first = pairs[i].first, *second = pairs[i].second;
    latch_run options = {LATCH_SCRIPT, pairs[i].first_budget};
    latch_status status = test_run(vm, first, strlen(first), "@first.lua", options);
    options.budget = pairs[i].second_budget;
    latch_status then = test_run(vm, second, strlen(second), "@second.lua", options);
    total++;
    if (status != pairs[i].first_status || then != LATCH_OK) {
      printf("FAIL %s: status %d, then %d: %s\n", pairs[i].name, status, then, test_message(vm));
      failures++;
    }
    latch_close(vm);
  }
  printf("from run to run: %d cases, %d failures\n", total, failures);
  return failures;
}

int main(int count, char **arguments) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  int failures = 0, total = 0;
  alarm(540);  // a script that nothing stops ends the whole test, not the machine's day
  bool verbose = count > 1;
  (void)arguments;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    latch_vm *vm = test_open((size_t)64 << 20);
    double start = seconds();
    latch_status status = test_run_script(vm, cases[i].text);
    double took = seconds() - start;
    int64_t used = latch_instructions_used(vm);
    char message[200];
    snprintf(message, sizeof message, "%s", status == LATCH_OK ? "" : test_message(vm));
    bool good = status == cases[i].status;
    bool answers = test_answers(vm);
    latch_close(vm);
    vm = test_open((size_t)64 << 20);
    test_run_script(vm, cases[i].text);
    bool same = latch_instructions_used(vm) == used;
    latch_close(vm);
    total++;
    if (verbose || !good || !answers || !same) {
      printf("%s %s: status %d (wanted %d), %.3f s, %lld instructions%s%s %s\n",
             good && answers && same ? "ok  " : "FAIL", cases[i].name, status, cases[i].status, took,
             (long long)used, answers ? "" : ", the VM is broken", same ? "" : ", not the same twice",
             message);
    }
    if (!good || !answers || !same) failures++;
  }
  printf("limits: %d cases, %d failures\n", total, failures);
  failures += test_pairs();
  return failures == 0 ? 0 : 1;
}
