/// Nodes with keys, which several paths of a trie share (keyed.c).

#ifndef EXPLORE_PARTS_KEYS_H
#define EXPLORE_PARTS_KEYS_H

#include "explore.h"

/// A node with a key. `cost`: the largest cost of a run when it reaches the node. `step`: the
/// largest cost from the node to the next read, or to the end of a run.
typedef struct {
  explore_key key;
  uint32_t node, step;
  uint64_t cost;
} explore_keyed_node;

/// Two hash tables of keyed nodes (numbers plus one): by key, and by the offset of the node, old
/// copies of it included. Their sizes are powers of two.
typedef struct {
  explore_keyed_node *nodes;
  uint32_t *by_key;
  struct explore_indexed {
    uint32_t node, number;
  } * by_node;
  uint32_t count, capacity, key_slots, node_slots, known;  // `known`: entries of `by_node`
} explore_keys;

#endif
