/// Limits how deep calls nest through C: gsub in the function that gsub calls, a sort in a
/// comparator, coroutines in coroutines.
///
/// Each such call takes some hundred bytes of C stack. Lua ends them at a depth of 200, and has no
/// setting for that; but a coroutine counts on from the depth of the one that resumes it. So the
/// host's runs are resumed from the guard thread: a thread so deep that LATCH_CALLS_DEEP calls are
/// left.
///
/// The hook detects what Lua does not count (latch_is_out_of_stack). Before 5.4.3 that was the
/// closing of variables during an error; and coroutines did not count on there, so that all 200
/// calls are left.

#include <stdatomic.h>

#include "machine/machine.h"

/// The nested calls through C in all current runs of a VM together.
enum { LATCH_CALLS_DEEP = 100 };

// MARK: The ground

static int nothing(lua_State *L) {
  (void)L;
  return 0;
}

/// (number): calls itself until Lua stops it, and counts.
static int dive(lua_State *L) {
  ++*(int *)lua_touserdata(L, 1);
  luaL_checkstack(L, 2, NULL);
  lua_pushcfunction(L, dive);
  lua_pushvalue(L, 1);
  lua_call(L, 1, 0);
  return 0;
}

/// Counts how deep calls nest in a coroutine that `from` resumes.
static int depth_above(lua_State *L, lua_State *from) {
  int depth = 0, results = 0;
  lua_State *diver = lua_newthread(L);
  lua_pushcfunction(diver, dive);
  lua_pushlightuserdata(diver, &depth);
  lua_resume(diver, from, 1, &results);
  lua_pop(L, 1);
  return depth;
}

/// Two threads that resume each other in turn, each one level higher.
typedef struct {
  lua_State *threads[2];
  int top;
} latch_stairs;

static void step_up(latch_stairs *stairs) {
  lua_State *below = stairs->threads[stairs->top];
  stairs->top = 1 - stairs->top;
  lua_State *above = stairs->threads[stairs->top];
  int results = 0;
  lua_pushcfunction(above, nothing);
  lua_resume(above, below, 0, &results);
  lua_settop(above, 0);
}

/// (guard): finds the thread.
static int build_guard_thread(lua_State *L) {
  latch_stairs stairs = {{lua_newthread(L), lua_newthread(L)}, 0};
  for (int i = 1; i >= 0; i--) lua_rawsetp(L, LUA_REGISTRYINDEX, stairs.threads[i]);
  int depth = depth_above(L, stairs.threads[stairs.top]);
  while (depth > LATCH_CALLS_DEEP) {
    step_up(&stairs);
    int left = depth_above(L, stairs.threads[stairs.top]);
    if (left >= depth) break;  // this Lua does not count on
    for (int steps = (left - LATCH_CALLS_DEEP) / (depth - left); steps > 0; steps--) {
      step_up(&stairs);
    }
    depth = depth_above(L, stairs.threads[stairs.top]);
  }
  *(lua_State **)lua_touserdata(L, 1) = stairs.threads[stairs.top];
  return 0;
}

lua_State *latch_guard_thread(void) {
  static _Atomic(lua_State *) known =
    NULL;  // nothing in it changes any more: all threads may read it
  lua_State *guard_thread = atomic_load(&known);
  if (guard_thread != NULL) return guard_thread;
  lua_State *L = luaL_newstate();
  if (L == NULL) return NULL;
  lua_pushcfunction(L, build_guard_thread);
  lua_pushlightuserdata(L, &guard_thread);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) {
    lua_close(L);
    return NULL;
  }
  lua_State *first = NULL;
  if (atomic_compare_exchange_strong(&known, &first, guard_thread)) return guard_thread;
  lua_close(L);
  return first;
}

// MARK: Closing

// Since Lua 5.4.6, which has this function, closing counts from zero unless it is told who closes.
// Before, it counted on from where the coroutine was resumed, and could not be told.
extern int lua_closethread(lua_State *L, lua_State *from) __attribute__((weak));

void latch_close_coroutine(lua_State *co, lua_State *from) {
  if (lua_closethread != NULL) lua_closethread(co, from);
  else lua_resetthread(co);
}

void latch_close_remains(latch_vm *vm, lua_State *thread, lua_State *from) {
  if (vm->run.end != LATCH_ALIVE) return;
  vm->task.closing = true;
  latch_close_coroutine(thread, from);
  vm->task.closing = false;
  lua_settop(thread, 0);
}

// MARK: What nobody counts

/// More than LATCH_CALLS_DEEP calls take, but so little that, with the stack used until the hook is
/// called again, it is less than the least stack.
#ifdef LATCH_PLAIN_BLOCKS
enum { LATCH_MOST_STACK = 2 << 20 };  // the address sanitizer puts more into each frame
#else
enum { LATCH_MOST_STACK = 160 << 10 };
#endif

bool latch_is_out_of_stack(const latch_vm *vm) {
  uintptr_t start = (uintptr_t)vm->run.stack, here = (uintptr_t)__builtin_frame_address(0);
  return (start > here ? start - here : here - start) > LATCH_MOST_STACK;
}
