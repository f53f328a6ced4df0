/// The `coroutine` library, without `close`.
///
/// The host runs every script in a coroutine of its own, and drives effects by resuming their
/// coroutines. A script must neither yield from those nor resume them: the coroutines that scripts
/// create are marked, and each other one counts as running. A coroutine that a limit has ended is
/// frozen in the middle of an instruction: it is marked as dead, and nothing ever resumes or closes
/// it.

#include "library/library.h"

enum { INSTRUCTIONS_PER_COROUTINE = 1000 };

typedef enum { RUNNING, SUSPENDED, NORMAL, DEAD } latch_thread_state;

static latch_thread_state state_of(lua_State *L, lua_State *co) {
  if (co == L) return RUNNING;
  latch_thread_mark mark = latch_thread_mark_of(co);
  if (mark != LATCH_THREAD_SCRIPTS) return mark == LATCH_THREAD_ENDED ? DEAD : NORMAL;
  lua_Debug frame;
  switch (lua_status(co)) {
    case LUA_YIELD: return SUSPENDED;
    case LUA_OK:
      if (lua_getstack(co, 0, &frame)) return NORMAL;
      return lua_gettop(co) == 0 ? DEAD : SUSPENDED;
    default: return DEAD;
  }
}

/// A coroutine that has ended is no longer counted.
static void end_thread(lua_State *co) {
  if (latch_thread_mark_of(co) == LATCH_THREAD_SCRIPTS) latch_of(co)->coroutines--;
  latch_mark_thread(co, LATCH_THREAD_ENDED);
}

/// Raises again, here, the limit that ended `co`.
static int pass_on(lua_State *L, lua_State *co) {
  end_thread(co);
  return latch_rekill(L);
}

/// Closes the variables to close of a coroutine that an error has ended. The error is on top of its
/// stack; it moves to `L` and remains the error, even if closing raises another one.
static void bury(lua_State *L, lua_State *co) {
  lua_xmove(co, L, 1);
  lua_pushvalue(L, -1);
  lua_xmove(L, co, 1);
  latch_close_coroutine(co, L);
  lua_settop(co, 0);
}

static int refuse(lua_State *L, const char *why) {
  lua_pushstring(L, why);
  return -1;
}

/// Resumes `co` with the `count` values on top. Returns the number of results on top of `L`, or -1
/// with the error there.
static int resume(lua_State *L, lua_State *co, int count) {
  latch_check_stack(L, 5, NULL);
  latch_thread_state state = state_of(L, co);
  if (state == DEAD) return refuse(L, "cannot resume dead coroutine");
  if (state != SUSPENDED) return refuse(L, "cannot resume non-suspended coroutine");
  if (!lua_checkstack(co, count + 1)) return refuse(L, "too many arguments to resume");
  latch_count_on(L, co);
  lua_xmove(L, co, count);
  latch_set_current(latch_of(L), co);
  int results = 0, status = lua_resume(co, L, count, &results);
  latch_set_current(latch_of(L), L);
  latch_shorten_period(latch_of(L), L);
  if (status == LUA_OK || status == LUA_YIELD) {
    if (latch_is_killed(L)) return pass_on(L, co);
    if (status == LUA_OK) end_thread(co);
    if (lua_checkstack(L, results + 1)) {
      lua_xmove(co, L, results);
      return results;
    }
    lua_pop(co, results);
    return refuse(L, "too many results to resume");
  }
  if (latch_must_pass_on(L, status)) return pass_on(L, co);
  bool is_raised = latch_of(L)->is_raised;
  bury(L, co);
  latch_of(L)->is_raised = is_raised;
  end_thread(co);
  if (latch_is_killed(L)) return pass_on(L, co);
  return -1;
}

static lua_State *check_thread(lua_State *L) {
  lua_State *co = lua_tothread(L, 1);
  luaL_argexpected(L, co != NULL, 1, "thread");
  return co;
}

// MARK: Functions

/// Unreachable coroutines do not count as alive. A full collection finds them; it is charged for.
static void check_room_for_thread(lua_State *L) {
  latch_vm *vm = latch_of(L);
  if (vm->coroutines < vm->limits.coroutines) return;
  latch_charge(L, vm->memory.used);
  lua_gc(L, LUA_GCCOLLECT, 0);
  if (vm->coroutines < vm->limits.coroutines) return;
  latch_kill(vm, L, LATCH_OUT_OF_COROUTINES);
  latch_rekill(L);
}

static int coroutine_create(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  check_room_for_thread(L);
  // A new thread has its own instruction count: the instructions that it may run before the hook is
  // called are charged here.
  latch_charge_instructions(L, INSTRUCTIONS_PER_COROUTINE);
  lua_State *co = lua_newthread(L);
  latch_mark_thread(co, LATCH_THREAD_SCRIPTS);
  latch_of(L)->coroutines++;
  lua_pushvalue(L, 1);
  lua_xmove(L, co, 1);
  return 1;
}

static int coroutine_resume(lua_State *L) {
  lua_State *co = check_thread(L);
  latch_charge_arguments(L);
  int results = resume(L, co, lua_gettop(L) - 1);
  latch_of(L)->is_raised = false;
  lua_pushboolean(L, results >= 0);
  int count = results >= 0 ? results : 1;
  lua_insert(L, -(count + 1));
  return count + 1;
}

static int call_wrapped(lua_State *L) {
  lua_State *co = lua_tothread(L, lua_upvalueindex(1));
  latch_charge_arguments(L);
  int results = resume(L, co, lua_gettop(L));
  if (results >= 0) return results;
  if (lua_type(L, -1) == LUA_TSTRING) {
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

static int coroutine_wrap(lua_State *L) {
  coroutine_create(L);
  lua_pushcclosure(L, call_wrapped, 1);
  return 1;
}

static int coroutine_yield(lua_State *L) {
  if (!latch_in_script_coroutine(L)) {
    lua_pushliteral(L, "attempt to yield from outside a coroutine");
    return lua_error(L);
  }
  latch_charge_arguments(L);
  return lua_yield(L, lua_gettop(L));
}

static int coroutine_status(lua_State *L) {
  static const char *const names[] = {"running", "suspended", "normal", "dead"};
  lua_State *co = check_thread(L);
  lua_pushstring(L, names[state_of(L, co)]);
  return 1;
}

static int coroutine_running(lua_State *L) {
  lua_pushthread(L);
  lua_pushboolean(L, !latch_in_script_coroutine(L));
  return 2;
}

static int coroutine_isyieldable(lua_State *L) {
  lua_State *co = L;
  if (!lua_isnone(L, 1)) co = check_thread(L);
  lua_pushboolean(L, lua_isyieldable(co) && latch_thread_mark_of(co) == LATCH_THREAD_SCRIPTS);
  return 1;
}

int latch_open_coroutine(lua_State *L) {
  static const luaL_Reg functions[] = {
    {"create", coroutine_create},
    {"isyieldable", coroutine_isyieldable},
    {"resume", coroutine_resume},
    {"running", coroutine_running},
    {"status", coroutine_status},
    {"wrap", coroutine_wrap},
    {"yield", coroutine_yield},
    {NULL, NULL},
  };
  luaL_newlib(L, functions);
  return 1;
}
