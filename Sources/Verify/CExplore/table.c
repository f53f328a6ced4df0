/// The hash table of states, with open addressing. An entry has the last 32 bits of a hash and the
/// number of a state plus one.
///
/// The first bits of a hash determine the position of its entry, so the table can have any size.
/// Invariant: in a large table an entry lies in the region of its hash, because probing wraps
/// around within a region. So workers fill different regions without locks. The states themselves
/// are in the store: a full table is freed before a larger one is built, and there are never two.

#include <stdlib.h>
#include <string.h>

#include "parts.h"
#include "table.h"

enum { LEAST_SIZE = 1 << 10, AHEAD = 16, REGIONS = 1 << EXPLORE_REGION_BITS };

uint64_t explore_hash(explore_worker *worker, const uint64_t *words) {
  const explore *search = worker->search;
  if (search->symmetry.count > 0) return explore_hash_form(worker, words);
  if (!search->options.hashes) return explore_hash_words(words, search->layout.words);
  uint64_t hash = 0;
  for (uint32_t slot = 0; slot < search->layout.count; slot++) {
    hash += explore_hash_value(slot, explore_get(words, search->layout.places[slot]));
  }
  return hash;
}

uint32_t explore_find(
  explore_worker *worker, uint64_t hash, const uint64_t *words, uint64_t *position) {
  const explore *search = worker->search;
  const explore_table *table = &search->table;
  if (table->size == 0) return EXPLORE_NONE;
  explore_probe probe = explore_probe_at(table, hash);
  for (uint64_t entry; (entry = table->entries[probe.at]) != 0; explore_probe_on(table, &probe)) {
    if (entry >> 32 != (uint32_t)hash) continue;
    uint32_t state = (uint32_t)entry - 1;
    if (state < search->count && explore_is_state(worker, state, hash, words)) return state;
  }
  if (position != NULL) *position = probe.at;
  return EXPLORE_NONE;
}

static uint64_t hash_stored(explore_worker *worker, uint32_t state) {
  const explore *search = worker->search;
  return search->options.hashes ? *explore_kept_hash(search, state)
                                : explore_hash(worker, explore_words(search, state));
}

uint64_t explore_hash_of(explore *search, uint32_t state) {
  return hash_stored(&search->workers[0], state);
}

/// A stored state whose entry is still to be made.
typedef struct {
  uint64_t hash;
  uint32_t state;
} waiting_entry;

static void enter(explore_table *table, waiting_entry entry) {
  explore_probe probe = explore_probe_at(table, entry.hash);
  while (table->entries[probe.at] != 0) explore_probe_on(table, &probe);
  table->entries[probe.at] = entry.hash << 32 | (entry.state + 1);
}

/// Enters the stored states of some regions, from `first` on and before `end`, into an empty table.
static void enter_stored(explore_worker *worker, uint32_t first, uint32_t end) {
  explore *search = worker->search;
  explore_table *table = &search->table;
  waiting_entry waiting[AHEAD];
  uint64_t count = 0;
  for (uint32_t state = 0; state < search->count; state++) {
    uint64_t hash = hash_stored(worker, state), region = hash >> (64 - EXPLORE_REGION_BITS);
    if (region < first || region >= end) continue;
    __builtin_prefetch(&table->entries[explore_probe_at(table, hash).at], 1);
    waiting_entry *next = &waiting[count % AHEAD];
    if (count++ >= AHEAD) enter(table, *next);
    *next = (waiting_entry){hash, state};
  }
  for (uint64_t i = count < AHEAD ? 0 : count - AHEAD; i < count; i++)
    enter(table, waiting[i % AHEAD]);
}

void explore_fill_table(explore *search) {
  memset(search->table.entries, 0, search->table.size * sizeof *search->table.entries);
  enter_stored(&search->workers[0], 0, REGIONS);
}

/// Enters the stored states of a worker's share of the regions.
static void enter_share(explore_worker *worker) {
  explore *search = worker->search;
  uint32_t shares = search->worker_count < REGIONS ? search->worker_count : REGIONS;
  for (;;) {
    uint32_t share = atomic_fetch_add(&search->next, 1);
    if (share >= shares) return;
    enter_stored(worker, share * REGIONS / shares, (share + 1) * REGIONS / shares);
  }
}

/// Enters all stored states into a table of zeros. Each worker computes all hashes, so this is done
/// together only if a hash costs little.
static void fill_new_table(explore *search) {
  bool is_cheap = search->options.hashes || search->symmetry.count == 0;
  if (search->worker_count > 1 && search->table.size >= EXPLORE_DIVIDED && is_cheap) {
    atomic_store(&search->next, 0);
    explore_together(search, enter_share, search->worker_count);
  } else {
    enter_stored(&search->workers[0], 0, REGIONS);
  }
}

/// Returns the next larger size. Sizes are 4 to 7 times a power of two: the table doubles; with
/// hash compaction it grows by a quarter or less.
static uint64_t size_after(const explore *search, uint64_t size) {
  if (size < LEAST_SIZE) return LEAST_SIZE;
  if (!search->options.hashes) return size * 2;
  uint64_t step = 1;
  while (step * 16 <= size) step *= 2;
  return size + step;
}

static uint64_t most_of(const explore *search, uint64_t size) {
  return search->options.hashes ? size / 100 * 85 : size / 4 * 3;
}

static bool try_size(explore *search, uint64_t size) {
  explore_table *table = &search->table;
  explore_drop_block(search, table->entries, table->size * sizeof *table->entries);
  *table = (explore_table){0};
  table->entries = explore_clear_block(search, size * sizeof *table->entries);
  if (table->entries == NULL) return false;
  table->size = size;
  fill_new_table(search);
  return true;
}

/// Returns true if a size is enough for the states and for so many successors. Most successors are
/// stored already, so a round may exceed the load factor a little, before the table grows.
static bool is_large_enough(const explore *search, uint64_t size, uint64_t more) {
  return search->count <= most_of(search, size) && search->count + more <= size / 10 * 9;
}

explore_status explore_make_table(explore *search, uint64_t more) {
  uint64_t old = search->table.size, size = old;
  if (is_large_enough(search, size, more)) return EXPLORE_OK;
  while (!is_large_enough(search, size, more)) size = size_after(search, size);
  if (try_size(search, size)) return EXPLORE_OK;
  // There is memory for the old size again; it is enough if the table stays at most 85 % full.
  if (old == 0 || !try_size(search, old)) return EXPLORE_NO_MEMORY;
  return search->count + more <= old / 20 * 17 ? EXPLORE_OK : EXPLORE_NO_MEMORY;
}
