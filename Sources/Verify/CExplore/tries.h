/// Leaves and tries, and the walk through a trie, on which a search spends most of its time.

#ifndef EXPLORE_TRIES_H
#define EXPLORE_TRIES_H

#include "parts.h"

// MARK: Leaves (leaves.c)

/// Sets `*cell` to a leaf of a trie with this content: the present one, or a new one.
explore_status explore_leaf_cell(
  explore *search, explore_trie *trie, const explore_leaf *leaf, explore_cell *cell);
/// Adds a leaf, even if there is one with the same content.
explore_status explore_add_leaf(
  explore *search, explore_trie *trie, const explore_leaf *leaf, uint32_t *number);
/// Removes the writes of a trie's leaves. The leaves stay for the counts.
void explore_drop_leaves(explore *search, explore_trie *trie);
/// Compiles the writes of a leaf for the present layout. Returns false without memory.
bool explore_compile(explore *search, explore_outcome *outcome);
void explore_free_outcome(explore *search, explore_outcome *outcome);
/// Computes the successor of a state by a leaf.
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

/// Returns the child of a node for a value beyond its array of children: of a sparse node; else 0.
explore_cell explore_aside(const uint32_t *node, uint32_t value);
/// Returns the leaf for a state, from a cell on; 0 if it is not learned, or behind a random draw.
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
/// The same from the root, with random draws: their outcomes are those in `draws`, then 0, which is
/// appended to `draws`. Returns 0 also if there are too many draws.
explore_cell explore_walk_drawing(
  const uint32_t *code, const uint64_t *words, explore_draws *draws);
/// Advances to the next combination of outcomes. Returns false after the last.
bool explore_next_draws(explore_draws *draws);
/// Stores a leaf at the end of the path of these reads; adds nodes as necessary.
explore_status explore_put(explore *search, explore_trie *trie, const explore_read *reads,
  uint32_t count, explore_cell leaf);
/// Adds a node without children, with room for a value and about `count` children. Returns its
/// offset; 0 without memory.
uint32_t explore_add_node(
  explore *search, explore_trie *trie, uint32_t key, uint32_t value, uint32_t count);
/// Returns the offset of a node's edge for a value; 0 without memory. A node without room for the
/// value is replaced by a larger copy, and `*node` receives the copy's offset.
uint32_t explore_edge_of(explore *search, explore_trie *trie, uint32_t *node, uint32_t value);
/// Sets the places of the slots in all nodes, for the present layout.
void explore_place_nodes(explore *search, explore_trie *trie);
/// Makes a trie played: drops its nodes and leaves, so that each use asks the owner.
void explore_drop_nodes(explore *search, explore_trie *trie);
/// Drops the keys of the nodes.
void explore_drop_keys(explore *search, explore_trie *trie);
/// Drops the nodes and their keys. Call it only while no worker walks.
void explore_drop_code(explore *search, explore_trie *trie);

// MARK: Nodes with keys (keyed.c)

/// Stores a leaf at the end of the path of a run's reads, whose nodes other runs can share.
explore_status explore_put_keyed(
  explore *search, explore_trie *trie, const explore_keyed_run *run, explore_cell leaf);

#endif
