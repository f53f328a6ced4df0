/// The limit of time: what runs into it ends, wherever that is, and nothing else does.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host.h"

static int failures = 0;

static void check(bool holds, const char *what) {
  if (holds) return;
  failures++;
  printf("FAILED: %s\n", what);
}

static latch_vm *open_with(uint32_t milliseconds) {
  latch_vm *vm = test_open(64 << 20);
  latch_set_limits(
    vm, (latch_limits){.coroutines = 1000, .nesting = 100, .milliseconds = milliseconds});
  return vm;
}

static latch_status run_uncounted(latch_vm *vm, const char *text) {
  latch_run run = {.phase = LATCH_SCRIPT, .budget = INT64_MAX / 2};
  return test_run(vm, text, strlen(text), "watch.lua", run);
}

/// Scripts that never end but for the limit: in a loop, in calls, in coroutines, in the making of
/// coroutines that end at once, in a comparator, which cannot yield.
static const char *const endless[] = {
  "while true do end",
  "local function f() return f() end f()",
  "coroutine.wrap(function() while true do end end)()",
  "local function nest() return coroutine.wrap(nest)() end while true do pcall(nest) end",
  "while true do coroutine.wrap(function() return 1 end)() end",
  "local f while true do f = coroutine.wrap(function() coroutine.yield() end) f() end",
  "table.sort({3, 1, 2}, function() while true do end end)",
  "while true do pcall(error, 'caught') end",
};

static void test_endless(void) {
  for (size_t i = 0; i < sizeof endless / sizeof *endless; i++) {
    latch_vm *vm = open_with(20);
    for (int round = 0; round < 3; round++) {
      check(run_uncounted(vm, endless[i]) == LATCH_LIMIT, endless[i]);
      if (strstr(test_message(vm), "limit of coroutines") != NULL) break;  // it may reach that first
      check(strstr(test_message(vm), "the time limit is reached (0.02 seconds") != NULL, test_message(vm));
      check(test_answers(vm), "the VM goes on");
    }
    latch_close(vm);
  }
}

/// A hook that would come by in a thousand million instructions: the watch sets its count.
static int count_far(lua_State *L) {
  lua_sethook(L, lua_gethook(L), lua_gethookmask(L), 1 << 30);
  return 0;
}

static void test_next_instruction(void) {
  latch_vm *vm = open_with(20);
  test_set_function(vm, "count_far", count_far);
  check(run_uncounted(vm, "count_far() while true do end") == LATCH_LIMIT, "it ends in the middle of a period");
  latch_close(vm);
}

/// Runs that wait, and many that follow each other, use no time of one.
static int wait_long(lua_State *L) {
  (void)L;
  usleep(100 * 1000);
  return 0;
}

static void test_waiting(void) {
  latch_vm *vm = open_with(50);
  test_set_function(vm, "wait_long", wait_long);
  check(run_uncounted(vm, "wait_long() wait_long()") == LATCH_OK, "what waits uses no time");
  bool all = true;
  for (int i = 0; i < 200; i++) {
    all = all && run_uncounted(vm, "for i = 1, 100000 do end") == LATCH_OK;
  }
  check(all, "each run has its own time");
  latch_close(vm);
}

static void test_untimed(void) {
  latch_vm *vm = open_with(1);
  latch_begin_untimed(vm);
  check(run_uncounted(vm, "for i = 1, 50000000 do end") == LATCH_OK, "untimed work takes its time");
  latch_end_untimed(vm);
  check(run_uncounted(vm, "while true do end") == LATCH_LIMIT, "and what comes after it does not");
  latch_close(vm);
}

/// VMs come, go and go back to what they were while others run into their limits.
static atomic_bool is_over = false;

static void *disturb(void *unused) {
  (void)unused;
  while (!atomic_load(&is_over)) {
    latch_vm *vm = open_with(1);
    latch_keep_image(vm);
    for (int i = 0; i < 3; i++) {
      run_uncounted(vm, "local t = {} while true do t[1] = coroutine.wrap(function() coroutine.yield() end) t[1]() end");
      latch_go_back(vm);
    }
    latch_close(vm);
  }
  return NULL;
}

static void test_together(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, disturb, NULL);
  latch_vm *vm = open_with(2);
  for (int i = 0; i < 50; i++) {
    check(run_uncounted(vm, endless[i % 3]) == LATCH_LIMIT, "it ends beside others");
    check(test_answers(vm), "and goes on");
  }
  atomic_store(&is_over, true);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  latch_close(vm);
}

int main(void) {
  test_endless();
  test_next_instruction();
  test_waiting();
  test_untimed();
  test_together();
  printf("watch: %d failures\n", failures);
  return failures > 0;
}
