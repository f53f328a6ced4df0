/// Lookups in the hash table, inline for the inner loops of the search.

#ifndef EXPLORE_TABLE_H
#define EXPLORE_TABLE_H

#include <string.h>

#include "parts.h"

typedef struct {
  uint64_t at, hash;
} explore_probe;

/// Returns the hash of a slot's value. With hash compaction, the hash of a state is their sum.
static inline uint64_t explore_hash_value(uint32_t slot, uint32_t value) {
  if (value == 0) return 0;  // so that a new slot does not change the hashes of states
  uint64_t hash = ((uint64_t)slot << 32 | value) + 0x9e3779b97f4a7c15u;
  hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9u;
  hash = (hash ^ hash >> 27) * 0x94d049bb133111ebu;
  return hash ^ hash >> 31;
}

static inline uint64_t explore_hash_words(const uint64_t *words, uint32_t count) {
  uint64_t hash = 0;
  for (uint32_t i = 0; i < count; i++) {
    hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  hash *= 0xbf58476d1ce4e5b9u;
  hash ^= hash >> 29;
  return hash * 0x94d049bb133111ebu;
}

static inline uint64_t explore_high(uint64_t a, uint64_t b) {
  return (uint64_t)((unsigned __int128)a * b >> 64);
}

static inline explore_probe explore_probe_at(const explore_table *table, uint64_t hash) {
  return (explore_probe){explore_high(hash, table->size), hash};
}

/// Moves to the next entry, and wraps around within the region of the hash. The size of a table
/// with regions is a multiple of their number.
static inline void explore_probe_on(const explore_table *table, explore_probe *probe) {
  uint64_t region = table->size >> EXPLORE_REGION_BITS;
  if (table->size < EXPLORE_DIVIDED) {
    if (++probe->at == table->size) probe->at = 0;
    return;
  }
  uint64_t end = ((probe->hash >> (64 - EXPLORE_REGION_BITS)) + 1) * region;
  if (++probe->at == end) probe->at = end - region;
}

static inline bool explore_same_words(const uint64_t *a, const uint64_t *b, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

static inline bool explore_is_symmetric(
  explore_worker *worker, const uint64_t *a, const uint64_t *b) {
  const explore *search = worker->search;
  return explore_same_words(a, b, search->layout.words) ||
         (search->symmetry.count > 0 && explore_same_form(worker, a, b));
}

static inline bool explore_is_state(
  explore_worker *worker, uint32_t state, uint64_t hash, const uint64_t *words) {
  const explore *search = worker->search;
  if (search->options.hashes) return *explore_kept_hash(search, state) == hash;
  return explore_is_symmetric(worker, explore_words(search, state), words);
}

/// Prefetches the stored state that probably has a hash.
static inline void explore_touch(const explore *search, uint64_t hash) {
  const explore_table *table = &search->table;
  explore_probe probe = explore_probe_at(table, hash);
  for (uint64_t entry; (entry = table->entries[probe.at]) != 0; explore_probe_on(table, &probe)) {
    if (entry >> 32 != (uint32_t)hash) continue;
    uint32_t state = (uint32_t)entry - 1;
    if (state >= search->count) return;
    __builtin_prefetch(
      search->options.hashes ? explore_kept_hash(search, state) : explore_words(search, state));
    return;
  }
}

#endif
