/// A failure, stored in C memory: message, position, traceback, and the fields of a table that was
/// raised.

#include <stdio.h>
#include <string.h>

#include "run/run.h"

/// Writes the message of a limit: its name and its value.
static void write_limit(const latch_vm *vm, latch_end end, char *text, size_t size) {
  switch (end) {
    case LATCH_OUT_OF_MEMORY:
      snprintf(text, size, vm->memory.limit == 0 ? "%s" : "%s (the memory limit is %zu bytes)",
        vm->memory.deep ? "stack overflow" : "not enough memory", vm->memory.limit);
      break;
    case LATCH_OUT_OF_COROUTINES:
      snprintf(text, size, "the limit of coroutines is reached (%d)", (int)vm->limits.coroutines);
      break;
    case LATCH_OUT_OF_INSTRUCTIONS:
      snprintf(text, size, "the instruction limit is reached (%lld)", (long long)vm->budget.most);
      break;
    case LATCH_OUT_OF_CALLS:
      snprintf(text, size, "stack overflow: a chain of __call leads back to itself");
      break;
    case LATCH_OUT_OF_STACK: snprintf(text, size, "C stack overflow"); break;
    case LATCH_OUT_OF_TIME: snprintf(text, size, "stopped: it ran for too long"); break;
    case LATCH_OUT_OF_PROCESSOR_TIME:
      snprintf(text, size, "the time limit is reached (%g seconds of processor time)",
        vm->limits.milliseconds / 1e3);
      break;
    default: snprintf(text, size, "interrupted"); break;
  }
}

static void clear(latch_vm *vm, latch_status status) {
  vm->failure.status = status;
  vm->failure.line = 0;
  vm->failure.incomplete = false;
  vm->failure.is_raised = false;
  latch_buffer_clear(&vm->failure.message);
  latch_buffer_clear(&vm->failure.chunk);
  latch_buffer_clear(&vm->failure.traceback);
  latch_buffer_clear(&vm->failure.value);
}

latch_status latch_record_text(latch_vm *vm, latch_status status, const char *text) {
  clear(vm, status);
  latch_buffer_text(&vm->failure.message, text);
  return status;
}

enum { LATCH_FRAMES_WITH_NAMES = 64 };

/// Lua shortens a long file name to `...its end`, in messages and in tracebacks: replaces the short
/// forms of the names of `thread`'s files in the text on top of the stack by the names.
static void restore_names(lua_State *L, lua_State *thread) {
  lua_Debug frame;
  const char *last = "";
  for (int level = 0; level < LATCH_FRAMES_WITH_NAMES; level++) {
    if (!lua_getstack(thread, level, &frame)) return;
    lua_getinfo(thread, "S", &frame);
    if (frame.srclen < LUA_IDSIZE || *frame.source != '@' || frame.source == last) continue;
    last = frame.source;
    luaL_gsub(L, lua_tostring(L, -1), frame.short_src, latch_chunk_name(frame.source));
    lua_remove(L, -2);
  }
}

/// (error value, thread): text and traceback are strings of Lua. Creating them may raise.
static int describe(lua_State *L) {
  latch_vm *vm = latch_of(L);
  lua_State *thread = lua_touserdata(L, 2);
  size_t length;
  const char *text;
  latch_check_stack(L, 10, NULL);
  if (lua_type(L, 1) == LUA_TTABLE) {
    latch_push_data(L, 1);
    lua_pushstring(L, "message");
    lua_rawget(L, -2);
    text = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &length) : NULL;
    latch_encoder encoder;
    latch_encoder_begin(&encoder, vm, &vm->failure.value);
    if (!latch_try_encode(&encoder, L, 1)) latch_buffer_clear(&vm->failure.value);
  } else {
    text = lua_type(L, 1) == LUA_TSTRING || lua_type(L, 1) == LUA_TNUMBER
             ? lua_tolstring(L, 1, &length)
             : NULL;
  }
  if (text == NULL) {
    // A script's __tostring is not called: no limit holds here.
    text = lua_pushfstring(L, "a %s was raised as an error", luaL_typename(L, 1));
    length = strlen(text);
  }
  bool is_text = lua_type(L, 1) == LUA_TSTRING;
  lua_pushlstring(L, text, length);
  if (thread != NULL && is_text) restore_names(L, thread);
  if (is_text && vm->phase == LATCH_LOADING) latch_explain_nil(L);
  latch_make_printable(L, -1);
  text = lua_tolstring(L, -1, &length);
  latch_buffer_add_start(&vm->failure.message, text, length);
  if (thread != NULL && lua_checkstack(thread, 16) && lua_checkstack(L, 16)) {
    luaL_traceback(L, thread, NULL, 0);
    restore_names(L, thread);
    latch_make_printable(L, -1);
    text = lua_tolstring(L, -1, &length);
    latch_buffer_add_start(&vm->failure.traceback, text, length);
  }
  return 0;
}

/// Records a failure from the error value on top of `L`, which is popped, and from the dead
/// coroutine `thread` (NULL if there is none).
static void record(latch_vm *vm, lua_State *L, lua_State *thread, int status) {
  latch_end end = vm->run.end, limit = end;
  if (end == LATCH_ALIVE && status == LUA_ERRMEM) limit = LATCH_OUT_OF_MEMORY;
  latch_status kind = limit == LATCH_OUT_OF_MEMORY ? LATCH_MEMORY
                      : limit != LATCH_ALIVE       ? LATCH_LIMIT
                      : status == LUA_ERRSYNTAX    ? LATCH_SYNTAX
                                                   : LATCH_RUNTIME;
  char text[96] = "";
  if (limit != LATCH_ALIVE) write_limit(vm, limit, text, sizeof text);
  clear(vm, kind);
  vm->failure.is_raised = kind == LATCH_RUNTIME && vm->is_raised;
  vm->is_raised = false;
  latch_buffer_text(&vm->failure.message, text);
  lua_Debug frame;
  if (end != LATCH_ALIVE && vm->run.end_line > 0) {
    // Recorded by the hook: the frozen stack is one instruction earlier.
    latch_buffer_text(&vm->failure.chunk, vm->run.end_chunk);
    vm->failure.line = vm->run.end_line;
  } else if (thread != NULL && latch_find_script(thread, &frame)) {
    latch_buffer_text(&vm->failure.chunk, latch_chunk_name(frame.source));
    vm->failure.line = frame.currentline;
  }
  // Describing the error may call a script's __tostring, or run out of memory: neither may cause
  // more harm.
  lua_State *running = vm->run.thread;
  latch_set_running(vm, NULL);
  vm->unlimited++;
  vm->run.end = LATCH_ALIVE;
  bool told = false;
  if (lua_checkstack(vm->L, 8)) {
    lua_State *M = vm->L;
    lua_pushcfunction(M, describe);
    if (limit != LATCH_ALIVE) {
      lua_pushlightuserdata(M, NULL);
    } else if (L == M) {
      lua_pushvalue(M, -2);
    } else {
      lua_pushvalue(L, -1);
      lua_xmove(L, M, 1);
    }
    lua_pushlightuserdata(M, thread);
    size_t before = vm->failure.message.length;
    told = lua_pcall(M, 2, 0, 0) == LUA_OK;
    if (!told) lua_pop(M, 1);
    if (before > 0) vm->failure.message.length = before;
  }
  vm->unlimited--;
  latch_set_running(vm, running);
  vm->run.end = end;
  if (!told && vm->failure.message.length == 0) {
    latch_buffer_text(&vm->failure.message, "an error without a text");
  }
  lua_pop(L, 1);
}

latch_status latch_record_error(latch_vm *vm, int status) {
  latch_end end = vm->run.end;
  vm->run.end = LATCH_ALIVE;
  record(vm, vm->L, NULL, status);
  vm->run.end = end;
  return vm->failure.status;
}

latch_status latch_record_end(latch_vm *vm, lua_State *thread, int status) {
  if (status == LUA_YIELD && vm->run.end == LATCH_ALIVE) {
    return latch_record_text(vm, LATCH_RUNTIME, "this function may not wait");
  }
  // The stack of a dead thread may be full to its last slot.
  vm->unlimited++;
  bool has_room = lua_checkstack(thread, 2);
  vm->unlimited--;
  if (!has_room) return latch_record_text(vm, LATCH_LIMIT, "stack overflow");
  if (status == LUA_YIELD) lua_pushnil(thread);
  lua_pushvalue(thread, -1);  // remains: variables to close get the error
  record(vm, thread, thread, status);
  return vm->failure.status;
}

latch_status latch_record_no_thread(latch_vm *vm) {
  bool is_too_deep = vm->run.depth >= LATCH_MAX_RUNS;
  return is_too_deep ? latch_record_text(vm, LATCH_LIMIT, "runs are nested too deeply")
                     : latch_record_text(vm, LATCH_MEMORY, "not enough memory");
}

latch_failure latch_last_failure(const latch_vm *vm) {
  return (latch_failure){
    .status = vm->failure.status,
    .message = latch_buffer_view(&vm->failure.message),
    .chunk = latch_buffer_view(&vm->failure.chunk),
    .line = vm->failure.line,
    .traceback = latch_buffer_view(&vm->failure.traceback),
    .value = latch_buffer_view(&vm->failure.value),
    .incomplete = vm->failure.incomplete,
    .is_raised = vm->failure.is_raised,
  };
}
