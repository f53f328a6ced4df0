/// Effects: coroutines of the host that may wait. A wait suspends the coroutine with a request in
/// vm->out; the host answers by resuming it.

#include "run/run.h"

// MARK: Waiting

bool latch_answer_raises(lua_State *L) { return latch_of(L)->task.answer != LATCH_ANSWER_RETURNS; }

int latch_raise_answer(lua_State *L) {
  latch_of(L)->is_raised = true;
  if (latch_of(L)->task.answer == LATCH_ANSWER_RAISES_AS_IS) return lua_error(L);
  latch_push_where(L);
  lua_insert(L, -2);
  lua_concat(L, 2);
  return lua_error(L);
}

int latch_raise_told(lua_State *L) {
  lua_settop(L, 1);
  latch_of(L)->is_raised = true;
  return lua_error(L);
}

static int after_wait(lua_State *L, int status, lua_KContext context) {
  (void)status;
  if (latch_answer_raises(L)) return latch_raise_answer(L);
  return lua_gettop(L) - (int)context;
}

static int refuse_wait(lua_State *L, const char *why) {
  latch_push_where(L);
  lua_pushstring(L, why);
  lua_concat(L, 2);
  return lua_error(L);
}

int latch_wait_for_functions(lua_State *L, int kept, lua_KFunction go_on) {
  latch_vm *vm = latch_of(L);
  if (vm->task.closing) return refuse_wait(L, "an effect cannot wait while it is closing");
  if (vm->task.thread == NULL) return refuse_wait(L, "only an effect can wait");
  if (latch_in_script_coroutine(L)) {
    return refuse_wait(L, "only the effect itself can wait, not a coroutine that it has created");
  }
  if (vm->task.thread != L || !lua_isyieldable(L)) {
    return refuse_wait(L, "an effect cannot wait inside a comparator, a metamethod or a callback");
  }
  vm->task.waiting = true;
  lua_settop(L, kept);
  return lua_yieldk(L, 0, kept, go_on);
}

int latch_wait_for_answer(lua_State *L) { return latch_wait_for_functions(L, 0, after_wait); }

int latch_wait(lua_State *L) {
  latch_vm *vm = latch_of(L);
  latch_buffer_clear(&vm->out);
  latch_encoder encoder;
  latch_encoder_begin(&encoder, vm, &vm->out);
  for (int i = 1; i <= lua_gettop(L); i++) {
    if (!latch_encode(&encoder, L, i)) return luaL_error(L, "%s", encoder.fault);
  }
  if (vm->out.failed) return latch_raise_no_memory(L);
  return latch_wait_for_answer(L);
}

// MARK: Starting and going on

typedef struct {
  latch_vm *vm;
  lua_State *thread;
  latch_ref function, self;
  latch_bytes values;
  latch_task task;
  latch_result_receiver receiver;
  int count;  ///< the number of arguments, then of results
  bool has_raised;
} latch_task_request;

static void push_values(lua_State *L, latch_task_request *request) {
  const uint8_t *cursor = request->values.bytes, *end = cursor + request->values.length;
  while (cursor < end) {
    if (!lua_checkstack(request->thread, 4)) luaL_error(L, "too many values");
    latch_decode(L, &cursor, end, 0);
    if (lua_istable(L, -1)) latch_freeze(L);
    lua_xmove(L, request->thread, 1);
    request->count++;
  }
}

static void make_thread(lua_State *L, latch_task_request *request) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_TASKS);
  request->thread = lua_newthread(L);
  lua_rawseti(L, -2, request->task);
}

static int start_task(lua_State *L) {
  latch_task_request *request = lua_touserdata(L, 1);
  make_thread(L, request);
  lua_rawgeti(request->thread, LUA_REGISTRYINDEX, request->function);
  lua_rawgeti(request->thread, LUA_REGISTRYINDEX, request->self);
  latch_push_frozen_payload(L);
  lua_xmove(L, request->thread, 1);
  request->count = 2;
  push_values(L, request);
  return 0;
}

/// Pushes the list for which a task waits: of functions, and of the results of those that have
/// ended.
static void push_functions(lua_State *L, latch_task task) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_TASKS);
  lua_rawgeti(L, -1, task);
  lua_State *thread = lua_tothread(L, -1);
  if (thread == NULL) luaL_error(L, "this effect has ended");
  lua_pushvalue(thread, 1);
  lua_xmove(thread, L, 1);
}

static int start_branch(lua_State *L) {
  latch_task_request *request = lua_touserdata(L, 1);
  push_functions(L, request->receiver.task);
  lua_rawgeti(L, -1, request->receiver.number);
  make_thread(L, request);
  lua_pop(L, 1);
  lua_xmove(L, request->thread, 1);
  return 0;
}

/// Replaces a task's function by the value that it has returned or raised.
static int hand_over(lua_State *L) {
  latch_task_request *request = lua_touserdata(L, 1);
  push_functions(L, request->receiver.task);
  if (request->has_raised) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_RAISED);
  } else {
    lua_settop(request->thread, lua_gettop(request->thread) - request->count + 1);
    lua_xmove(request->thread, L, 1);
  }
  lua_rawseti(L, -2, request->receiver.number);
  return 0;
}

static int drop_task(lua_State *L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_TASKS);
  lua_pushnil(L);
  lua_rawseti(L, -2, *(latch_task *)lua_touserdata(L, 1));
  return 0;
}

/// Passes the result of a task to its receiver.
static latch_status take_end(
  latch_vm *vm, latch_task_request *request, latch_status status, latch_bytes *answer) {
  bool is_branch = request->receiver.task != 0;
  if (is_branch && (status == LATCH_OK || status == LATCH_RUNTIME)) {
    request->has_raised = status == LATCH_RUNTIME;
    latch_protect_unlimited(vm, hand_over, request);
  } else if (status == LATCH_OK && request->receiver.number != 0) {
    for (; request->count > 1; request->count--) lua_pop(request->thread, 1);
    status = latch_encode_results(vm, request->thread, request->count, answer);
  }
  lua_pushboolean(vm->L, 0);  // see open.c: the slot is never nil
  lua_rawseti(vm->L, LUA_REGISTRYINDEX, LATCH_R_RAISED);
  latch_protect_unlimited(vm, drop_task, &request->task);  // the recorded failure stays
  return status;
}

static latch_status go_on(
  latch_vm *vm, latch_task_request *request, latch_run run, latch_bytes *answer) {
  run.phase = LATCH_EFFECT;
  latch_search_stored_nodes(vm);
  latch_status status = latch_resume_thread(
    vm, request->thread, request->count, run, LATCH_RUN_MAY_WAIT, &request->count);
  *answer = (latch_bytes){NULL, 0};
  if (status != LATCH_PENDING) return take_end(vm, request, status, answer);
  *answer = latch_buffer_view(&vm->out);
  return status;
}

latch_status latch_task_start(latch_vm *vm, latch_ref function, latch_ref self, latch_bytes more,
  latch_result_receiver receiver, latch_run run, latch_task *task, latch_bytes *request) {
  latch_task_request start = {
    .vm = vm,
    .function = function,
    .self = self,
    .values = more,
    .task = ++vm->task.next,
    .receiver = receiver,
  };
  *task = start.task;
  latch_status status = latch_protect(vm, start_task, &start, 0);
  if (status != LATCH_OK) return status;
  return go_on(vm, &start, run, request);
}

latch_status latch_task_branch(latch_vm *vm, latch_result_receiver receiver, latch_run run,
  latch_task *task, latch_bytes *request) {
  latch_task_request start = {.vm = vm, .task = ++vm->task.next, .receiver = receiver};
  *task = start.task;
  latch_status status = latch_protect(vm, start_branch, &start, 0);
  if (status != LATCH_OK) return status;
  return go_on(vm, &start, run, request);
}

static int find_task(lua_State *L) {
  latch_task_request *request = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_TASKS);
  lua_rawgeti(L, -1, request->task);
  request->thread = lua_tothread(L, -1);
  if (request->thread == NULL) return luaL_error(L, "this effect has ended");
  push_values(L, request);
  return 0;
}

latch_status latch_task_resume(latch_vm *vm, latch_task task, latch_result_receiver receiver,
  latch_bytes values, latch_answer answer, latch_run run, latch_bytes *request) {
  latch_task_request resume = {.vm = vm, .task = task, .receiver = receiver, .values = values};
  latch_status status = latch_protect(vm, find_task, &resume, 0);
  if (status != LATCH_OK) return status;
  vm->task.answer = answer;
  return go_on(vm, &resume, run, request);
}

void latch_task_close(latch_vm *vm, latch_task task, latch_run run) {
  latch_task_request close = {.vm = vm, .task = task};
  if (latch_protect(vm, find_task, &close, 0) != LATCH_OK) return;
  run.phase = LATCH_EFFECT;
  latch_search_stored_nodes(vm);
  latch_close_thread(vm, close.thread, run);
  latch_protect_unlimited(vm, drop_task, &close.task);
}
