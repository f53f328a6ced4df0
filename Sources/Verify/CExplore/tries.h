/// Leaves and tries, and the walk that is most of what a search does.

#ifndef EXPLORE_TRIES_H
#define EXPLORE_TRIES_H

#include "parts.h"

// MARK: Leaves (leaves.c)

/// A leaf that says this, of that trie: one that there is, or a new one.
explore_status explore_leaf_cell(
  explore *search, explore_trie *trie, const explore_leaf *leaf, explore_cell *cell);
/// A new one, whether or not there is one.
explore_status explore_add_leaf(
  explore *search, explore_trie *trie, const explore_leaf *leaf, uint32_t *number);
/// Leaves of a trie only count from now on.
void explore_drop_leaves(explore *search, explore_trie *trie);
/// Compiles the writes of a leaf for the present layout. Returns false without memory.
bool explore_compile(explore *search, explore_outcome *outcome);
void explore_free_outcome(explore *search, explore_outcome *outcome);
static inline void explore_apply(
  const explore_outcome *outcome, uint32_t words, const uint64_t *from, uint64_t *to) {
  for (uint32_t i = 0; i < words; i++) to[i] = from[i];
  const explore_patch *first = &outcome->first;
  to[first->word] = (to[first->word] & first->keep) | first->put;
  for (uint32_t i = 0; i < outcome->rest_count; i++) {
    const explore_patch *patch = &outcome->rest[i];
    to[patch->word] = (to[patch->word] & patch->keep) | patch->put;
  }
  for (uint32_t i = 0; i < outcome->move_count; i++) {
    explore_set(to, outcome->moves[i].to, explore_get(from, outcome->moves[i].from));
  }
}
static inline uint32_t explore_leaf_of(explore_cell cell) { return cell & EXPLORE_LEAF_NUMBER; }
static inline explore_leaf_kind explore_kind_of(explore_cell cell) {
  return (explore_leaf_kind)(cell >> 29 & 3);
}

// MARK: Tries (tries.c)

/// The edge of a node that has no child at that index.
explore_cell explore_aside(const uint32_t *node, uint32_t value);
/// The leaf for a state, on from a cell, or 0: it is not known yet, or chance is drawn on the way.
static inline explore_cell explore_walk_on(
  const uint32_t *code, explore_cell cell, const uint64_t *words) {
  while ((int32_t)cell > 0) {
    const uint32_t *node = code + cell;
    uint32_t place = node[NODE_PLACE];
    uint32_t value = (uint32_t)(words[place >> 6] >> (place & 63)) & node[NODE_MASK];
    cell = value < node[NODE_CAPACITY]
             ? __atomic_load_n(node + NODE_CHILDREN + value, __ATOMIC_ACQUIRE)
             : explore_aside(node, value);
  }
  return cell;
}
/// The same from the root.
static inline explore_cell explore_walk(const uint32_t *code, const uint64_t *words) {
  return explore_walk_on(code, __atomic_load_n(code, __ATOMIC_ACQUIRE), words);
}
/// The same, chance giving what it is said to, and 0 from then on, which is noted. 0 also where
/// there are too many draws.
explore_cell explore_walk_drawing(
  const uint32_t *code, const uint64_t *words, explore_draws *draws);
/// The next of the ways that chance may go, after one. False: there is none.
bool explore_next_draws(explore_draws *draws);
/// Puts a leaf where these reads lead.
explore_status explore_put(explore *search, explore_trie *trie, const explore_read *reads,
  uint32_t count, explore_cell leaf);
/// A node without children that has room for that value; `count`: how many it is to have. 0: there
/// is no memory.
uint32_t explore_add_node(
  explore *search, explore_trie *trie, uint32_t key, uint32_t value, uint32_t count);
/// The edge of a value in the code. A node that has no room for it is written anew. 0: there is no
/// memory.
uint32_t explore_edge_of(explore *search, explore_trie *trie, uint32_t *node, uint32_t value);
/// Places of all nodes, for the layout as it is.
void explore_place_nodes(explore *search, explore_trie *trie);
/// Drops all that was learned of a trie, whose owner is asked from now on.
void explore_drop_nodes(explore *search, explore_trie *trie);
/// Forgets which nodes have which keys.
void explore_drop_keys(explore *search, explore_trie *trie);
/// Drops the nodes alone, while nobody walks.
void explore_drop_code(explore *search, explore_trie *trie);

// MARK: Nodes with keys (keyed.c)

/// Puts a leaf where the reads of a run lead, by nodes that it may share with other runs.
explore_status explore_put_keyed(
  explore *search, explore_trie *trie, const explore_keyed_run *run, explore_cell leaf);

#endif
