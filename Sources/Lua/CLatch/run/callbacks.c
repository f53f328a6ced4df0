/// Calls from Lua to the host. The Swift function returns first; errors are raised only after that.
///
/// The host functions that the library of a flow calls have numbers that are the same in every VM,
/// so a VM needs nothing of its own for them. Other functions (of scenarios, of the prompt) are in
/// the `host` table of the prelude.

#include <string.h>

#include "run/run.h"

static const char *const NAMES[LATCH_HOST_FUNCTIONS] = {
  "print",
  "load_module",
  "now",
  "random",
  "enqueue",
  "schedule",
  "cancel",
  "may",
  "gatekeeper_may_pass",
  "gatekeeper_holder",
  "scope_key",
  "scope_name",
  "scope_parent",
  "scope_check",
  "scope_levels",
  "scope_has",
  "scope_call",
  "scope_unlock",
  "scope_close",
  "scope_leave",
  "scope_defer",
  "scope_missing",
  "view_elsewhere",
  "named_state",
  "misfit",
  "born",
  "attempt",
  "by",
  "document",
  "entered_by",
  "revised",
};

int32_t latch_host_function(const char *name) {
  for (int32_t function = 0; function < LATCH_HOST_FUNCTIONS; function++) {
    if (strcmp(NAMES[function], name) == 0) return function;
  }
  return -1;
}

/// Returns after the arguments have been encoded into vm->arguments; otherwise raises.
static void encode_arguments(lua_State *L, latch_vm *vm) {
  latch_buffer_clear(&vm->arguments);
  latch_encoder encoder;
  latch_encoder_begin(&encoder, vm, &vm->arguments);
  encoder.unnamed_map = LATCH_TAG_UNNAMED_MAP;
  int count = lua_gettop(L);
  for (int i = 1; i <= count; i++) {
    if (!latch_encode(&encoder, L, i)) luaL_error(L, "%s", encoder.fault);
  }
  if (vm->arguments.failed) latch_raise_no_memory(L);
}

/// The host answers later: the request is its reply, a list.
static int wait_for_host(lua_State *L, latch_vm *vm) {
  latch_buffer_clear(&vm->out);
  latch_buffer_add(&vm->out, vm->reply.bytes, vm->reply.length);
  return latch_wait_for_answer(L);
}

/// The cost of a call of the host, without that of its arguments.
enum { INSTRUCTIONS_PER_QUESTION = 10 };

void latch_charge_question(lua_State *L, int index) {
  uint8_t count[10];
  size_t length = lua_rawlen(L, index);
  latch_charge_instructions(L, INSTRUCTIONS_PER_QUESTION);
  latch_charge(L, 1 + (size_t)(latch_write_count(count, length) - count) + length);
}

int latch_ask_host(lua_State *L, int32_t function) {
  latch_vm *vm = latch_of(L);
  latch_charge_instructions(L, INSTRUCTIONS_PER_QUESTION);
  if (vm->host.callback == NULL) return luaL_error(L, "there is no host to answer");
  vm->host.was_asked = true;
  encode_arguments(L, vm);
  latch_buffer_clear(&vm->reply);
  latch_reply_kind kind =
    vm->host.callback(vm->host.context, function, vm->arguments.bytes, vm->arguments.length);
  if (vm->reply.failed) return latch_raise_no_memory(L);
  if (kind == LATCH_REPLY_ERROR || kind == LATCH_REPLY_RAISED) {
    latch_push_where(L);
    lua_pushlstring(L, (const char *)vm->reply.bytes, vm->reply.length);
    lua_concat(L, 2);
    vm->is_raised = kind == LATCH_REPLY_RAISED;
    return lua_error(L);
  }
  if (kind == LATCH_REPLY_WAIT) return wait_for_host(L, vm);
  lua_settop(L, 0);
  const uint8_t *cursor = vm->reply.bytes, *end = cursor + vm->reply.length;
  if (kind == LATCH_REPLY_VALUE) {
    latch_decode(L, &cursor, end, 0);
    vm->is_raised = true;
    return lua_error(L);
  }
  // Decoding may run a collection but no script and no host function: the bytes do not move.
  while (cursor < end) {
    latch_check_stack(L, 2, "too many results");
    latch_decode(L, &cursor, end, 0);
  }
  return lua_gettop(L);
}

static int call_host(lua_State *L) {
  return latch_ask_host(L, (int32_t)lua_tointeger(L, lua_upvalueindex(1)));
}

void latch_push_host_function(lua_State *L, int32_t function) {
  lua_pushinteger(L, function);
  lua_pushcclosure(L, call_host, 1);
}

void latch_set_callback(latch_vm *vm, latch_callback callback, void *context) {
  vm->host.callback = callback;
  vm->host.context = context;
}

void latch_reply(latch_vm *vm, const uint8_t *bytes, size_t length) {
  latch_buffer_clear(&vm->reply);
  latch_buffer_add(&vm->reply, bytes, length);
}

void latch_set_host_functions(lua_State *L) {
  for (int32_t function = 0; function < LATCH_HOST_FUNCTIONS; function++) {
    latch_push_host_function(L, function);
    lua_setfield(L, -2, NAMES[function]);
  }
}
