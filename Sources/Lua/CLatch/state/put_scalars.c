/// Scalars that the host writes into the state outside of any transaction, to restore the state of
/// another run: they are in no undo log, and readers are not informed.

#include "state/state.h"

typedef struct {
  const uint8_t *bytes, *end;
  bool is_done;
} latch_scalars;

static bool is_scalar(lua_State *L, int index) {
  int type = lua_type(L, index);
  return type == LUA_TBOOLEAN || type == LUA_TNUMBER || type == LUA_TSTRING;
}

/// Puts the next one. False: it cannot be put, and the stack is as it was.
static bool put_next(lua_State *L, latch_vm *vm, const uint8_t **cursor, const uint8_t *end) {
  int top = lua_gettop(L);
  const void *node = vm->root;
  uint8_t keys = *(*cursor)++;
  for (uint8_t i = 1; i < keys && node != NULL; i++) {
    latch_decode(L, cursor, end, 0);
    node = latch_node_at(L, latch_data_of(node), latch_top_cells(L, 1));
    lua_settop(L, top);
  }
  bool may_be_put = false;
  if (node != NULL && keys > 0) {
    latch_push_table(L, latch_data_of(node));
    latch_decode(L, cursor, end, 0);
    lua_pushvalue(L, -1);
    lua_rawget(L, top + 1);
    bool was_scalar = is_scalar(L, -1);
    lua_pop(L, 1);
    latch_decode(L, cursor, end, 0);
    may_be_put = was_scalar && is_scalar(L, -1);
    if (may_be_put) lua_rawset(L, top + 1);
  }
  lua_settop(L, top);
  return may_be_put;
}

static int put_scalars(lua_State *L) {
  latch_scalars *scalars = lua_touserdata(L, 1);
  latch_vm *vm = latch_of(L);
  latch_check_stack(L, 8, "too much at once");
  while (scalars->bytes < scalars->end) {
    if (!put_next(L, vm, &scalars->bytes, scalars->end)) return 0;
  }
  scalars->is_done = true;
  return 0;
}

latch_status latch_put_scalars(latch_vm *vm, const uint8_t *bytes, size_t length, bool *is_done) {
  latch_scalars scalars = {bytes, bytes + length, vm->root != NULL && length == 0};
  latch_status status = LATCH_OK;
  if (vm->root != NULL && length > 0) status = latch_protect_unlimited(vm, put_scalars, &scalars);
  // The state has grown by at most all of these bytes.
  size_t room = vm->limits.state > vm->state_bound ? vm->limits.state - vm->state_bound : 0;
  if (vm->limits.state > 0) vm->state_bound += length < room ? length : room;
  *is_done = scalars.is_done;
  return status;
}
