/// The current payload, which rules and reducers get.
///
/// It is read-only. Most functions only read its fields (latch_only_reads): those get the plain
/// table itself, which is filled again with the next payload of that kind. For a function that may
/// write to it or keep it, the payload is frozen, and then it never changes.

#include <string.h>

#include "run/run.h"

/// Decodes the fields that follow, and puts them into the table on top of the stack. `is_new`: the
/// table is empty; otherwise it must have exactly these fields. False: it has others.
static bool fill(
  lua_State *L, latch_bytes *bytes, const uint8_t *cursor, uint32_t count, bool is_new) {
  const uint8_t *end = bytes->bytes + bytes->length;
  int table = lua_gettop(L), name = table + 1;
  uint32_t shape = latch_of(L)->payload_shape;
  for (uint32_t i = 0; i < count; i++) {
    latch_decode_name(L, &cursor, end);
    if (!is_new) {
      lua_pushvalue(L, -1);
      if (lua_rawget(L, table) == LUA_TNIL) return false;
      lua_pop(L, 1);
    }
    latch_decode(L, &cursor, end, 1);
    if (lua_istable(L, -1)) {
      latch_shape_payload_field(L, shape, name);
      latch_freeze(L);
    }
    lua_rawset(L, table);
  }
  return true;
}

static int set_payload(lua_State *L) {
  latch_bytes *bytes = lua_touserdata(L, 1);
  latch_vm *vm = latch_of(L);
  const uint8_t *cursor = bytes->bytes;
  uint32_t count = (uint32_t)latch_decode_record(L, &cursor, bytes->bytes + bytes->length);
  bool may_refill = !vm->payload_is_frozen && vm->payload_fields == count;
  vm->payload_fields = 0;
  if (may_refill) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_PAYLOAD_FIELDS);
    may_refill = fill(L, bytes, cursor, count, false);
    if (may_refill) latch_give_payload_shape(L, vm->payload_shape);
  }
  if (!may_refill) {
    lua_settop(L, 1);
    lua_createtable(L, 0, (int)count);
    fill(L, bytes, cursor, count, true);
    latch_give_payload_shape(L, vm->payload_shape);
    lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_PAYLOAD_FIELDS);
    vm->payload_is_frozen = false;
  }
  vm->payload_fields = count;
  return 0;
}

/// Longer payloads are not compared with the one before, and only small ones field by field.
enum { LONGEST_KNOWN = 1024, MOST_SLOTS = 16 };

/// The cell of the field with that name, in a table of few fields; NULL if there is none.
static latch_cell *field_named(const void *table, const uint8_t *name, size_t length) {
  for (uint32_t i = 0; i < latch_hash_slots(table); i++) {
    const lua_slot_part *slot = latch_hash_slot(table, i);
    if (slot->part.key_type != LATCH_CELL_SHORT_TEXT) continue;
    const lua_string_part *key = slot->part.key;
    if (key->short_length == length && memcmp(key->bytes, name, length) == 0) {
      return (latch_cell *)(uintptr_t)&slot->cell;
    }
  }
  return NULL;
}

/// Fills the table of the previous payload with one that differs only in integers, as those of many
/// actions do: without a protected call, since nothing is allocated. False: that is not enough.
static bool refill_integers(latch_vm *vm, const uint8_t *bytes, size_t length) {
  const uint8_t *known = vm->payload.bytes;
  if (vm->payload_is_frozen || vm->payload_fields == 0 || bytes[0] != LATCH_TAG_RECORD) {
    return false;
  }
  lua_rawgeti(vm->L, LUA_REGISTRYINDEX, LATCH_R_PAYLOAD_FIELDS);
  const void *table = lua_topointer(vm->L, -1);
  lua_pop(vm->L, 1);
  if (latch_hash_slots(table) > MOST_SLOTS || bytes[1] != vm->payload_fields) return false;
  size_t at = 2;
  while (at < length) {
    size_t name = bytes[at] + (size_t)1, value = at + name, integer = sizeof(lua_Integer);
    if (bytes[at] > 127 || value + 1 > length || memcmp(known + at, bytes + at, name + 1) != 0) {
      return false;
    }
    if (bytes[value] != LATCH_TAG_INTEGER || value + 1 + integer > length) return false;
    latch_cell *cell = field_named(table, bytes + at + 1, name - 1);
    if (cell == NULL || cell->type != LATCH_CELL_INTEGER) return false;
    uint64_t word = 0;
    for (int i = 0; i < 8; i++) word |= (uint64_t)bytes[value + 1 + i] << (8 * i);
    cell->integer = (lua_Integer)word;
    at = value + 1 + integer;
  }
  memcpy(vm->payload.bytes, bytes, length);
  return true;
}

/// Makes the empty payload of its shape the one under way.
static latch_status set_empty(latch_vm *vm) {
  latch_push_empty_payload(vm->L, vm->payload_shape);
  if (lua_isnil(vm->L, -1)) {
    lua_pop(vm->L, 1);
    latch_status status = latch_make_empty_payload(vm, vm->payload_shape);
    if (status != LATCH_OK) return status;
    latch_push_empty_payload(vm->L, vm->payload_shape);
  }
  lua_rawseti(vm->L, LUA_REGISTRYINDEX, LATCH_R_PAYLOAD);
  vm->payload_is_frozen = true;
  return LATCH_OK;
}

latch_status latch_set_payload(latch_vm *vm, const uint8_t *bytes, size_t length, uint32_t shape) {
  latch_buffer *known = &vm->payload;
  if (shape > vm->payload_shapes) shape = 0;
  bool is_known = vm->payload_is_known && length == known->length && shape == vm->payload_shape;
  if (is_known && (length == 0 || memcmp(known->bytes, bytes, length) == 0)) return LATCH_OK;
  if (is_known && refill_integers(vm, bytes, length)) return LATCH_OK;
  vm->payload_is_known = length <= LONGEST_KNOWN;
  vm->payload_shape = shape;
  latch_buffer_clear(known);
  if (vm->payload_is_known) latch_buffer_add(known, bytes, length);
  latch_bytes request = {bytes, length};
  latch_status status = length == 0 ? set_empty(vm) : latch_protect(vm, set_payload, &request, 0);
  if (status != LATCH_OK || known->failed) vm->payload_is_known = false;
  return status;
}

static int keep_payload(lua_State *L) {
  latch_ref *kept = lua_touserdata(L, 1);
  latch_push_frozen_payload(L);
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
  vm->payload_is_frozen = true;
  vm->payload_is_known = false;
  latch_release(vm, kept);
}
