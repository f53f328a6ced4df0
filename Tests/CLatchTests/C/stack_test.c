/// Calls through C inside each other, in each way that there is: they fit into the C stack of any thread.
///
/// An argument makes it tell of every case.

#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host.h"

typedef struct {
  const char *name, *text;
} test_nest;

/// Calls through C inside each other, in each way that there is.
static const test_nest nests[] = {
  {"gsub with a function", "local function f() return (('x'):gsub('x', f)) end f()"},
  {"gsub with a table",
   "local t t = setmetatable({}, { __index = function() return (('x'):gsub('x', t)) end }) "
   "t[1] = t.x"},
  {"gsub of a long pattern",
   "local p = ('a?'):rep(150) .. 'b' local function f() pcall(string.find, ('a'):rep(200), p) "
   "return (('x'):gsub('x', f)) end f()"},
  {"__tostring", "local t t = setmetatable({}, { __tostring = function() return tostring(t) end }) "
   "tostring(t)"},
  {"format", "local t t = setmetatable({}, { __tostring = function() return ('%s'):format(t) end }) "
   "tostring(t)"},
  {"sort", "local function f() table.sort({ 1, 2, 3 }, f) end f()"},
  {"sort with __lt",
   "local m = {} local function two() return { setmetatable({}, m), setmetatable({}, m) } end "
   "m.__lt = function() table.sort(two()) end table.sort(two())"},
  {"pcall", "local function f() return pcall(f) end f()"},
  {"a handler of xpcall",
   "local n = 0 local function f() n = n + 1 if n < 400 then xpcall(error, f) end end f()"},
  {"concat", "local t t = setmetatable({}, { __index = function() return table.concat(t, '', 1, 2) "
   "end }) table.concat(t, '', 1, 2)"},
  {"unpack", "local t t = setmetatable({}, { __index = function() return table.unpack(t, 1, 2) end }) "
   "table.unpack(t, 1, 2)"},
  {"move", "local t t = setmetatable({}, { __index = function() table.move(t, 1, 2, 3) end }) "
   "table.move(t, 1, 2, 3)"},
  {"__pairs", "local t t = setmetatable({}, { __pairs = function() return pairs(t) end }) pairs(t)"},
  {"__index", "local t t = setmetatable({}, { __index = function(_, k) return t[k .. 'x'] end }) "
   "t[1] = t.x"},
  {"__concat", "local t t = setmetatable({}, { __concat = function(a) return a .. t end }) "
   "t[1] = t .. t"},
  {"__eq", "local m = {} local function new() return setmetatable({}, m) end "
   "m.__eq = function() return new() == new() end m[1] = new() == new()"},
  {"arithmetic on texts",
   "local t t = setmetatable({}, { __add = function() return 's' + t end }) t[1] = 's' + t"},
  {"<close>", "local function f() local x <close> = setmetatable({}, { __close = function() f() end }) "
   "end f()"},
  {"<close> after an error",
   "local function f() local x <close> = setmetatable({}, { __close = function() f() end }) "
   "error('x') end pcall(f)"},
  {"coroutines", "local function f() coroutine.wrap(f)() end f()"},
  {"coroutines in gsub",
   "local function f() ('x'):gsub('x', function() coroutine.wrap(f)() end) end f()"},
  {"closing coroutines",
   "local inner for i = 1, 2000 do local next_one = inner inner = coroutine.wrap(function() "
   "local x <close> = setmetatable({}, { __close = function() if next_one then pcall(next_one) end "
   "end }) error('x') end) end pcall(inner)"},
  {"closing coroutines in gsub",
   "local inner for i = 1, 2000 do local next_one = inner inner = coroutine.create(function() "
   "local x <close> = setmetatable({}, { __close = function() if next_one then "
   "('x'):gsub('x', function() coroutine.resume(next_one) end) end end }) error('x') end) end "
   "coroutine.resume(inner)"},
};

/// With what the host itself needs, this fits into the least stack that a thread may have.
enum { STACK = 1 << 20, MOST_STACK = 200 << 10, UNTOUCHED = 0xa5 };

static void *run_nest(void *text) {
  latch_vm *vm = test_open((size_t)64 << 20);
  test_run_script(vm, text);
  bool answers = test_answers(vm);
  latch_close(vm);
  return answers ? text : NULL;
}

/// How much of a stack a run of the script takes; 0 where the VM does not answer afterwards.
static size_t measure_stack(const char *text) {
  uint8_t *stack = aligned_alloc(4096, STACK);
  memset(stack, UNTOUCHED, STACK);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack, STACK);
  pthread_t thread;
  void *answers = NULL;
  if (pthread_create(&thread, &attributes, run_nest, (void *)text) == 0) pthread_join(thread, &answers);
  size_t untouched = 0;
  while (untouched < STACK && stack[untouched] == UNTOUCHED) untouched++;
  free(stack);
  return answers == NULL ? 0 : STACK - untouched;
}

int main(int argument_count, char **arguments) {
#ifdef __SANITIZE_ADDRESS__
  return 0;  // its frames are larger
#endif
  setvbuf(stdout, NULL, _IOLBF, 0);
  alarm(540);  // a script that nothing stops ends the whole test, not the machine's day
  bool verbose = argument_count > 1;
  (void)arguments;
  int failures = 0, count = sizeof nests / sizeof *nests;
  size_t most = 0;
  for (int i = 0; i < count; i++) {
    size_t taken = measure_stack(nests[i].text);
    if (taken > most) most = taken;
    bool fits = taken > 0 && taken < MOST_STACK;
    if (!fits) failures++;
    if (!fits || verbose) {
      printf("%s %s: %zu bytes of the C stack\n", fits ? "ok  " : "FAIL", nests[i].name, taken);
    }
  }
  printf("C stack: %d cases, %zu bytes at most, %d failures\n", count, most, failures);
  return failures == 0 ? 0 : 1;
}
