/// Counts, of all workers together.

#include "parts.h"
#include "search.h"

static uint64_t count_of(const explore *search, uint32_t leaf) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < search->worker_count; i++) count += search->workers[i].counts[leaf];
  return count;
}

uint64_t explore_generated(const explore *search) {
  uint64_t generated = search->generated;
  for (uint32_t i = 0; i < search->worker_count; i++) generated += search->workers[i].generated;
  return generated;
}

static size_t batch_bytes(const explore *search) {
  size_t bytes = 0, each = search->layout.words * 8 + 8 + 4 + 2;
  for (uint32_t i = 0; i < EXPLORE_BATCHES; i++) {
    bytes += search->batches[i].capacity * each + search->batches[i].position_capacity * 8 +
             search->batches[i].order_capacity * 4;
  }
  return bytes;
}

uint32_t explore_depth(const explore *search) { return search->level_count; }

explore_counts explore_count(const explore *search) {
  explore_counts counts = {
    .distinct = search->count,
    .generated = explore_generated(search),
    .depth = search->level_count,
    .frontier = search->count - search->expanded,
    .words = search->layout.words,
    .bytes = atomic_load(&search->used[EXPLORE_OF_STATES]) - batch_bytes(search),
    .trie_bytes = atomic_load(&search->used[EXPLORE_OF_TRIES]),
    .leaves = search->leaf_count,
  };
  for (uint32_t i = 0; i < search->layout.words; i++) counts.bits += search->layout.filled[i];
  for (uint32_t i = 0; i < search->worker_count; i++) {
    const explore_worker *worker = &search->workers[i];
    counts.misses += worker->misses;
    counts.checked += worker->checked;
    counts.outside += worker->outside;
  }
  for (uint32_t i = 0; i < search->tallies.count; i++) {
    const explore_finding *finding = &search->tallies.items[i];
    if (finding->found != EXPLORE_YES) counts.violations += finding->count;
  }
  // Of n states, n * n / 2 pairs, each with one of 2^64 hashes.
  double states = (double)search->count;
  if (search->options.hashes) counts.collision = states * states / 36893488147419103232.0;
  return counts;
}

/// The least reason that is not below `least`, and how often it was given. False: there is none.
static bool next_reason(const explore *search, const explore_trie *trie, uint64_t least,
  uint32_t *reason, uint64_t *count) {
  bool is_found = false;
  for (uint32_t n = trie->first_leaf; n != EXPLORE_NONE; n = search->leaves[n].next) {
    const explore_outcome *leaf = &search->leaves[n];
    if (leaf->kind == EXPLORE_PASSES || leaf->reason < least) continue;
    uint64_t given = count_of(search, n);
    if (given == 0 || (is_found && leaf->reason > *reason)) continue;
    if (!is_found || leaf->reason < *reason) *count = 0;
    *reason = leaf->reason;
    *count += given;
    is_found = true;
  }
  return is_found;
}

explore_trie_counts explore_trie_count(const explore *search, uint32_t trie) {
  explore_trie_counts counts = {0};
  if (trie >= search->trie_count) return counts;
  const explore_trie *of = &search->tries[trie];
  for (uint32_t n = of->first_leaf; n != EXPLORE_NONE; n = search->leaves[n].next) {
    uint64_t count = count_of(search, n);
    explore_leaf_kind kind = search->leaves[n].kind;
    if (kind == EXPLORE_PASSES) counts.passed += count;
    if (kind == EXPLORE_REFUSED) counts.refused += count;
    if (kind == EXPLORE_FAILED) counts.failed += count;
  }
  // How often a bound is asked about a state that is kept depends on how the work is divided.
  if (of->kind == EXPLORE_BOUND) counts.passed = search->count;
  uint32_t reason = 0;
  uint64_t least = 0, count;
  while (next_reason(search, of, least, &reason, &count)) {
    counts.reason_count++;
    least = (uint64_t)reason + 1;
  }
  return counts;
}

uint64_t explore_reason_count(const explore *search, uint32_t trie, uint32_t n, uint32_t *reason) {
  if (trie >= search->trie_count) return 0;
  uint32_t found = 0;
  uint64_t least = 0, count = 0;
  for (;; n--) {
    if (!next_reason(search, &search->tries[trie], least, &found, &count)) return 0;
    if (n == 0) break;
    least = (uint64_t)found + 1;
  }
  if (reason != NULL) *reason = found;
  return count;
}
