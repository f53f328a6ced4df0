/// Stores new states.
///
/// A single worker stores the new successors of a batch at once. Several workers first compute all
/// successors of a round. Then each worker enters the successors of its regions into the hash
/// table, in their order, so that the first of equal states gets the entry. At last the new states
/// are numbered in their order, and stored.
///
/// Invariant: the number and the parent of each state are those that a single worker would assign.

#include <string.h>

#include "parts.h"
#include "search.h"
#include "table.h"

enum { FAR = 32, NEAR = 16, REGIONS = 1 << EXPLORE_REGION_BITS };
#define NOWHERE UINT64_MAX
// The numbers from here to 2^32 are for the successors of a round, until they get their own.
#define MOST_STATES (UINT32_MAX - 1 - ((uint32_t)EXPLORE_BATCHES << EXPLORE_BATCH_BITS))

static uint32_t limit_of(const explore *search) {
  uint64_t most = search->options.max_states;
  return most == 0 || most > MOST_STATES ? MOST_STATES : (uint32_t)most;
}

/// Records that the limit of states is reached, which ends the search.
static void note_full(explore *search) {
  search->is_full = true;
  if (limit_of(search) == MOST_STATES) explore_fail(search, EXPLORE_TOO_MANY);
}

/// Prefetches the memory for looking up the successors after the i-th.
static inline void look_ahead(const explore *search, const explore_batch *batch, uint32_t i) {
  if (i + FAR < batch->count) {
    const explore_table *table = &search->table;
    __builtin_prefetch(&table->entries[explore_probe_at(table, batch->hashes[i + FAR]).at]);
  }
  if (i + NEAR < batch->count) explore_touch(search, batch->hashes[i + NEAR]);
}

static void move_within(explore_batch *batch, uint32_t words, uint32_t from, uint32_t to) {
  if (from == to) return;
  memcpy(batch->words + (size_t)to * words, batch->words + (size_t)from * words,
    words * sizeof(uint64_t));
  batch->hashes[to] = batch->hashes[from];
  batch->parents[to] = batch->parents[from];
  batch->movers[to] = batch->movers[from];
  if (batch->times != NULL) batch->times[to] = batch->times[from];
}

static void drop_known(explore_worker *worker, explore_batch *batch) {
  const explore *search = worker->search;
  uint32_t words = search->layout.words, left = 0;
  if (search->table.size == 0) return;
  for (uint32_t i = 0; i < batch->count; i++) {
    look_ahead(search, batch, i);
    const uint64_t *state = batch->words + (size_t)i * words;
    if (explore_find(worker, batch->hashes[i], state, NULL) != EXPLORE_NONE) continue;
    move_within(batch, words, i, left++);
  }
  batch->count = left;
}

static bool drop_outside(explore_worker *worker, explore_batch *batch) {
  explore *search = worker->search;
  uint32_t left = 0, depth = search->level_count + 1;
  for (uint32_t i = 0; i < batch->count; i++) {
    uint32_t words = search->layout.words;
    memcpy(worker->view, batch->words + (size_t)i * words, words * sizeof(uint64_t));
    worker->state = batch->parents[i];
    worker->times = batch->times[i];
    worker->mover = worker->state == EXPLORE_NONE
                      ? batch->movers[i]
                      : search->by_kind[EXPLORE_MOVER][batch->movers[i]];
    bool is_within;
    if (!explore_ask_within(worker, depth, true, &is_within)) return false;
    if (!is_within) {
      worker->outside += worker->times;
      if (worker->state == EXPLORE_NONE) search->begins_outside = true;
      if (!explore_ask_all(worker, depth, true)) return false;
    } else {
      move_within(batch, search->layout.words, i, left++);
    }
  }
  batch->count = left;
  worker->times = 1;
  return true;
}

bool explore_sift(explore_worker *worker, explore_batch *batch) {
  drop_known(worker, batch);
  worker->draws.count = 0;
  return worker->search->kind_count[EXPLORE_BOUND] == 0 || drop_outside(worker, batch);
}

/// Stores the i-th successor of a batch under a number, for which memory is reserved.
static inline void store(explore *search, const explore_batch *batch, uint32_t i, uint32_t number) {
  uint32_t words = search->layout.words;
  const uint64_t *from = batch->words + (size_t)i * words;
  uint64_t *to = explore_words(search, number);
  for (uint32_t word = 0; word < words; word++) to[word] = from[word];
  if (search->options.hashes) *explore_kept_hash(search, number) = batch->hashes[i];
  *explore_parent_of(search, number) = batch->parents[i];
  *explore_mover_of(search, number) = batch->movers[i];
}

static inline uint64_t entry_of(uint64_t hash, uint32_t number) {
  return hash << 32 | (number + 1);
}

explore_status explore_append(explore *search, explore_batch *batch) {
  explore_status status = explore_make_table(search, batch->count);
  if (status != EXPLORE_OK) return status;
  uint32_t words = search->layout.words, limit = limit_of(search);
  for (uint32_t i = 0; i < batch->count; i++) {
    look_ahead(search, batch, i);
    uint64_t hash = batch->hashes[i], at;
    const uint64_t *state = batch->words + (size_t)i * words;
    if (explore_find(&search->workers[0], hash, state, &at) != EXPLORE_NONE) continue;
    if (search->count >= limit) {
      note_full(search);
      break;
    }
    status = explore_make_room(search, (uint64_t)search->count + 1);
    if (status != EXPLORE_OK) return status;
    store(search, batch, i, search->count);
    search->table.entries[at] = entry_of(hash, search->count++);
  }
  batch->count = 0;
  return EXPLORE_OK;
}

// MARK: Several workers

static inline uint32_t region_of(uint64_t hash) {
  return (uint32_t)(hash >> (64 - EXPLORE_REGION_BITS));
}

bool explore_sort(explore *search, explore_batch *batch) {
  uint32_t *starts = batch->starts, at[REGIONS];
  if (!explore_reserve(search, EXPLORE_OF_STATES, &batch->positions, &batch->position_capacity,
        batch->count, sizeof *batch->positions) ||
      !explore_reserve(search, EXPLORE_OF_STATES, &batch->order, &batch->order_capacity,
        batch->count, sizeof *batch->order)) {
    explore_fail(search, EXPLORE_NO_MEMORY);
    return false;
  }
  memset(starts, 0, sizeof batch->starts);
  for (uint32_t i = 0; i < batch->count; i++) starts[region_of(batch->hashes[i]) + 1]++;
  for (uint32_t i = 0; i < REGIONS; i++) {
    starts[i + 1] += starts[i];
    at[i] = starts[i];
  }
  for (uint32_t i = 0; i < batch->count; i++) batch->order[at[region_of(batch->hashes[i])]++] = i;
  return true;
}

/// Returns the temporary number of a successor of the round, which is beyond those of all states.
static inline uint32_t early_number(const explore *search, uint32_t batch, uint32_t i) {
  return search->count + (batch << EXPLORE_BATCH_BITS | i);
}

static bool is_same(
  explore_worker *worker, uint32_t number, const explore_batch *batch, uint32_t i) {
  const explore *search = worker->search;
  uint32_t words = search->layout.words;
  const uint64_t *state = batch->words + (size_t)i * words;
  if (number < search->count) return explore_is_state(worker, number, batch->hashes[i], state);
  uint32_t early = number - search->count;
  const explore_batch *other = &search->batches[early >> EXPLORE_BATCH_BITS];
  uint32_t n = early & (((uint32_t)1 << EXPLORE_BATCH_BITS) - 1);
  if (search->options.hashes) return other->hashes[n] == batch->hashes[i];
  return other->hashes[n] == batch->hashes[i] &&
         explore_is_symmetric(worker, other->words + (size_t)n * words, state);
}

static const uint64_t *words_at(const explore *search, uint32_t number) {
  if (number < search->count) return explore_words(search, number);
  uint32_t early = number - search->count;
  const explore_batch *batch = &search->batches[early >> EXPLORE_BATCH_BITS];
  return batch->words +
         (size_t)(early & (((uint32_t)1 << EXPLORE_BATCH_BITS) - 1)) * search->layout.words;
}

/// Enters a successor into the table if it is new.
static void enter(explore_worker *worker, uint32_t number, uint32_t i) {
  explore *search = worker->search;
  explore_batch *batch = &search->batches[number];
  explore_table *table = &search->table;
  uint64_t hash = batch->hashes[i], entry;
  explore_probe probe = explore_probe_at(table, hash);
  batch->positions[i] = NOWHERE;
  for (; (entry = table->entries[probe.at]) != 0; explore_probe_on(table, &probe)) {
    if (entry >> 32 == (uint32_t)hash && is_same(worker, (uint32_t)entry - 1, batch, i)) return;
  }
  table->entries[probe.at] = entry_of(hash, early_number(search, number, i));
  batch->positions[i] = probe.at;
}

/// Enters successors of a batch in order, and prefetches memory for those that follow.
static void enter_some(
  explore_worker *worker, uint32_t number, const uint32_t *some, uint32_t count) {
  const explore *search = worker->search;
  const explore_table *table = &search->table;
  const uint64_t *hashes = search->batches[number].hashes;
  for (uint32_t n = 0; n < count + FAR; n++) {
    if (n < count)
      __builtin_prefetch(&table->entries[explore_probe_at(table, hashes[some[n]]).at], 1);
    if (n >= NEAR && n - NEAR < count && !search->options.hashes) {
      uint64_t hash = hashes[some[n - NEAR]];
      uint64_t entry = table->entries[explore_probe_at(table, hash).at];
      if (entry != 0 && entry >> 32 == (uint32_t)hash)
        __builtin_prefetch(words_at(search, (uint32_t)entry - 1));
    }
    if (n >= FAR) enter(worker, number, some[n - FAR]);
  }
}

/// Returns the number of parts into which the table is divided among workers in this round.
static uint32_t shares_of(const explore *search) {
  if (search->table.size < EXPLORE_DIVIDED || search->batch_count == 1) return 1;
  uint32_t shares = 2 * search->worker_count;
  return shares < REGIONS ? shares : REGIONS;
}

static void enter_regions(explore_worker *worker) {
  explore *search = worker->search;
  uint32_t shares = shares_of(search);
  for (;;) {
    uint32_t share = atomic_fetch_add(&search->next, 1);
    if (share >= shares) return;
    for (uint32_t number = 0; number < search->batch_count; number++) {
      const explore_batch *batch = &search->batches[number];
      uint32_t first = batch->starts[share * REGIONS / shares];
      uint32_t last = batch->starts[(share + 1) * REGIONS / shares];
      enter_some(worker, number, batch->order + first, last - first);
    }
  }
}

static void store_fresh(explore_worker *worker) {
  explore *search = worker->search;
  uint32_t limit = limit_of(search);
  for (;;) {
    uint32_t taken = atomic_fetch_add(&search->next, 1);
    if (taken >= search->batch_count) return;
    explore_batch *batch = &search->batches[taken];
    uint32_t number = batch->number;
    for (uint32_t i = 0; i < batch->count; i++) {
      if (i + NEAR < batch->count && batch->positions[i + NEAR] != NOWHERE)
        __builtin_prefetch(&search->table.entries[batch->positions[i + NEAR]], 1);
      if (batch->positions[i] == NOWHERE) continue;
      uint64_t *entry = &search->table.entries[batch->positions[i]];
      // A state beyond the limit keeps its entry, because probes of others may have passed it.
      if (number >= limit) {
        *entry = entry_of(batch->hashes[i], UINT32_MAX - 1);
        continue;
      }
      store(search, batch, i, number);
      *entry = entry_of(batch->hashes[i], number++);
    }
  }
}

static uint64_t number_fresh(explore *search) {
  uint64_t number = search->count;
  for (uint32_t b = 0; b < search->batch_count; b++) {
    explore_batch *batch = &search->batches[b];
    batch->number = number > MOST_STATES ? MOST_STATES : (uint32_t)number;
    for (uint32_t i = 0; i < batch->count; i++) number += batch->positions[i] != NOWHERE;
  }
  return number;
}

explore_status explore_append_together(explore *search) {
  uint64_t all = 0;
  for (uint32_t b = 0; b < search->batch_count; b++) all += search->batches[b].count;
  explore_status status = explore_make_table(search, all);
  if (status != EXPLORE_OK) return status;
  atomic_store(&search->next, 0);
  explore_together(search, enter_regions, shares_of(search));
  uint64_t number = number_fresh(search);
  if (number > limit_of(search)) {
    number = limit_of(search);
    note_full(search);
  }
  status = explore_make_room(search, number);
  // Without memory, the entries of this round stay with temporary numbers, which no state has.
  if (status != EXPLORE_OK) return status;
  atomic_store(&search->next, 0);
  explore_together(search, store_fresh, search->batch_count);
  search->count = (uint32_t)number;
  for (uint32_t b = 0; b < search->batch_count; b++) search->batches[b].count = 0;
  return EXPLORE_OK;
}
