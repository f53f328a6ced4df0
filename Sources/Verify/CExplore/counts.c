/// Counts, of all workers together.

#include <stdlib.h>

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
             search->batches[i].order_capacity * 4 + search->batches[i].times_capacity * 4;
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

static int compare(const void *one, const void *another) {
  const explore_reason *a = one, *b = another;
  return a->reason < b->reason ? -1 : a->reason > b->reason;
}

uint32_t explore_reasons(
  const explore *search, uint32_t trie, explore_reason *reasons, uint32_t most) {
  if (trie >= search->trie_count) return 0;
  uint32_t first = search->tries[trie].first_leaf, leaves = 0;
  for (uint32_t n = first; n != EXPLORE_NONE; n = search->leaves[n].next) leaves++;
  explore_reason *all = malloc((leaves + (size_t)1) * sizeof *all);
  if (all == NULL) return 0;
  uint32_t count = 0, merged = 0;
  for (uint32_t n = first; n != EXPLORE_NONE; n = search->leaves[n].next) {
    if (search->leaves[n].kind == EXPLORE_PASSES) continue;
    all[count] = (explore_reason){.reason = search->leaves[n].reason, .count = count_of(search, n)};
    if (all[count].count > 0) count++;
  }
  qsort(all, count, sizeof *all, compare);
  for (uint32_t n = 0; n < count; n++) {
    if (merged > 0 && all[merged - 1].reason == all[n].reason) {
      all[merged - 1].count += all[n].count;
    } else {
      all[merged++] = all[n];
    }
  }
  for (uint32_t n = 0; n < merged && n < most; n++) reasons[n] = all[n];
  free(all);
  return merged;
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
  // How often a bound is asked about a stored state depends on how the work is divided.
  if (of->kind == EXPLORE_BOUND) counts.passed = search->count;
  return counts;
}
