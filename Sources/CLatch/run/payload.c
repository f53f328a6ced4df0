/// The payload of the action under way, which rules and reducers get.

#include <string.h>

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

/// Longer ones are not compared with the one before.
enum { LONGEST_KNOWN = 1024 };

latch_status latch_set_payload(latch_vm *vm, const uint8_t *bytes, size_t length) {
  latch_buffer *known = &vm->payload;
  bool is_known = vm->payload_is_known && length == known->length;
  if (is_known && (length == 0 || memcmp(known->bytes, bytes, length) == 0)) return LATCH_OK;
  vm->payload_is_known = length <= LONGEST_KNOWN;
  latch_buffer_clear(known);
  if (vm->payload_is_known) latch_buffer_add(known, bytes, length);
  if (length == 0) {
    lua_rawgeti(vm->L, LUA_REGISTRYINDEX, LATCH_R_EMPTY_PAYLOAD);
    lua_rawseti(vm->L, LUA_REGISTRYINDEX, LATCH_R_PAYLOAD);
    return LATCH_OK;
  }
  latch_bytes request = {bytes, length};
  latch_status status = latch_protect(vm, set_payload, &request, 0);
  if (status != LATCH_OK || known->failed) vm->payload_is_known = false;
  return status;
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
  vm->payload_is_known = false;
  latch_release(vm, kept);
}
