/// The log of the transition under way: what it has written, in order, so that it can be taken back
/// and told of in a patch.
///
/// A write in which no table comes or goes is all here: the node, the key, the old value and the
/// new one, with the path that the node had then, all of it packed in C memory. Where a place is
/// written to again, its entry is amended. Any other write is an entry in the journal (journal.c),
/// which holds Lua's values; the log has its number and what the patch says of it.
///
/// Such an entry ends a stretch of the log: what was written before is not amended any more. Where
/// tables have moved, paths are other ones from there on.

#include <string.h>

#include "state/state.h"

enum { FEW = 8, NOT_FOUND = UINT32_MAX };

/// From how much on the arrays are not kept for what comes later.
enum { MUCH = 4096 };

// MARK: Scalars

bool latch_scalar_equals(latch_scalar a, latch_scalar b) {
  if (a.tag != b.tag) return false;
  if (a.tag != LATCH_TAG_STRING || a.text == b.text) return a.word == b.word;
  return a.length > LATCH_LONGEST_KNOWN && a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

static size_t most_bytes(latch_scalar scalar) { return 11 + (size_t)scalar.length; }

/// Writes it at `out`, which has room for it, and gives the end.
static uint8_t *write_scalar(uint8_t *out, latch_scalar scalar) {
  *out++ = scalar.tag;
  if (scalar.tag == LATCH_TAG_INTEGER || scalar.tag == LATCH_TAG_NUMBER) {
    for (int i = 0; i < 8; i++) out[i] = (uint8_t)(scalar.word >> (8 * i));
    return out + 8;
  }
  if (scalar.tag != LATCH_TAG_STRING) return out;
  out = latch_write_count(out, scalar.length);
  memcpy(out, scalar.text, scalar.length);
  return out + scalar.length;
}

// MARK: What is kept alive

/// Keeps the value at `index` until the transition ends, and gives its number.
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

// MARK: Nodes

static uint32_t mixed(uint64_t word) { return (uint32_t)(word * 0x9e3779b97f4a7c15u >> 32); }

static void put(latch_index *index, uint32_t hash, uint32_t number) {
  uint32_t slot = hash & index->mask;
  while (index->slots[slot] != 0) slot = (slot + 1) & index->mask;
  index->slots[slot] = number + 1;
}

static uint32_t hash_of_node(const void *node) { return mixed((uint64_t)(uintptr_t)node); }

static uint32_t find_node(const latch_log *log, const void *node) {
  const latch_written_node *nodes = log->nodes.items;
  if (log->nodes_by_address.mask == 0) {
    for (uint32_t i = log->nodes.count; i > log->first_node; i--) {
      if (nodes[i - 1].node == node) return i - 1;
    }
    return NOT_FOUND;
  }
  const latch_index *index = &log->nodes_by_address;
  for (uint32_t slot = hash_of_node(node) & index->mask;; slot = (slot + 1) & index->mask) {
    if (index->slots[slot] == 0) return NOT_FOUND;
    if (nodes[index->slots[slot] - 1].node == node) return index->slots[slot] - 1;
  }
}

/// Has a new node found: it is the last one.
static void index_node(lua_State *L, latch_log *log) {
  latch_index *index = &log->nodes_by_address;
  const latch_written_node *nodes = log->nodes.items;
  uint32_t count = log->nodes.count - log->first_node;
  if (count <= FEW) return;
  if (index->mask != 0 && count <= index->mask / 2) {
    put(index, hash_of_node(nodes[log->nodes.count - 1].node), log->nodes.count - 1);
    return;
  }
  latch_index_clear(L, index, count);
  for (uint32_t i = log->first_node; i < log->nodes.count; i++) {
    put(index, hash_of_node(nodes[i].node), i);
  }
}

/// Looks where the node stands: its parent, and the key there. False: it stands nowhere.
static bool find_place(
  lua_State *L, const void *node, const void **parent, latch_cell *key) {
  const void *place = latch_metatable_of(node);
  const latch_cell *above = latch_element_cell(place, 1);
  if (above->type != LATCH_CELL_TABLE) return false;
  const latch_cell *under = latch_element_cell(place, 2);
  const latch_cell *there = latch_cell_at(latch_data_of(above->object), under);
  if (there != NULL && there->type == LATCH_CELL_TABLE && there->object == node) {
    *parent = above->object;
    *key = *under;
    return true;
  }
  // The element of a list that has moved, a long key, or an element outside of the table's array.
  latch_check_stack(L, 10, "the state is nested too deeply");
  latch_push_table(L, node);
  bool is_there = latch_push_place(L, -1);
  if (is_there) {
    *parent = lua_topointer(L, -2);
    *key = *latch_element_cell(place, 2);
    lua_pop(L, 2);
  }
  lua_pop(L, 1);
  return is_there;
}

/// Fills in the path of a node that stands under the key in that parent.
static void add_path(lua_State *L, latch_vm *vm, latch_written_node *node, const void *parent,
  const latch_cell *key, int depth) {
  latch_log *log = &vm->log;
  node->above = latch_written_node_at(L, vm, parent, depth + 1);
  const latch_written_node *above = (latch_written_node *)log->nodes.items + node->above;
  node->key = latch_scalar_of(key);
  if (!above->is_in_state || above->depth >= LATCH_DEEPEST_NESTING) return;
  size_t most = above->length + most_bytes(node->key);
  uint8_t *out = latch_buffer_room(&log->paths, most);
  if (out == NULL) latch_raise_no_memory(L);
  memcpy(out, log->paths.bytes + above->path, above->length);
  uint8_t *end = write_scalar(out + above->length, node->key);
  node->path = log->paths.length;
  node->length = (uint32_t)(end - out);
  node->depth = above->depth + 1;
  node->is_in_state = true;
  log->paths.length += node->length;
}

static uint32_t add_node(lua_State *L, latch_vm *vm, const void *address, int depth) {
  latch_log *log = &vm->log;
  latch_written_node node = {.node = address, .is_in_state = address == vm->root};
  const void *parent;
  latch_cell key;
  if (!node.is_in_state && depth <= LATCH_DEEPEST_NESTING && find_place(L, address, &parent, &key))
    add_path(L, vm, &node, parent, &key, depth);
  else
    node.above = log->nodes.count;
  latch_written_node *room = latch_array_room(L, &log->nodes, sizeof node);
  *room = node;
  log->nodes.count++;
  index_node(L, log);
  return log->nodes.count - 1;
}

uint32_t latch_written_node_at(lua_State *L, latch_vm *vm, const void *node, int depth) {
  latch_log *log = &vm->log;
  const latch_written_node *nodes = log->nodes.items;
  if (log->last_node < log->nodes.count && nodes[log->last_node].node == node)
    return log->last_node;
  uint32_t found = find_node(log, node);
  if (found == NOT_FOUND) found = add_node(L, vm, node, depth);
  log->last_node = found;
  return found;
}

void latch_forget_paths(latch_vm *vm) {
  latch_log *log = &vm->log;
  log->first_node = log->last_node = log->nodes.count;
  log->nodes_by_address.mask = 0;
}

// MARK: Scalars over scalars

static uint32_t hash_of_place(uint32_t node, latch_scalar key) {
  bool is_long = key.tag == LATCH_TAG_STRING && key.length > LATCH_LONGEST_KNOWN;
  return mixed((is_long ? key.length : key.word) + node * 0xff51afd7ed558ccdu);
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
    return NOT_FOUND;
  }
  for (uint32_t slot = hash_of_place(node, key) & index->mask;; slot = (slot + 1) & index->mask) {
    if (index->slots[slot] == 0) return NOT_FOUND;
    if (is_at(&writes[index->slots[slot] - 1], node, key)) return index->slots[slot] - 1;
  }
}

static void put_write(const latch_log *log, latch_index *index, uint32_t number) {
  const latch_written *write = (latch_written *)log->writes.items + number;
  put(index, hash_of_place(write->node, write->key), number);
}

/// Has a new write found: it is the last one.
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
  // Where a key comes or goes, nothing else may keep it; a long one is not found by its address.
  bool keeps_key = key.tag == LATCH_TAG_STRING && (old.tag == LATCH_TAG_NIL ||
                     new.tag == LATCH_TAG_NIL || key.length > LATCH_LONGEST_KNOWN);
  uint32_t found = find_write(log, node, key);
  if (found != NOT_FOUND) {
    latch_written *write = (latch_written *)log->writes.items + found;
    if (keeps_key && write->key_anchor == 0) write->key_anchor = anchor_text(L, key);
    write->new = new;
    return;
  }
  latch_written *write = latch_array_room(L, &log->writes, sizeof *write);
  latch_written_node *written = (latch_written_node *)log->nodes.items + node;
  // What is in the state is kept by what holds it, or by the journal.
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
  *write = (latch_written){.entry = LATCH_PLACE_ENTRY, .moved = node,
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

bool latch_log_move(latch_vm *vm, latch_scalar key, latch_scalar old, latch_scalar new) {
  latch_log *log = &vm->log;
  bool has_room = log->nodes.count < log->nodes.capacity &&
                  log->writes.count < log->writes.capacity &&
                  log->nodes.count - log->first_node < FEW &&
                  log->writes.count - log->first_write < FEW && old.length <= LATCH_LONGEST_KNOWN;
  if (!has_room) return false;
  uint32_t node = find_node(log, vm->root);
  if (node == NOT_FOUND) {
    node = log->nodes.count++;
    ((latch_written_node *)log->nodes.items)[node] =
      (latch_written_node){.node = vm->root, .above = node, .is_in_state = true};
  }
  uint32_t found = find_write(log, node, key);
  latch_written *writes = log->writes.items;
  if (found != NOT_FOUND) writes[found].new = new;
  else writes[log->writes.count++] = (latch_written){.node = node, .key = key, .old = old, .new = new};
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

// MARK: Taking back

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
      else lua_pushlstring(L, write->old.text, write->old.length);  // a machine's state: it is kept
      break;
    default: lua_pushboolean(L, write->old.tag == LATCH_TAG_TRUE);
  }
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

// MARK: The patch

/// Appends the change of one write to the patch, if it is one.
static void add_scalar_change(latch_vm *vm, const latch_written *write) {
  const latch_log *log = &vm->log;
  const latch_written_node *node = (latch_written_node *)log->nodes.items + write->node;
  if (!node->is_in_state || latch_scalar_equals(write->old, write->new)) return;
  size_t most = 12 + node->length + most_bytes(write->key) + most_bytes(write->old) +
                most_bytes(write->new);
  uint8_t *start = latch_buffer_room(&vm->patch, most), *out = start;
  if (out == NULL) return;
  *out++ = 0;  // it is set
  *out++ = LATCH_TAG_LIST;
  out = latch_write_count(out, node->depth + 1);
  memcpy(out, log->paths.bytes + node->path, node->length);
  out = write_scalar(out + node->length, write->key);
  out = write_scalar(out, write->old);
  out = write_scalar(out, write->new);
  vm->patch.length += (size_t)(out - start);
}

void latch_add_scalar_changes(latch_vm *vm) {
  const latch_written *writes = vm->log.writes.items;
  for (uint32_t i = 0; i < vm->log.writes.count; i++) add_scalar_change(vm, &writes[i]);
}

static uint32_t hash_of_hole(const latch_hole *hole) { return hash_of_node(hole->table); }

void latch_index_holes(lua_State *L, latch_vm *vm) {
  latch_log *log = &vm->log;
  const latch_hole *holes = log->holes.items;
  log->holes_by_address.mask = 0;
  if (log->holes_end <= FEW) return;
  latch_index_clear(L, &log->holes_by_address, log->holes_end);
  for (uint32_t i = 0; i < log->holes_end; i++) {
    put(&log->holes_by_address, hash_of_hole(&holes[i]), i);
  }
}

void latch_note_adopted(lua_State *L, const void *table) {
  latch_log *log = &latch_of(L)->log;
  latch_hole *holes = log->holes.items;
  const latch_index *index = &log->holes_by_address;
  uint32_t anchor = 0, slot = index->mask == 0 ? 0 : hash_of_node(table) & index->mask;
  for (uint32_t i = 0;; i++, slot = (slot + 1) & index->mask) {
    if (index->mask == 0 ? i == log->holes_end : index->slots[slot] == 0) break;
    latch_hole *hole = &holes[index->mask == 0 ? i : index->slots[slot] - 1];
    if (hole->table != table) continue;
    if (anchor == 0) anchor = latch_anchor(L, -1);
    hole->anchor = anchor;
  }
}

/// Appends the change of an entry of the journal, with what has become of its holes.
static uint32_t add_entry_change(
  lua_State *L, latch_vm *vm, const latch_written *write, uint32_t hole) {
  const latch_log *log = &vm->log;
  const latch_hole *holes = log->holes.items;
  size_t from = write->start;
  while (hole < log->holes_end && holes[hole].at <= from) hole++;  // of a change that was not made
  for (; hole < log->holes_end && holes[hole].at <= write->end; hole++) {
    latch_buffer_add(&vm->patch, log->pieces.bytes + from, holes[hole].at - from);
    from = holes[hole].at;
    latch_fill_hole(L, vm, write->entry, &holes[hole]);
  }
  latch_buffer_add(&vm->patch, log->pieces.bytes + from, write->end - from);
  return hole;
}

void latch_add_changes(lua_State *L, latch_vm *vm) {
  uint32_t hole = 0;
  for (uint32_t i = 0; i < vm->log.writes.count; i++) {
    const latch_written *write = (latch_written *)vm->log.writes.items + i;
    if (write->entry == 0) add_scalar_change(vm, write);
    else if (write->entry != LATCH_PLACE_ENTRY) hole = add_entry_change(L, vm, write, hole);
  }
}

// MARK: Beginning and ending

void latch_log_begin(latch_vm *vm) {
  latch_log *log = &vm->log;
  log->writes.count = log->nodes.count = log->holes.count = log->holes_end = 0;
  latch_buffer_clear(&log->paths);
  latch_buffer_clear(&log->pieces);
  log->pieces_end = 0;
  log->first_write = log->anchors = 0;
  log->writes_by_place.mask = 0;
  log->has_long_texts = false;
  log->last_parent = NULL;
  latch_forget_paths(vm);
}

void latch_log_end(lua_State *L, latch_vm *vm) {
  latch_log *log = &vm->log;
  if (log->anchors > MUCH) {
    lua_pushboolean(L, 0);
    lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_ANCHORS);
    return;
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_ANCHORS);
  for (uint32_t i = log->anchors; i > 0; i--) {
    lua_pushboolean(L, 0);
    lua_rawseti(L, -2, i);
  }
  lua_pop(L, 1);
}

bool latch_log_may_stay(const latch_vm *vm) {
  const latch_log *log = &vm->log;
  // A few nodes that are in the state anyway, and short texts, until they are written over.
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

void latch_log_shrink(latch_vm *vm) {
  if (vm->log.writes.capacity > MUCH || vm->log.nodes.capacity > MUCH) latch_log_free(vm);
}
