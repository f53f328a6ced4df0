/// all and race: functions that run concurrently in an effect.
///
/// The arguments become two lists, of the functions and of their names, which are on the stack of
/// the effect while it waits. The host starts each function as its own coroutine (task.c), and
/// resumes the effect once all have ended, or the deciding one has.

#include "language/language.h"

/// The stack slots of the lists.
enum { FUNCTIONS = 1, NAMES, KEPT = NAMES };

typedef struct {
  const char *what;
  lua_Integer count;
} latch_gathering;

static int complain(lua_State *L, const char *what) {
  return latch_raise(L, "%s%s takes functions by name: %s { a = function() ... end, b = f }",
    latch_push_script_place(L, ""), what, what);
}

static void add(lua_State *L, int key, int value, void *context) {
  latch_gathering *gathering = context;
  if (!lua_isfunction(L, value)) {
    latch_raise(L, "%s%s: %s is a %s, not a function", latch_push_script_place(L, ""),
      gathering->what, latch_tolstring(L, key, NULL), luaL_typename(L, value));
  }
  gathering->count++;
  lua_pushvalue(L, value);
  lua_rawseti(L, FUNCTIONS, gathering->count);
  lua_pushvalue(L, key);
  lua_rawseti(L, NAMES, gathering->count);
}

/// Returns the number of functions; leaves only the lists on the stack.
static lua_Integer lay_out(lua_State *L, const char *what) {
  latch_only_effects(L, "run functions concurrently");
  lua_settop(L, 1);
  if (!lua_istable(L, 1)) complain(L, what);
  lua_newtable(L);
  lua_newtable(L);
  lua_rotate(L, 1, -1);
  latch_gathering gathering = {what, 0};
  latch_for_each(L, KEPT + 1, add, &gathering);
  latch_charge_elements(L, (uint64_t)gathering.count);
  lua_settop(L, KEPT);
  return gathering.count;
}

static int wait_for(lua_State *L, const char *what, lua_Integer count, lua_KFunction go_on) {
  latch_vm *vm = latch_of(L);
  latch_buffer_clear(&vm->out);
  latch_encoder encoder;
  latch_encoder_begin(&encoder, vm, &vm->out);
  lua_pushstring(L, what);
  lua_pushinteger(L, count);
  latch_encode(&encoder, L, KEPT + 1);
  latch_encode(&encoder, L, KEPT + 2);
  if (vm->out.failed) return latch_raise_no_memory(L);
  return latch_wait_for_functions(L, KEPT, go_on);
}

/// Raises the error of a function: after the lists on the stack are the number of the function that
/// has ended, true if it has raised an error, and true if on purpose; or a text, if the host
/// refuses to wait.
static void expect_success(lua_State *L) {
  if (latch_answer_raises(L)) latch_raise_answer(L);
  if (!lua_toboolean(L, KEPT + 2)) return;
  latch_of(L)->is_raised = lua_toboolean(L, KEPT + 3);
  lua_rawgeti(L, FUNCTIONS, lua_tointeger(L, KEPT + 1));
  lua_error(L);
}

static int all_have_ended(lua_State *L, int status, lua_KContext kept) {
  (void)status, (void)kept;
  expect_success(L);
  lua_settop(L, KEPT);
  lua_newtable(L);
  lua_Integer count = (lua_Integer)lua_rawlen(L, NAMES);
  latch_charge_elements(L, (uint64_t)count);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, NAMES, i);
    lua_rawgeti(L, FUNCTIONS, i);
    lua_rawset(L, KEPT + 1);
  }
  return 1;
}

static int one_has_ended(lua_State *L, int status, lua_KContext kept) {
  (void)status, (void)kept;
  expect_success(L);
  lua_Integer number = lua_tointeger(L, KEPT + 1);
  lua_rawgeti(L, NAMES, number);
  lua_rawgeti(L, FUNCTIONS, number);
  return 2;
}

int latch_all(lua_State *L) {
  lua_Integer count = lay_out(L, "all");
  if (count > 0) return wait_for(L, "all", count, all_have_ended);
  lua_newtable(L);
  return 1;
}

int latch_race(lua_State *L) {
  lua_Integer count = lay_out(L, "race");
  if (count > 0) return wait_for(L, "race", count, one_has_ended);
  return latch_raise(L, "%srace needs at least one function", latch_push_script_place(L, ""));
}
