/// From a patch back to writes, which the host makes through a writer of the prelude.

#include "state/state.h"

enum { SET = 0, INSERT = 1, REMOVE = 2, KIND = 3 };

typedef struct {
  const uint8_t *bytes;
  size_t length;
  bool backwards;
  lua_State *thread;
} latch_changes;

/// Pushes the next change of the patch as { operation, path, value }. A change of an empty table's
/// kind becomes a write of a new table of that kind.
static void push_change(lua_State *L, const uint8_t **cursor, const uint8_t *end, bool backwards) {
  if (*cursor == end) luaL_error(L, "a patch is cut short");
  int operation = *(*cursor)++;
  if (operation == KIND) operation = SET;
  if (backwards && operation != SET) operation = operation == INSERT ? REMOVE : INSERT;
  lua_createtable(L, 3, 0);
  lua_pushinteger(L, operation);
  lua_rawseti(L, -2, 1);
  latch_decode(L, cursor, end, 0);
  lua_rawseti(L, -2, 2);
  if (!backwards) latch_skip(L, cursor, end, 0);  // the old value
  latch_decode(L, cursor, end, 0);
  if (backwards) latch_skip(L, cursor, end, 0);  // the new value
  lua_rawseti(L, -2, 3);
}

static int push_changes(lua_State *L) {
  latch_changes *request = lua_touserdata(L, 1);
  const uint8_t *cursor = request->bytes, *end = cursor + request->length;
  lua_newtable(L);
  lua_Integer count = 0;
  while (cursor < end) {
    push_change(L, &cursor, end, request->backwards);
    lua_rawseti(L, 2, ++count);
  }
  if (request->backwards) {
    for (lua_Integer i = 1, j = count; i < j; i++, j--) {
      lua_rawgeti(L, 2, i);
      lua_rawgeti(L, 2, j);
      lua_rawseti(L, 2, i);
      lua_rawseti(L, 2, j);
    }
  }
  lua_xmove(L, request->thread, 1);
  return 0;
}

latch_status latch_apply_patch(latch_vm *vm, latch_ref function, const uint8_t *patch,
  size_t length, bool backwards, latch_run options) {
  lua_State *thread = latch_thread_for_run(vm);
  if (thread == NULL) return vm->failure.status;
  lua_rawgeti(thread, LUA_REGISTRYINDEX, function);
  latch_changes request = {patch, length, backwards, thread};
  vm->keeps_kinds = true;
  latch_status status = latch_protect(vm, push_changes, &request, 0);
  vm->keeps_kinds = false;
  if (status != LATCH_OK) {
    lua_settop(thread, 0);
    return status;
  }
  int results = 0;
  options.phase = LATCH_REDUCER;
  vm->host_writes = vm->records.by_host = true;
  status = latch_run_thread(vm, thread, 1, options, &results);
  vm->host_writes = false;
  if (status == LATCH_OK) lua_settop(thread, 0);
  return status;
}
