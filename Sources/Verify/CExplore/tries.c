/// Tries: the nodes are one array of 32-bit cells, the code.
///
/// Invariant: workers can walk a trie while one worker adds to it. An edge is stored only after all
/// behind it is complete (release and acquire), and the code is moved only while all workers rest.
/// A node that is full is replaced by a larger copy; the old node stays in the code, unused.

#include <stdlib.h>
#include <string.h>

#include "parts.h"
#include "tries.h"

enum { DENSE_ALWAYS = 32, SPARSE_LEAST = 8 };

static uint32_t pair_at(const uint32_t *node, uint32_t value) {
  uint32_t mask = node[SPARSE_CAPACITY] - 1, at = value * 0x9e3779b1u >> 7 & mask;
  for (;;) {
    uint32_t key = __atomic_load_n(node + SPARSE_PAIRS + 2 * (size_t)at, __ATOMIC_ACQUIRE);
    if (key == value + 1 || key == 0) return SPARSE_PAIRS + 2 * at;
    at = (at + 1) & mask;
  }
}

explore_cell explore_aside(const uint32_t *node, uint32_t value) {
  if ((node[NODE_KEY] & EXPLORE_DRAW) || !(node[NODE_KEY] & EXPLORE_SPARSE)) return 0;
  uint32_t pair = pair_at(node, value);
  // The pair may have been empty, and may belong to another value by now.
  if (__atomic_load_n(node + pair, __ATOMIC_ACQUIRE) != value + 1) return 0;
  return __atomic_load_n(node + pair + 1, __ATOMIC_ACQUIRE);
}

explore_cell explore_walk_drawing(
  const uint32_t *code, const uint64_t *words, explore_draws *draws) {
  uint32_t used = 0;
  explore_cell cell = __atomic_load_n(code, __ATOMIC_ACQUIRE);
  while ((int32_t)cell > 0) {
    const uint32_t *node = code + cell;
    uint32_t key = node[NODE_KEY], place = node[NODE_PLACE];
    uint32_t value = (uint32_t)(words[place >> 6] >> (place & 63)) & node[NODE_MASK];
    if (key & EXPLORE_DRAW) {
      if (used == EXPLORE_MOST_DRAWS) return 0;
      if (used == draws->count) draws->values[draws->count++] = 0;
      draws->outcomes[used] = key & ~EXPLORE_FLAGS;
      value = draws->values[used++];
      cell = __atomic_load_n(node + NODE_CHILDREN + value, __ATOMIC_ACQUIRE);
    } else if (value < node[NODE_CAPACITY]) {
      cell = __atomic_load_n(node + NODE_CHILDREN + value, __ATOMIC_ACQUIRE);
    } else {
      cell = explore_aside(node, value);
    }
  }
  return cell;
}

bool explore_next_draws(explore_draws *draws) {
  while (draws->count > 0) {
    uint32_t last = draws->count - 1;
    if (++draws->values[last] < draws->outcomes[last]) return true;
    draws->count--;
  }
  return false;
}

// MARK: Adding

static explore_place place_of(const explore *search, uint32_t key) {
  uint32_t slot = key & ~EXPLORE_FLAGS, words = search->layout.words;
  if (key & EXPLORE_DRAW) return (explore_place){0, 0, 0};
  if (key & EXPLORE_BY) return (explore_place){2 * words, 0, 32};
  explore_place place = search->layout.places[slot];
  if (key & EXPLORE_AFTER) place.word += words;
  return place;
}

static void place_node(const explore *search, uint32_t *node) {
  explore_place place = place_of(search, node[NODE_KEY]);
  node[NODE_PLACE] = place.word << 6 | place.shift;
  node[NODE_MASK] = (uint32_t)(((uint64_t)1 << place.width) - 1);
}

static uint32_t size_of(const uint32_t *node) {
  if (node[NODE_KEY] & EXPLORE_DRAW) return NODE_CHILDREN + (node[NODE_KEY] & ~EXPLORE_FLAGS);
  if (node[NODE_KEY] & EXPLORE_SPARSE) return SPARSE_PAIRS + 2 * node[SPARSE_CAPACITY];
  return NODE_CHILDREN + node[NODE_CAPACITY];
}

void explore_place_nodes(explore *search, explore_trie *trie) {
  for (uint32_t at = 1; at < trie->code_count; at += size_of(trie->code + at)) {
    place_node(search, trie->code + at);
  }
}

/// Appends cells of zeros to the code. Returns their offset; 0 without memory.
static uint32_t add_cells(explore *search, explore_trie *trie, uint32_t count) {
  uint64_t wanted = (uint64_t)trie->code_count + count;
  if (wanted > trie->code_capacity) {
    if (wanted > INT32_MAX) return 0;
    explore_hold(search);
    bool is_grown = explore_reserve(
      search, EXPLORE_OF_TRIES, &trie->code, &trie->code_capacity, wanted, sizeof(uint32_t));
    explore_release(search);
    if (!is_grown) return 0;
  }
  uint32_t at = trie->code_count;
  memset(trie->code + at, 0, count * sizeof(uint32_t));
  trie->code_count += count;
  return at;
}

static uint32_t power_above(uint32_t value) {
  uint32_t power = 1;
  while (power <= value) power *= 2;
  return power;
}

uint32_t explore_add_node(
  explore *search, explore_trie *trie, uint32_t key, uint32_t value, uint32_t count) {
  uint32_t capacity = power_above(value), cells, pairs = 0;
  key &= ~EXPLORE_SPARSE;
  if (!(key & (EXPLORE_DRAW | EXPLORE_BY))) {
    uint32_t values = search->domains[search->slots[key & ~EXPLORE_FLAGS]];
    if (capacity < values && values <= DENSE_ALWAYS) capacity = values;
  }
  if (key & EXPLORE_DRAW) {
    cells = NODE_CHILDREN + (key & ~EXPLORE_FLAGS);
    capacity = 0;
  } else if (capacity > DENSE_ALWAYS && capacity / 4 > count) {
    key |= EXPLORE_SPARSE;
    pairs = SPARSE_LEAST;
    while (pairs < count * 2) pairs *= 2;
    cells = SPARSE_PAIRS + 2 * pairs;
    capacity = 0;
  } else {
    cells = NODE_CHILDREN + capacity;
  }
  uint32_t at = add_cells(search, trie, cells);
  if (at == 0) return 0;
  uint32_t *node = trie->code + at;
  node[NODE_KEY] = key;
  node[NODE_CAPACITY] = capacity;
  if (pairs != 0) node[SPARSE_CAPACITY] = pairs;
  place_node(search, node);
  return at;
}

/// Returns the index within a node of the edge for a value; a sparse node gets a pair for it.
/// Returns 0 if the node has no room.
static uint32_t edge_at(uint32_t *node, uint32_t value) {
  uint32_t key = node[NODE_KEY];
  if (key & EXPLORE_DRAW) return NODE_CHILDREN + value;
  if (!(key & EXPLORE_SPARSE)) return value < node[NODE_CAPACITY] ? NODE_CHILDREN + value : 0;
  uint32_t pair = pair_at(node, value);
  if (node[pair] == 0) {
    if ((node[SPARSE_COUNT] + 1) * 4 > node[SPARSE_CAPACITY] * 3) return 0;
    node[SPARSE_COUNT]++;
    __atomic_store_n(node + pair, value + 1, __ATOMIC_RELEASE);
  }
  return pair + 1;
}

static void copy_edges(uint32_t *code, uint32_t from, uint32_t to) {
  uint32_t *old = code + from, *node = code + to;
  if (old[NODE_KEY] & EXPLORE_SPARSE) {
    for (uint32_t i = 0; i < old[SPARSE_CAPACITY]; i++) {
      uint32_t *pair = old + SPARSE_PAIRS + 2 * (size_t)i;
      if (pair[0] != 0) node[edge_at(node, pair[0] - 1)] = pair[1];
    }
    return;
  }
  for (uint32_t value = 0; value < old[NODE_CAPACITY]; value++) {
    uint32_t child = old[NODE_CHILDREN + value];
    if (child != 0) node[edge_at(node, value)] = child;
  }
}

/// Returns the greatest value for which a node has an edge; `*count` receives the number of edges.
static uint32_t greatest_of(const uint32_t *node, uint32_t *count) {
  uint32_t greatest = 0;
  *count = 0;
  bool is_sparse = node[NODE_KEY] & EXPLORE_SPARSE;
  uint32_t all = is_sparse ? node[SPARSE_CAPACITY] : node[NODE_CAPACITY];
  for (uint32_t i = 0; i < all; i++) {
    uint32_t value = is_sparse ? node[SPARSE_PAIRS + 2 * (size_t)i] - 1 : i;
    if (is_sparse ? value == UINT32_MAX : node[NODE_CHILDREN + i] == 0) continue;
    if (value > greatest) greatest = value;
    ++*count;
  }
  return greatest;
}

uint32_t explore_edge_of(explore *search, explore_trie *trie, uint32_t *node, uint32_t value) {
  uint32_t edge = edge_at(trie->code + *node, value), count;
  if (edge != 0) return *node + edge;
  uint32_t greatest = greatest_of(trie->code + *node, &count);
  uint32_t key = trie->code[*node + NODE_KEY];
  uint32_t anew =
    explore_add_node(search, trie, key, greatest > value ? greatest : value, count + 1);
  if (anew == 0) return 0;
  copy_edges(trie->code, *node, anew);
  *node = anew;
  return anew + edge_at(trie->code + anew, value);
}

/// Returns the offset of the edge for a value of the node to which the edge at `at` leads. If the
/// node is full, the edge at `at` leads to its larger copy from now on.
static uint32_t make_edge(explore *search, explore_trie *trie, uint32_t at, uint32_t value) {
  uint32_t node = trie->code[at], edge = explore_edge_of(search, trie, &node, value);
  if (edge != 0 && node != trie->code[at])
    __atomic_store_n(trie->code + at, node, __ATOMIC_RELEASE);
  return edge;
}

/// Returns the index of the first unused read with a key; EXPLORE_NONE stands for any key. Returns
/// `count` if there is none.
static uint32_t find_read(
  const explore_read *reads, uint32_t count, const uint8_t *used, uint32_t *first, uint32_t key) {
  while (*first < count && used[*first]) ++*first;
  if (key == EXPLORE_NONE) return *first;
  for (uint32_t i = *first; i < count; i++) {
    if (!used[i] && reads[i].slot == key) return i;
  }
  return count;
}

explore_status explore_put(explore *search, explore_trie *trie, const explore_read *reads,
  uint32_t count, explore_cell leaf) {
  if (count > search->scratch_capacity) {
    if (!explore_resize(
          search, EXPLORE_OF_TRIES, &search->scratch, search->scratch_capacity, count * 2))
      return EXPLORE_NO_MEMORY;
    search->scratch_capacity = (size_t)count * 2;
  }
  uint8_t *used = search->scratch;
  if (count > 0) memset(used, 0, count);
  uint32_t at = 0, first = 0;
  for (;;) {
    explore_cell cell = trie->code[at];
    if (cell & EXPLORE_LEAF) return cell == leaf ? EXPLORE_OK : EXPLORE_INCONSISTENT;
    uint32_t key = cell == 0 ? EXPLORE_NONE : trie->code[cell + NODE_KEY] & ~EXPLORE_SPARSE;
    uint32_t i = find_read(reads, count, used, &first, key);
    if (i == count) {
      if (cell != 0) return EXPLORE_INCONSISTENT;
      __atomic_store_n(trie->code + at, leaf, __ATOMIC_RELEASE);
      return EXPLORE_OK;
    }
    if (cell == 0) {
      uint32_t node = explore_add_node(search, trie, reads[i].slot, reads[i].value, 1);
      if (node == 0) return EXPLORE_NO_MEMORY;
      __atomic_store_n(trie->code + at, node, __ATOMIC_RELEASE);
    }
    used[i] = 1;
    at = make_edge(search, trie, at, reads[i].value);
    if (at == 0) return EXPLORE_NO_MEMORY;
  }
}

void explore_drop_keys(explore *search, explore_trie *trie) {
  explore_keys *keys = &trie->keys;
  explore_use use = EXPLORE_OF_TRIES;
  explore_resize(search, use, &keys->nodes, keys->capacity * sizeof *keys->nodes, 0);
  explore_resize(search, use, &keys->by_key, keys->key_slots * sizeof *keys->by_key, 0);
  explore_resize(search, use, &keys->by_node, keys->node_slots * sizeof *keys->by_node, 0);
  *keys = (explore_keys){0};
}

void explore_drop_code(explore *search, explore_trie *trie) {
  // An empty trie has one cell.
  trie->code[0] = 0;
  explore_resize(search, EXPLORE_OF_TRIES, &trie->code, trie->code_capacity * sizeof(uint32_t),
    sizeof(uint32_t));
  trie->code_count = trie->code_capacity = 1;
  explore_drop_keys(search, trie);
}

void explore_drop_nodes(explore *search, explore_trie *trie) {
  explore_hold(search);
  explore_drop_code(search, trie);
  explore_drop_leaves(search, trie);
  trie->played = true;
  search->groups.is_current = search->groups.is_sound = false;
  explore_release(search);
}
