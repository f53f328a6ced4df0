/// Undoing the writes of a transaction, the last one first.

#include <string.h>

#include "state/state.h"

static void push_key(lua_State *L, latch_scalar key, uint32_t anchor) {
  if (anchor != 0) latch_push_anchored(L, anchor);
  else if (key.tag == LATCH_TAG_INTEGER) lua_pushinteger(L, (lua_Integer)key.word);
  else if (key.tag == LATCH_TAG_STRING) lua_pushlstring(L, key.text, key.length);
  else lua_pushboolean(L, 0);
}

static void put_place_back(lua_State *L, const latch_written *write) {
  latch_push_table(L, write->moved);
  if (write->parent != NULL) latch_push_table(L, write->parent);
  else lua_pushboolean(L, 0);
  push_key(L, write->place, write->key_anchor);
  latch_set_place(L, 1, 2, 3);
}

static void push_old(lua_State *L, const latch_written *write) {
  lua_Number number;
  switch (write->old.tag) {
    case LATCH_TAG_NIL: lua_pushnil(L); break;
    case LATCH_TAG_INTEGER: lua_pushinteger(L, (lua_Integer)write->old.word); break;
    case LATCH_TAG_NUMBER:
      memcpy(&number, &write->old.word, sizeof number);
      lua_pushnumber(L, number);
      break;
    case LATCH_TAG_STRING:
      if (write->anchor != 0) latch_push_anchored(L, write->anchor);
      else lua_pushlstring(L, write->old.text, write->old.length);  // a machine's state
      break;
    default: lua_pushboolean(L, write->old.tag == LATCH_TAG_TRUE);
  }
}

void latch_push_place_key(lua_State *L, const latch_written *write) {
  push_key(L, write->place, write->key_anchor);
}

void latch_push_written_place(lua_State *L, const latch_vm *vm, const latch_written *write) {
  const latch_written_node *node = (latch_written_node *)vm->log.nodes.items + write->node;
  latch_push_table(L, node->node);
  push_key(L, write->key, write->key_anchor);
}

void latch_take_back(lua_State *L, latch_vm *vm) {
  const latch_written *writes = vm->log.writes.items;
  for (uint32_t i = vm->log.writes.count; i > 0; i--) {
    const latch_written *write = &writes[i - 1];
    lua_settop(L, 0);
    if (write->entry == LATCH_PLACE_ENTRY) {
      put_place_back(L, write);
      continue;
    }
    if (write->entry != 0) {
      latch_undo_entry(L, write->entry);
      continue;
    }
    latch_push_written_place(L, vm, write);
    push_old(L, write);
    latch_push_node_data(L, 1);
    lua_replace(L, 1);
    lua_rawset(L, 1);
  }
}
