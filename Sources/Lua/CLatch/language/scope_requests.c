/// The host's requests to instances of scopes.

#include "language/language.h"

typedef struct {
  lua_Integer number;
  latch_ref kept;
} latch_instance_request;

static int keep_instance(lua_State *L) {
  latch_instance_request *request = lua_touserdata(L, 1);
  latch_push_instance(L, request->number);
  request->kept = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

latch_status latch_scope_instance(latch_vm *vm, int64_t number, latch_ref *kept) {
  latch_instance_request request = {number, LATCH_NO_REF};
  latch_status status = latch_protect(vm, keep_instance, &request, 0);
  *kept = request.kept;
  return status;
}

static int forget_instance(lua_State *L) {
  const latch_instance_request *request = lua_touserdata(L, 1);
  latch_push_declared(L, LATCH_R_INSTANCES);
  lua_pushnil(L);
  lua_rawseti(L, -2, request->number);
  return 0;
}

void latch_forget_instance(latch_vm *vm, int64_t number) {
  latch_instance_request request = {number, LATCH_NO_REF};
  latch_protect(vm, forget_instance, &request, 0);
}

/// Drops the results of a clean-up.
static int nothing(lua_State *L, int status, lua_KContext context) {
  (void)L, (void)status, (void)context;
  return 0;
}

/// (number)
static int run_clean_up(lua_State *L) {
  lua_Integer number = lua_tointeger(L, 1);
  lua_settop(L, 0);
  latch_push_declared(L, LATCH_R_CLEAN_UPS);
  lua_rawgeti(L, 1, number);
  lua_pushnil(L);
  lua_rawseti(L, 1, number);
  lua_callk(L, 0, 0, 0, nothing);
  return 0;
}

latch_status latch_clean_up(latch_vm *vm, int64_t number, latch_run run) {
  return latch_run_function(vm, run_clean_up, number, run, LATCH_RUN_ANY, NULL, NULL);
}
