/// The keys of nodes that several paths of a trie share.

#ifndef EXPLORE_PARTS_KEYS_H
#define EXPLORE_PARTS_KEYS_H

#include "explore.h"

/// A node of a trie that is known by a key. `cost`: the most that a run may have done when it reads
/// there; `step`: the most that it does from there to the next read, or to its end.
typedef struct {
  explore_key key;
  uint32_t node, step;
  uint64_t cost;
} explore_keyed_node;

/// Numbers of keyed nodes plus one, by their keys, and by the nodes that they are, or were before
/// these were written anew. The sizes are powers of two.
typedef struct {
  explore_keyed_node *nodes;
  uint32_t *by_key;
  struct explore_indexed {
    uint32_t node, number;
  } * by_node;
  uint32_t count, capacity, key_slots, node_slots, known;  // `known`: entries by nodes
} explore_keys;

#endif
