/// retry: calls a function of an effect again as long as it raises an error.
///
/// Its arguments are on the stack of the effect, also while that waits. The host is told when an
/// attempt begins, so that calls of capabilities have the same id in each attempt.

#include "language/language.h"

enum { FUNCTION = 1, ONLY, FAULTS, TIMES, WAIT, FACTOR, ATTEMPT, AFTER, KEPT = AFTER };

enum { TIMES_BY_DEFAULT = 3, MOST_TIMES = 1000 };

static int begin(lua_State *L);

static int tell_host(lua_State *L) { return latch_ask_host(L, LATCH_HOST_ATTEMPT); }

static void note(lua_State *L, const char *what) {
  lua_pushcfunction(L, tell_host);
  lua_pushstring(L, what);
  lua_call(L, 1, 0);
}

/// Tells the host that an attempt has failed and is repeated; its error is on top of the stack.
static void note_failure(lua_State *L) {
  int error = lua_gettop(L);
  lua_pushcfunction(L, tell_host);
  lua_pushliteral(L, "failed");
  if (lua_istable(L, error)) {
    latch_push_data(L, error);
    lua_pushliteral(L, "message");
    lua_rawget(L, -2);
    lua_remove(L, -2);
  } else {
    lua_pushvalue(L, error);
  }
  if (!lua_isstring(L, -1)) {
    lua_pop(L, 1);
    lua_pushfstring(L, "a %s was raised as an error", luaL_typename(L, error));
  }
  lua_tostring(L, -1);
  lua_pushvalue(L, ATTEMPT);
  lua_pushvalue(L, TIMES);
  lua_call(L, 4, 0);
}

static int slept(lua_State *L, int status, lua_KContext kept) {
  (void)status;
  if (latch_answer_raises(L)) latch_raise_answer(L);
  lua_settop(L, (int)kept);
  lua_pushinteger(L, lua_tointeger(L, ATTEMPT) + 1);
  lua_replace(L, ATTEMPT);
  lua_pushnumber(L, lua_tonumber(L, WAIT) * lua_tonumber(L, FACTOR));
  lua_replace(L, WAIT);
  return begin(L);
}

static int wait_and_begin(lua_State *L) {
  latch_vm *vm = latch_of(L);
  lua_settop(L, KEPT);
  latch_buffer_clear(&vm->out);
  latch_encoder encoder;
  latch_encoder_begin(&encoder, vm, &vm->out);
  lua_pushliteral(L, "sleep");
  latch_encode(&encoder, L, KEPT + 1);
  // A failed call may say after which time another try makes sense.
  bool is_later = lua_tonumber(L, AFTER) > lua_tonumber(L, WAIT);
  latch_encode(&encoder, L, is_later ? AFTER : WAIT);
  if (vm->out.failed) return latch_raise_no_memory(L);
  return latch_wait_for_functions(L, KEPT, slept);
}

/// Pushes the properties of the failed call that raised the error on top of the stack: a table, or
/// nil if the error is another one. Sets the time after which another try makes sense.
static void push_failure(lua_State *L) {
  int error = lua_gettop(L);
  lua_pushnumber(L, 0);
  lua_replace(L, AFTER);
  if (lua_type(L, error) != LUA_TSTRING) {
    lua_pushnil(L);
    return;
  }
  lua_pushcfunction(L, tell_host);
  lua_pushliteral(L, "failure");
  lua_pushvalue(L, error);
  lua_call(L, 2, 1);
  if (!lua_istable(L, -1)) return;
  lua_getfield(L, -1, "after");
  if (lua_isnumber(L, -1)) lua_replace(L, AFTER);
  else lua_pop(L, 1);
}

static bool is_final(lua_State *L) {
  if (!lua_istable(L, -1)) return false;
  lua_getfield(L, -1, "final");
  bool final = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return final;
}

/// Returns true if the function is called again after the error on top of the stack; after a fault
/// of the script itself only if the flow asks for it.
static bool is_tried_again(lua_State *L) {
  if (!latch_of(L)->is_raised && !lua_toboolean(L, FAULTS)) return false;
  if (lua_tointeger(L, ATTEMPT) >= lua_tointeger(L, TIMES)) return false;
  push_failure(L);
  if (lua_isnil(L, ONLY)) {
    bool again = !is_final(L);
    lua_pop(L, 1);
    return again;
  }
  lua_pushvalue(L, ONLY);
  lua_pushvalue(L, -3);
  lua_rotate(L, -3, -1);
  lua_call(L, 2, 1);
  bool again = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return again;
}

static int ended(lua_State *L, int status, lua_KContext kept) {
  if (status == LUA_OK || status == LUA_YIELD) {
    note(L, "end");
    return lua_gettop(L) - (int)kept;
  }
  if (latch_must_pass_on(L, status)) return latch_rekill(L);
  bool is_raised = latch_of(L)->is_raised;
  bool is_again = is_tried_again(L);
  latch_of(L)->is_raised = false;
  if (is_again) {
    note_failure(L);
    return wait_and_begin(L);
  }
  note(L, "end");
  latch_of(L)->is_raised = is_raised;
  return lua_error(L);
}

static int begin(lua_State *L) {
  note(L, "again");
  lua_pushvalue(L, FUNCTION);
  return ended(L, lua_pcallk(L, 0, LUA_MULTRET, 0, KEPT, ended), KEPT);
}

// MARK: What it takes

static int complain(lua_State *L, const char *complaint) {
  return latch_raise(L,
    "%sretry takes %s: retry({ times = 5, wait = 2, factor = 2 }, function() ... end)",
    latch_push_script_place(L, ""), complaint);
}

/// Pushes the seconds to wait, from the table at 1.
static void push_wait(lua_State *L) {
  lua_Number seconds = 1;
  lua_getfield(L, 1, "wait");
  if (!lua_isnil(L, -1) && !latch_to_seconds(L, -1, &seconds)) {
    complain(L, "a wait of 0 seconds or more");
  }
  lua_pop(L, 1);
  lua_pushnumber(L, seconds);
}

static void push_factor(lua_State *L) {
  int is_number = 1;
  lua_Number factor = 2;
  lua_getfield(L, 1, "factor");
  if (!lua_isnil(L, -1)) factor = lua_tonumberx(L, -1, &is_number);
  if (!is_number || !(factor >= 1 && factor <= 1000)) complain(L, "a factor from 1 to 1000");
  lua_pop(L, 1);
  lua_pushnumber(L, factor);
}

static void push_times(lua_State *L) {
  int is_integer = 1;
  lua_Integer times = TIMES_BY_DEFAULT;
  lua_getfield(L, 1, "times");
  if (!lua_isnil(L, -1)) times = lua_tointegerx(L, -1, &is_integer);
  if (!is_integer || times < 1 || times > MOST_TIMES) complain(L, "times from 1 to 1000");
  lua_pop(L, 1);
  lua_pushinteger(L, times);
}

/// Pushes true if faults of the script are repeated, too.
static void push_faults(lua_State *L) {
  lua_getfield(L, 1, "faults");
  if (!lua_isnil(L, -1) && !lua_isboolean(L, -1)) complain(L, "faults as true or false");
}

/// ({ times, wait, factor, only, faults }, function)
int latch_retry(lua_State *L) {
  latch_only_effects(L, "retry");
  lua_settop(L, 2);
  if (!lua_istable(L, 1) || !lua_isfunction(L, 2)) complain(L, "a table and a function");
  lua_pushvalue(L, 2);
  lua_getfield(L, 1, "only");
  if (!lua_isnil(L, -1) && !lua_isfunction(L, -1)) complain(L, "only as a function of the message");
  push_faults(L);
  push_times(L);
  push_wait(L);
  push_factor(L);
  lua_pushinteger(L, 1);
  lua_pushnumber(L, 0);
  lua_rotate(L, 1, -2);
  lua_settop(L, KEPT);
  note(L, "begin");
  return begin(L);
}
