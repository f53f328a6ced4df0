/// Calls from Lua to the host. The Swift function returns first; only then is anything raised.

#include "vm.h"

/// The arguments have been encoded into vm->arguments, or this has raised.
static void encode_arguments(lua_State *L, latch_vm *vm) {
  latch_buffer_clear(&vm->arguments);
  latch_encoder encoder;
  latch_encoder_begin(&encoder, vm, &vm->arguments);
  int count = lua_gettop(L);
  for (int i = 1; i <= count; i++) {
    if (!latch_encode(&encoder, L, i)) luaL_error(L, "%s", encoder.fault);
  }
  if (vm->arguments.failed) latch_raise_no_memory(L);
}

/// The host answers later: the request is the reply that it gave, a list.
static int wait_for_host(lua_State *L, latch_vm *vm) {
  latch_buffer_clear(&vm->out);
  latch_buffer_add(&vm->out, vm->reply.bytes, vm->reply.length);
  return latch_wait_for_answer(L);
}

static int call_host(lua_State *L) {
  latch_vm *vm = latch_of(L);
  if (vm->callback == NULL) return luaL_error(L, "no host answers");
  encode_arguments(L, vm);
  int32_t function = (int32_t)lua_tointeger(L, lua_upvalueindex(1));
  latch_buffer_clear(&vm->reply);
  latch_reply_kind kind =
    vm->callback(vm->callback_context, function, vm->arguments.bytes, vm->arguments.length);
  if (kind == LATCH_REPLY_ERROR) {
    latch_push_where(L);
    lua_pushlstring(L, (const char *)vm->reply.bytes, vm->reply.length);
    lua_concat(L, 2);
    return lua_error(L);
  }
  if (kind == LATCH_REPLY_WAIT) return wait_for_host(L, vm);
  lua_settop(L, 0);
  const uint8_t *cursor = vm->reply.bytes, *end = cursor + vm->reply.length;
  // Decoding may run a collection but no script and no host function: the bytes stay put.
  while (cursor < end) {
    latch_check_stack(L, 2, "too many results");
    latch_decode(L, &cursor, end, 0);
  }
  return lua_gettop(L);
}

void latch_set_callback(latch_vm *vm, latch_callback callback, void *context) {
  vm->callback = callback;
  vm->callback_context = context;
}

void latch_reply(latch_vm *vm, const uint8_t *bytes, size_t length) {
  latch_buffer_clear(&vm->reply);
  latch_buffer_add(&vm->reply, bytes, length);
}

typedef struct {
  const char *name;
  int32_t function;
} latch_provided;

static int provide(lua_State *L) {
  latch_provided *request = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_PRELUDE);
  lua_getfield(L, -1, "host");
  lua_pushinteger(L, request->function);
  lua_pushcclosure(L, call_host, 1);
  lua_setfield(L, -2, request->name);
  return 0;
}

latch_status latch_provide(latch_vm *vm, const char *name, int32_t function) {
  latch_provided request = {name, function};
  return latch_protect(vm, provide, &request, 0);
}
