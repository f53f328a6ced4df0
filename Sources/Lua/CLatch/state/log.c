/// The log of the current transaction: its writes, in order, so that they can be undone and encoded
/// in a patch.
///
/// A write that neither adds nor removes a table is stored here completely: the node, the key, the
/// old value and the new one, with the path of the node at that time, all packed in C memory.
/// Another write to the same place changes this entry. Any other write is an entry in the undo log
/// (undo_log.c), which holds Lua values; the log has its number and its part of the patch.
///
/// After such an entry, the writes before it are not changed any more. Once tables have moved,
/// paths are computed again.

#include <string.h>

#include "state/state.h"

enum { FEW = 8 };

/// The arrays are large from this size on. They are freed after so many transactions in a row that
/// use little of them: creating them again in each takes longer than filling them.
enum { MUCH = 4096, MOST_IDLE = 16 };

/// The arrays kept for later transactions take at most this part of the VM's memory: otherwise a
/// large one would be why a small one runs out of it.
enum { KEPT_PART = 8 };

static bool takes_too_much(const latch_vm *vm) {
  return vm->memory.limit > 0 && vm->aside > vm->memory.limit / KEPT_PART;
}

// MARK: What is kept alive

/// Keeps the value at `index` alive until the transaction ends, and returns its number.
uint32_t latch_anchor(lua_State *L, int index) {
  latch_log *log = &latch_of(L)->log;
  lua_pushvalue(L, index);
  if (lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_ANCHORS) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_ANCHORS);
  }
  lua_insert(L, -2);
  lua_rawseti(L, -2, (lua_Integer)log->anchors + 1);
  lua_pop(L, 1);
  return ++log->anchors;
}

static uint32_t anchor_text(lua_State *L, latch_scalar text) {
  latch_check_stack(L, 4, "too much at once");
  latch_push_string(L, latch_string_of(text.text), text.length > LATCH_LONGEST_KNOWN);
  uint32_t anchor = latch_anchor(L, -1);
  lua_pop(L, 1);
  latch_of(L)->log.has_long_texts |= text.length > LATCH_LONGEST_KNOWN;
  return anchor;
}

void latch_push_anchored(lua_State *L, uint32_t anchor) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_ANCHORS);
  lua_rawgeti(L, -1, anchor);
  lua_remove(L, -2);
}

// MARK: Scalars over scalars

/// The same number for equal texts, wherever they stand. It begins with an address, so that no
/// script can tell which texts get numbers that are alike.
static uint64_t number_of_text(latch_scalar text) {
  static const char seed = 0;
  latch_digest hash = {(uint64_t)(uintptr_t)&seed, 0};
  latch_mix_text(&hash, text.text, text.length);
  return hash.first;
}

static uint32_t hash_of_place(uint32_t node, latch_scalar key) {
  bool is_long = key.tag == LATCH_TAG_STRING && key.length > LATCH_LONGEST_KNOWN;
  return latch_hash((is_long ? number_of_text(key) : key.word) + node * 0xff51afd7ed558ccdu);
}

static bool is_at(const latch_written *write, uint32_t node, latch_scalar key) {
  return write->node == node && latch_scalar_equals(write->key, key);
}

static uint32_t find_write(const latch_log *log, uint32_t node, latch_scalar key) {
  const latch_written *writes = log->writes.items;
  const latch_index *index = &log->writes_by_place;
  if (index->mask == 0) {
    for (uint32_t i = log->first_write; i < log->writes.count; i++) {
      if (is_at(&writes[i], node, key)) return i;
    }
    return LATCH_NOT_WRITTEN;
  }
  for (uint32_t slot = hash_of_place(node, key) & index->mask;; slot = (slot + 1) & index->mask) {
    if (index->slots[slot] == 0) return LATCH_NOT_WRITTEN;
    if (is_at(&writes[index->slots[slot] - 1], node, key)) return index->slots[slot] - 1;
  }
}

static void put_write(const latch_log *log, latch_index *index, uint32_t number) {
  const latch_written *write = (latch_written *)log->writes.items + number;
  latch_index_put(index, hash_of_place(write->node, write->key), number);
}

/// Adds the last write to the index.
static void index_write(lua_State *L, latch_log *log) {
  latch_index *index = &log->writes_by_place;
  uint32_t count = log->writes.count - log->first_write;
  if (count <= FEW) return;
  if (index->mask != 0 && count <= index->mask / 2) {
    put_write(log, index, log->writes.count - 1);
    return;
  }
  latch_index_clear(L, index, count);
  for (uint32_t i = log->first_write; i < log->writes.count; i++) put_write(log, index, i);
}

void latch_log_scalar(lua_State *L, latch_vm *vm, const void *node_address, latch_scalar key,
  latch_scalar old, latch_scalar new) {
  latch_log *log = &vm->log;
  uint32_t node = latch_written_node_at(L, vm, node_address, 0);
  // If a key is added or removed, nothing else may keep it alive; a long one is not found by its
  // address.
  bool keeps_key =
    key.tag == LATCH_TAG_STRING &&
    (old.tag == LATCH_TAG_NIL || new.tag == LATCH_TAG_NIL || key.length > LATCH_LONGEST_KNOWN);
  uint32_t found = find_write(log, node, key);
  if (found != LATCH_NOT_WRITTEN) {
    latch_written *write = (latch_written *)log->writes.items + found;
    if (keeps_key && write->key_anchor == 0) write->key_anchor = anchor_text(L, key);
    write->new = new;
    write->is_told = false;
    return;
  }
  latch_written *write = latch_array_room(L, &log->writes, sizeof *write);
  latch_written_node *written = (latch_written_node *)log->nodes.items + node;
  // A value in the state is kept alive by its table, or by the undo log.
  if (!written->is_in_state && written->anchor == 0) {
    latch_push_table(L, node_address);
    written->anchor = latch_anchor(L, -1);
    lua_pop(L, 1);
  }
  *write = (latch_written){.node = node, .key = key, .old = old, .new = new};
  if (old.tag == LATCH_TAG_STRING) write->anchor = anchor_text(L, old);
  if (keeps_key) write->key_anchor = anchor_text(L, key);
  log->writes.count++;
  index_write(L, log);
}

void latch_log_place(lua_State *L, latch_vm *vm, const void *node) {
  latch_log *log = &vm->log;
  const void *metatable = latch_metatable_of(node);
  const latch_cell *above = latch_element_cell(metatable, 1);
  latch_written *write = latch_array_room(L, &log->writes, sizeof *write);
  *write = (latch_written){.entry = LATCH_PLACE_ENTRY,
    .moved = node,
    .place = latch_scalar_of(latch_element_cell(metatable, 2))};
  if (above->type == LATCH_CELL_TABLE) {
    write->parent = above->object;
    if (write->parent != log->last_parent) {
      latch_push_table(L, write->parent);
      latch_anchor(L, -1);
      lua_pop(L, 1);
      log->last_parent = write->parent;
    }
  }
  if (write->place.tag == LATCH_TAG_STRING) write->key_anchor = anchor_text(L, write->place);
  log->first_write = ++log->writes.count;
  log->writes_by_place.mask = 0;
}

bool latch_log_move(
  latch_vm *vm, const void *address, latch_scalar key, latch_scalar old, latch_scalar new) {
  latch_log *log = &vm->log;
  bool has_room = log->nodes.count < log->nodes.capacity &&
                  log->writes.count < log->writes.capacity &&
                  log->nodes.count - log->first_node < FEW &&
                  log->writes.count - log->first_write < FEW && old.length <= LATCH_LONGEST_KNOWN;
  if (!has_room) return false;
  uint32_t node = latch_find_written_node(log, address);
  if (node == LATCH_NOT_WRITTEN && address == vm->root) {
    node = log->nodes.count++;
    ((latch_written_node *)log->nodes.items)[node] =
      (latch_written_node){.node = vm->root, .above = node, .is_in_state = true};
  } else if (node == LATCH_NOT_WRITTEN) {
    if (!latch_has_room_for_node(vm, address)) return false;
    node = latch_written_node_at(vm->L, vm, address, 0);
  }
  if (!((const latch_written_node *)log->nodes.items)[node].is_in_state) return false;
  uint32_t found = find_write(log, node, key);
  latch_written *writes = log->writes.items;
  if (found == LATCH_NOT_WRITTEN) {
    writes[log->writes.count++] = (latch_written){.node = node, .key = key, .old = old, .new = new};
    return true;
  }
  writes[found].new = new;
  writes[found].is_told = false;
  return true;
}

void latch_log_entry(lua_State *L, latch_vm *vm, uint32_t entry, latch_piece piece) {
  latch_log *log = &vm->log;
  latch_written *room = latch_array_room(L, &log->writes, sizeof *room);
  *room = (latch_written){.entry = entry, .start = piece.start, .end = piece.end};
  log->first_write = ++log->writes.count;
  log->writes_by_place.mask = 0;
  log->pieces_end = log->pieces.length;
  log->holes_end = log->holes.count;
}

// MARK: Beginning and ending

void latch_log_begin(latch_vm *vm) {
  latch_log *log = &vm->log;
  log->writes.count = log->nodes.count = log->holes.count = log->holes_end = 0;
  latch_buffer_clear(&log->paths);
  latch_buffer_clear(&log->pieces);
  latch_buffer_clear(&log->fillings);
  log->pieces_end = 0;
  log->first_write = log->anchors = 0;
  log->writes_by_place.mask = 0;
  log->has_long_texts = false;
  log->last_parent = NULL;
  latch_forget_paths(vm);
}

/// The next value that is kept alive creates a new table. This function allocates nothing.
static void forget_anchors(lua_State *L, latch_log *log) {
  log->anchors = 0;
  if (lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_ANCHORS) == LUA_TTABLE) {
    lua_pushboolean(L, 0);
    lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_ANCHORS);
  }
  lua_pop(L, 1);
}

void latch_log_end(lua_State *L, latch_vm *vm) {
  latch_log *log = &vm->log;
  if (log->anchors > MUCH && takes_too_much(vm)) {
    forget_anchors(L, log);
    return;
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_ANCHORS);
  const latch_cell nothing = {{0}, LATCH_CELL_FALSE};
  for (uint32_t i = log->anchors; i > 0; i--) {
    latch_cell *cell = latch_element_cell(lua_topointer(L, -1), i);
    if (cell != NULL) {
      latch_put_in_cell(cell, &nothing);
      continue;
    }
    lua_pushboolean(L, 0);
    lua_rawseti(L, -2, i);
  }
  lua_pop(L, 1);
}

bool latch_log_may_stay(const latch_vm *vm) {
  const latch_log *log = &vm->log;
  // A few nodes that are in the state anyway, and short texts, stay until they are overwritten.
  return log->anchors <= FEW && !log->has_long_texts && !vm->structural;
}

void latch_log_free(latch_vm *vm) {
  latch_log *log = &vm->log;
  latch_array_free(vm, &log->writes, sizeof(latch_written));
  latch_array_free(vm, &log->nodes, sizeof(latch_written_node));
  latch_array_free(vm, &log->holes, sizeof(latch_hole));
  latch_index_free(vm, &log->writes_by_place);
  latch_index_free(vm, &log->nodes_by_address);
  latch_index_free(vm, &log->holes_by_address);
}

static bool is_large(const latch_array *array) { return array->capacity > MUCH; }

static bool is_used(const latch_array *array) {
  return is_large(array) && array->count > array->capacity / 4;
}

void latch_log_shrink(latch_vm *vm) {
  latch_log *log = &vm->log;
  if (!is_large(&log->writes) && !is_large(&log->nodes)) return;
  log->idle = is_used(&log->writes) || is_used(&log->nodes) ? 0 : log->idle + 1;
  if (log->idle < MOST_IDLE && !takes_too_much(vm)) return;
  latch_log_free(vm);
  log->idle = 0;
  forget_anchors(vm->L, log);
}
