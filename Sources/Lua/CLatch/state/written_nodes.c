/// The nodes that a transaction has written to, and their paths at that time: each is computed
/// once, from that of the node above.

#include <string.h>

#include "state/state.h"

enum { FEW = 8 };

// MARK: Nodes

uint32_t latch_find_written_node(const latch_log *log, const void *node) {
  const latch_written_node *nodes = log->nodes.items;
  if (log->nodes_by_address.mask == 0) {
    for (uint32_t i = log->nodes.count; i > log->first_node; i--) {
      if (nodes[i - 1].node == node) return i - 1;
    }
    return LATCH_NOT_WRITTEN;
  }
  const latch_index *index = &log->nodes_by_address;
  for (uint32_t slot = latch_hash_of_address(node) & index->mask;;
       slot = (slot + 1) & index->mask) {
    if (index->slots[slot] == 0) return LATCH_NOT_WRITTEN;
    if (nodes[index->slots[slot] - 1].node == node) return index->slots[slot] - 1;
  }
}

/// Adds the last node to the index.
static void index_node(lua_State *L, latch_log *log) {
  latch_index *index = &log->nodes_by_address;
  const latch_written_node *nodes = log->nodes.items;
  uint32_t count = log->nodes.count - log->first_node;
  if (count <= FEW) return;
  if (index->mask != 0 && count <= index->mask / 2) {
    latch_index_put(
      index, latch_hash_of_address(nodes[log->nodes.count - 1].node), log->nodes.count - 1);
    return;
  }
  latch_index_clear(L, index, count);
  for (uint32_t i = log->first_node; i < log->nodes.count; i++) {
    latch_index_put(index, latch_hash_of_address(nodes[i].node), i);
  }
}

/// Finds the place of the node: its parent, and its key. False: it has no place, or only Lua can
/// find it.
static bool find_place_at_once(
  lua_State *L, const void *node, const void **parent, latch_cell *key) {
  const void *place = latch_metatable_of(node);
  const latch_cell *above = latch_element_cell(place, 1);
  if (above->type != LATCH_CELL_TABLE) return false;
  const latch_cell *under = latch_element_cell(place, 2);
  if (latch_node_at(L, latch_data_of(above->object), under) != node) return false;
  *parent = above->object;
  *key = *under;
  return true;
}

/// The same; it may call Lua.
static bool find_place(lua_State *L, const void *node, const void **parent, latch_cell *key) {
  if (find_place_at_once(L, node, parent, key)) return true;
  const void *place = latch_metatable_of(node);
  if (latch_element_cell(place, 1)->type != LATCH_CELL_TABLE) return false;
  // The element of a list that has moved.
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

/// Fills in the path of a node that has the key in that parent.
static void add_path(lua_State *L, latch_vm *vm, latch_written_node *node, const void *parent,
  const latch_cell *key, int depth) {
  latch_log *log = &vm->log;
  node->above = latch_written_node_at(L, vm, parent, depth + 1);
  const latch_written_node *above = (latch_written_node *)log->nodes.items + node->above;
  node->key = latch_scalar_of(key);
  if (!above->is_in_state || above->depth >= LATCH_DEEPEST_NESTING) return;
  size_t most = above->length + latch_most_scalar_bytes(node->key);
  uint8_t *out = latch_buffer_room(&log->paths, most);
  if (out == NULL) latch_raise_no_memory(L);
  memcpy(out, log->paths.bytes + above->path, above->length);
  uint8_t *end = latch_write_scalar(out + above->length, node->key);
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
  else node.above = log->nodes.count;
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
  uint32_t found = latch_find_written_node(log, node);
  if (found == LATCH_NOT_WRITTEN) found = add_node(L, vm, node, depth);
  log->last_node = found;
  return found;
}

bool latch_has_room_for_node(const latch_vm *vm, const void *node) {
  const latch_log *log = &vm->log;
  uint32_t count = 0;
  size_t bytes = 0;
  for (;; count++) {
    uint32_t found = latch_find_written_node(log, node);
    if (found != LATCH_NOT_WRITTEN) {
      bytes += count * (size_t)((const latch_written_node *)log->nodes.items)[found].length;
      break;
    }
    if (node == vm->root) {
      count++;
      break;
    }
    const void *parent;
    latch_cell key;
    if (count == FEW || !find_place_at_once(vm->L, node, &parent, &key)) return false;
    // Each path begins with those of the nodes above.
    bytes += (count + 1) * latch_most_scalar_bytes(latch_scalar_of(&key));
    node = parent;
  }
  return !log->paths.failed && log->nodes.count + count <= log->nodes.capacity &&
         log->nodes.count - log->first_node + count <= FEW &&
         bytes <= log->paths.capacity - log->paths.length;
}

void latch_forget_paths(latch_vm *vm) {
  latch_log *log = &vm->log;
  log->first_node = log->last_node = log->nodes.count;
  log->nodes_by_address.mask = 0;
}
