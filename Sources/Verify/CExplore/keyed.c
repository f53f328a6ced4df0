/// Nodes with keys, which several paths of a trie share.
///
/// A node with a key stands for all runs that read with this key, on any path. Paths can join, so
/// the trie becomes an automaton. Invariant: the automaton has no cycle. Each node stores the
/// largest cost of a path to it, and an edge is refused if it would raise a cost above the bound. A
/// cycle would raise the costs of its nodes up to the bound.
///
/// A node that is full is replaced by a larger copy. Edges of other nodes still lead to the old
/// node, which is correct but gets no more children. A run that passes such an edge corrects it.

#include <stdlib.h>
#include <string.h>

#include "parts.h"
#include "tries.h"

enum { LEAST_SLOTS = 64 };

// MARK: Finding

static uint32_t slot_of_key(const explore_keys *keys, explore_key key) {
  uint32_t mask = keys->key_slots - 1, at = (uint32_t)(key.first ^ key.second >> 32) & mask;
  for (;; at = (at + 1) & mask) {
    uint32_t number = keys->by_key[at];
    if (number == 0) return at;
    const explore_key *found = &keys->nodes[number - 1].key;
    if (found->first == key.first && found->second == key.second) return at;
  }
}

static uint32_t slot_of_node(const explore_keys *keys, uint32_t node) {
  uint32_t mask = keys->node_slots - 1, at = node * 0x9e3779b1u >> 7 & mask;
  while (keys->by_node[at].number != 0 && keys->by_node[at].node != node) at = (at + 1) & mask;
  return at;
}

/// Returns the number plus one of the keyed node at an offset, old copies included; 0 if the node
/// there has no key.
static uint32_t number_of(const explore_keys *keys, uint32_t node) {
  return keys->node_slots == 0 ? 0 : keys->by_node[slot_of_node(keys, node)].number;
}

// MARK: Adding

static bool has_slots(explore *search, explore_keys *keys) {
  if (2 * (keys->count + 1) > keys->key_slots) {
    uint32_t old = keys->key_slots, slots = old == 0 ? LEAST_SLOTS : old * 2;
    if (slots < old || !explore_resize(search, EXPLORE_OF_TRIES, &keys->by_key,
                         old * sizeof *keys->by_key, slots * sizeof *keys->by_key))
      return false;
    memset(keys->by_key, 0, slots * sizeof *keys->by_key);
    keys->key_slots = slots;
    for (uint32_t i = 0; i < keys->count; i++)
      keys->by_key[slot_of_key(keys, keys->nodes[i].key)] = i + 1;
  }
  if (2 * (keys->known + 1) <= keys->node_slots) return true;
  uint32_t old = keys->node_slots, slots = old == 0 ? LEAST_SLOTS : old * 2;
  struct explore_indexed *before = keys->by_node, *after = NULL;
  size_t size = slots * sizeof *after;
  if (slots < old || !explore_resize(search, EXPLORE_OF_TRIES, &after, 0, size)) return false;
  memset(after, 0, size);
  keys->by_node = after;
  keys->node_slots = slots;
  for (uint32_t i = 0; i < old; i++) {
    if (before[i].number != 0) after[slot_of_node(keys, before[i].node)] = before[i];
  }
  explore_resize(search, EXPLORE_OF_TRIES, &before, old * sizeof *before, 0);
  return true;
}

static void index_node(explore_keys *keys, uint32_t node, uint32_t number) {
  keys->by_node[slot_of_node(keys, node)] = (struct explore_indexed){node, number + 1};
  keys->known++;
}

/// Returns the number of the keyed node of a read; adds the node if there is none. Returns
/// EXPLORE_NONE without memory.
static uint32_t find_or_add(explore *search, explore_trie *trie, const explore_keyed_read *read) {
  explore_keys *keys = &trie->keys;
  if (!has_slots(search, keys)) return EXPLORE_NONE;
  uint32_t slot = slot_of_key(keys, read->key);
  if (keys->by_key[slot] != 0) return keys->by_key[slot] - 1;
  if (!explore_reserve(search, EXPLORE_OF_TRIES, &keys->nodes, &keys->capacity,
        (uint64_t)keys->count + 1, sizeof *keys->nodes))
    return EXPLORE_NONE;
  uint32_t node = explore_add_node(search, trie, read->read.slot, read->read.value, 1);
  if (node == 0) return EXPLORE_NONE;
  uint32_t number = keys->count++;
  keys->nodes[number] = (explore_keyed_node){.key = read->key, .node = node};
  keys->by_key[slot] = number + 1;
  index_node(keys, node, number);
  return number;
}

// MARK: Costs

/// A queue of keyed nodes whose cost has grown.
typedef struct {
  explore *search;
  uint32_t *numbers;
  uint32_t count, capacity;
} cost_queue;

static bool enqueue(cost_queue *queue, uint32_t number) {
  if (!explore_reserve(queue->search, EXPLORE_OF_TRIES, &queue->numbers, &queue->capacity,
        (uint64_t)queue->count + 1, sizeof *queue->numbers))
    return false;
  queue->numbers[queue->count++] = number;
  return true;
}

static bool raise_to(cost_queue *queue, explore_keys *keys, uint32_t number, uint64_t cost) {
  if (keys->nodes[number].cost >= cost) return true;
  keys->nodes[number].cost = cost;
  return enqueue(queue, number);
}

/// Raises the costs of all nodes behind those of the queue. Ends because a cycle reaches the bound.
static explore_status raise_all(cost_queue *queue, explore_trie *trie, uint64_t most) {
  explore_keys *keys = &trie->keys;
  // Breadth-first: a node is visited about once for each edge to it.
  for (uint32_t next = 0; next < queue->count; next++) {
    const explore_keyed_node *from = &keys->nodes[queue->numbers[next]];
    uint64_t cost = from->cost + from->step + 1;
    if (cost > most) return EXPLORE_TOO_MANY;
    const uint32_t *node = trie->code + from->node;
    bool is_sparse = node[NODE_KEY] & EXPLORE_SPARSE;
    uint32_t count = is_sparse ? node[SPARSE_CAPACITY] : node[NODE_CAPACITY];
    for (uint32_t i = 0; i < count; i++) {
      explore_cell child =
        is_sparse ? node[SPARSE_PAIRS + 2 * (size_t)i + 1] : node[NODE_CHILDREN + i];
      if (child == 0 || child & EXPLORE_LEAF) continue;
      uint32_t number = number_of(keys, child);
      if (number != 0 && !raise_to(queue, keys, number - 1, cost)) return EXPLORE_NO_MEMORY;
    }
  }
  return EXPLORE_OK;
}

/// Records the cost of a run from a node to its next read, at `next`, or to its end if `next` is
/// EXPLORE_NONE.
static explore_status note_step(
  explore *search, explore_trie *trie, uint32_t from, uint32_t next, uint32_t cost, uint64_t most) {
  explore_keyed_node *node = &trie->keys.nodes[from];
  cost_queue queue = {.search = search};
  explore_status status = EXPLORE_OK;
  if (node->step < cost) {
    node->step = cost;
    if (!enqueue(&queue, from)) status = EXPLORE_NO_MEMORY;
  }
  if (node->cost + node->step > most) status = EXPLORE_TOO_MANY;
  if (status == EXPLORE_OK && next != EXPLORE_NONE &&
      !raise_to(&queue, &trie->keys, next, node->cost + node->step + 1))
    status = EXPLORE_NO_MEMORY;
  if (status == EXPLORE_OK) status = raise_all(&queue, trie, most);
  size_t each = sizeof *queue.numbers;
  explore_resize(search, EXPLORE_OF_TRIES, &queue.numbers, queue.capacity * each, 0);
  return status;
}

// MARK: Adding a leaf

/// Makes the edge at `at` lead to a keyed node. Fails if it leads to another node or a leaf.
static explore_status link_node(explore_trie *trie, uint32_t at, uint32_t number) {
  explore_keys *keys = &trie->keys;
  explore_cell cell = trie->code[at];
  uint32_t node = keys->nodes[number].node;
  if (cell & EXPLORE_LEAF || (cell != 0 && number_of(keys, cell) != number + 1))
    return EXPLORE_INCONSISTENT;
  if (cell != node) __atomic_store_n(trie->code + at, node, __ATOMIC_RELEASE);
  return EXPLORE_OK;
}

explore_status explore_put_keyed(
  explore *search, explore_trie *trie, const explore_keyed_run *run, explore_cell leaf) {
  uint32_t at = 0, from = EXPLORE_NONE;
  explore_status status = EXPLORE_OK;
  for (uint32_t i = 0; i < run->read_count; i++) {
    const explore_keyed_read *each = &run->reads[i];
    uint32_t number = find_or_add(search, trie, each);
    if (number == EXPLORE_NONE) return EXPLORE_NO_MEMORY;
    uint32_t node = trie->keys.nodes[number].node;
    if ((trie->code[node + NODE_KEY] & ~EXPLORE_SPARSE) != each->read.slot)
      return EXPLORE_INCONSISTENT;
    if (from != EXPLORE_NONE)
      status = note_step(search, trie, from, number, each->cost, run->most_cost);
    if (status != EXPLORE_OK) return status;
    uint32_t edge = explore_edge_of(search, trie, &node, each->read.value);
    if (edge == 0 || !has_slots(search, &trie->keys)) return EXPLORE_NO_MEMORY;
    if (node != trie->keys.nodes[number].node) {
      index_node(&trie->keys, node, number);
      trie->keys.nodes[number].node = node;
    }
    status = link_node(trie, at, number);
    if (status != EXPLORE_OK) return status;
    at = edge;
    from = number;
  }
  if (from != EXPLORE_NONE)
    status = note_step(search, trie, from, EXPLORE_NONE, run->rest, run->most_cost);
  if (status != EXPLORE_OK) return status;
  explore_cell cell = trie->code[at];
  if (cell == 0) __atomic_store_n(trie->code + at, leaf, __ATOMIC_RELEASE);
  return cell == 0 || cell == leaf ? EXPLORE_OK : EXPLORE_INCONSISTENT;
}
