/// Functions and strings that the host refers to by numbers.

#include "run/run.h"

latch_ref latch_keep_function(lua_State *L) {
  latch_vm *vm = latch_of(L);
  if (vm->phase != LATCH_LOADING) return luaL_ref(L, LUA_REGISTRYINDEX);
  latch_note_kept(vm, L);
  lua_rawseti(L, LUA_REGISTRYINDEX, -(vm->kept + 1));
  return -++vm->kept;
}

void latch_take_function(lua_State *L, lua_Integer reference) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, reference);
  if (!lua_isfunction(L, -1)) luaL_error(L, "the host has no such function");
  luaL_unref(L, LUA_REGISTRYINDEX, (int)reference);
}

typedef struct {
  const char *text;
  size_t length;
  latch_ref kept;
} latch_kept_string;

static int keep_string(lua_State *L) {
  latch_kept_string *request = lua_touserdata(L, 1);
  latch_vm *vm = latch_of(L);
  lua_pushlstring(L, request->text, request->length);
  lua_rawseti(L, LUA_REGISTRYINDEX, -(vm->kept + 1));
  request->kept = -++vm->kept;
  return 0;
}

latch_status latch_keep_string(latch_vm *vm, const char *text, size_t length, latch_ref *kept) {
  latch_kept_string request = {text, length, LATCH_NO_REF};
  latch_status status = latch_protect(vm, keep_string, &request, 0);
  *kept = request.kept;
  return status;
}

int32_t latch_kept(const latch_vm *vm) { return vm->kept; }

void latch_release(latch_vm *vm, latch_ref reference) {
  if (reference <= LATCH_NO_REF) return;
  luaL_unref(vm->L, LUA_REGISTRYINDEX, reference);  // writes to existing slots: never allocates
}
