/// The payload of the action under way, which rules and reducers get.

#include "run/run.h"

static int set_payload(lua_State *L) {
  latch_bytes *bytes = lua_touserdata(L, 1);
  const uint8_t *cursor = bytes->bytes;
  latch_decode(L, &cursor, bytes->bytes + bytes->length, 0);
  if (!lua_istable(L, -1)) return luaL_error(L, "a payload is a record");
  latch_freeze(L);
  lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_PAYLOAD);
  return 0;
}

latch_status latch_set_payload(latch_vm *vm, const uint8_t *bytes, size_t length) {
  if (length == 0 && vm->payload_is_empty) return LATCH_OK;
  vm->payload_is_empty = length == 0;
  if (length == 0) {
    lua_rawgeti(vm->L, LUA_REGISTRYINDEX, LATCH_R_EMPTY_PAYLOAD);
    lua_rawseti(vm->L, LUA_REGISTRYINDEX, LATCH_R_PAYLOAD);
    return LATCH_OK;
  }
  latch_bytes request = {bytes, length};
  return latch_protect(vm, set_payload, &request, 0);
}

static int keep_payload(lua_State *L) {
  latch_ref *kept = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_PAYLOAD);
  *kept = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

latch_status latch_keep_payload(latch_vm *vm, latch_ref *kept) {
  *kept = LATCH_NO_REF;
  return latch_protect(vm, keep_payload, kept, 0);
}

void latch_put_payload_back(latch_vm *vm, latch_ref kept) {
  if (kept <= LATCH_NO_REF) return;
  lua_rawgeti(vm->L, LUA_REGISTRYINDEX, kept);
  lua_rawseti(vm->L, LUA_REGISTRYINDEX, LATCH_R_PAYLOAD);
  vm->payload_is_empty = false;  // it is not known to be
  latch_release(vm, kept);
}
