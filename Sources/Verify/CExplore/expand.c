/// Expands states: computes the successors of each by all movers.

#include <string.h>

#include "parts.h"
#include "search.h"
#include "tries.h"
#include "table.h"

// MARK: Batches

bool explore_batch_room(explore *search, explore_batch *batch, uint64_t more) {
  uint64_t wanted = batch->count + more, old = batch->capacity;
  if (wanted <= old) return true;
  if (wanted < old * 2) wanted = old * 2;
  if (wanted < 256) wanted = 256;
  if (wanted > (uint64_t)1 << EXPLORE_BATCH_BITS) return false;
  explore_use use = EXPLORE_OF_STATES;
  if (search->kind_count[EXPLORE_BOUND] > 0 &&
      !explore_reserve(
        search, use, &batch->times, &batch->times_capacity, wanted, sizeof *batch->times))
    return false;
  size_t words = search->layout.words * sizeof(uint64_t);
  if (!explore_resize(search, use, &batch->words, old * words, wanted * words)) return false;
  // If one array cannot grow, those that have grown shrink again, so that all have one capacity.
  bool is_grown =
    explore_resize(search, use, &batch->hashes, old * sizeof(uint64_t), wanted * sizeof(uint64_t));
  if (is_grown) {
    is_grown = explore_resize(
      search, use, &batch->parents, old * sizeof(uint32_t), wanted * sizeof(uint32_t));
    if (is_grown) {
      is_grown = explore_resize(
        search, use, &batch->movers, old * sizeof(uint16_t), wanted * sizeof(uint16_t));
      if (!is_grown)
        explore_resize(
          search, use, &batch->parents, wanted * sizeof(uint32_t), old * sizeof(uint32_t));
    }
    if (!is_grown)
      explore_resize(
        search, use, &batch->hashes, wanted * sizeof(uint64_t), old * sizeof(uint64_t));
  }
  if (!is_grown) {
    explore_resize(search, use, &batch->words, wanted * words, old * words);
    return false;
  }
  batch->capacity = (uint32_t)wanted;
  return true;
}

/// Returns the hash of a successor with hash compaction: that of the state, changed by the writes.
static uint64_t hash_after(
  const explore *search, uint64_t hash, const explore_outcome *outcome, const uint64_t *before) {
  for (uint32_t i = 0; i < outcome->write_count; i++) {
    explore_write write = outcome->writes[i];
    const explore_place *places = search->layout.places;
    uint32_t slot = write.slot & ~EXPLORE_COPY;
    hash -= explore_hash_value(slot, explore_get(before, places[slot]));
    if (write.slot & EXPLORE_COPY)
      hash += explore_hash_value(slot, explore_get(before, places[write.value]));
  }
  return hash + outcome->added;
}

/// Returns true if an equal successor was generated recently: successors of neighbouring states are
/// often equal. The hash of a single word is unique, so a cache of hashes is enough; states of
/// several words are compared with recent ones of the batch.
static inline bool is_repeated(explore_worker *worker, explore_batch *batch, uint64_t hash,
  const uint64_t *state, bool has_bounds) {
  uint32_t words = worker->search->layout.words;
  if ((words == 1 || worker->search->options.hashes) && !has_bounds) {
    uint64_t *seen = &worker->seen[hash & (EXPLORE_SEEN - 1)];
    if (*seen == hash) return true;
    *seen = hash;
    return false;
  }
  uint32_t *recent = &batch->recent[hash & (EXPLORE_RECENT - 1)], i = *recent;
  bool has_symmetry = worker->search->symmetry.count > 0;
  if (i < batch->count && (has_symmetry || batch->hashes[i] == hash) &&
      explore_same_words(batch->words + (size_t)i * words, state, words)) {
    // With bounds, each successor outside of them is counted.
    if (has_bounds) batch->times[i]++;
    return true;
  }
  *recent = batch->count;
  if (has_bounds) batch->times[batch->count] = 1;
  return false;
}

/// Adds the successor of the state in view to a batch that has room for it.
static inline bool emit(explore_worker *worker, explore_batch *batch,
  const explore_outcome *outcome, uint32_t mover, bool has_steps) {
  explore *search = worker->search;
  uint32_t words = search->layout.words, i = batch->count;
  bool has_bounds = search->kind_count[EXPLORE_BOUND] > 0;
  uint64_t *to = batch->words + (size_t)i * words;
  explore_apply(outcome, words, worker->view, to);
  if (!explore_same_words(to, worker->view, words)) {
    bool has_symmetry = search->symmetry.count > 0;
    uint64_t hash =
      search->options.hashes && !has_symmetry
        ? hash_after(search, *explore_kept_hash(search, worker->state), outcome, worker->view)
        : explore_hash_words(to, words);
    batch->parents[i] = worker->state;
    batch->movers[i] = (uint16_t)mover;
    if (!is_repeated(worker, batch, hash, to, has_bounds)) {
      batch->hashes[i] = has_symmetry ? explore_hash(worker, to) : hash;
      batch->count++;
    }
  }
  return !has_steps || explore_ask_steps(worker, to);
}

// MARK: Movers

/// Adds the successor by one leaf of a mover. Returns false after an error.
static bool expand_transition(explore_worker *worker, explore_batch *batch, explore_trie *trie,
  explore_cell cell, bool *is_stuck) {
  explore *search = worker->search;
  const explore_outcome *outcome = explore_outcome_of(worker, trie, cell);
  worker->counts[explore_leaf_of(cell)]++;
  if (explore_kind_of(cell) == EXPLORE_REFUSED) return true;
  *is_stuck = false;
  if (explore_kind_of(cell) == EXPLORE_FAILED)
    return explore_note(worker, EXPLORE_FAULT, trie->number, outcome->reason, worker->depth, true);
  worker->generated++;
  if (!explore_batch_room(search, batch, 1)) {
    explore_fail(search, EXPLORE_NO_MEMORY);
    return false;
  }
  return emit(worker, batch, outcome, trie->ordinal, search->kind_count[EXPLORE_STEP] > 0);
}

/// Expands a state by a mover, for all outcomes of its random draws; a miss asks the owner.
static bool expand_all_draws(
  explore_worker *worker, explore_batch *batch, explore_trie *trie, bool *is_stuck) {
  explore *search = worker->search;
  worker->draws.count = 0;
  worker->mover = trie->number;
  do {
    explore_cell cell = explore_resolve(worker, trie);
    if (cell == 0) return false;
    bool was_played = trie->played;
    if (search->owner.check != NULL && explore_is_checked(search, worker->state, trie->number) &&
        !explore_check_leaf(worker, trie, cell))
      return false;
    // During the check another worker may have made the trie played, which dropped the leaf.
    if (trie->played != was_played && (cell = explore_resolve(worker, trie)) == 0) return false;
    if (!expand_transition(worker, batch, trie, cell, is_stuck)) return false;
  } while (explore_next_draws(&worker->draws));
  return true;
}

/// Handles a mover whose walk ended at a cell. A learned leaf without draws is used at once.
static inline bool take(explore_worker *worker, explore_batch *batch, explore_trie *trie,
  explore_cell cell, uint32_t *passed, bool *is_stuck) {
  explore *search = worker->search;
  uint32_t leaf = explore_leaf_of(cell);
  if (cell != 0 && explore_kind_of(cell) == EXPLORE_REFUSED) {
    worker->counts[leaf]++;
    return true;
  }
  if (cell == 0 || explore_kind_of(cell) != EXPLORE_PASSES || batch->count >= batch->capacity)
    return expand_all_draws(worker, batch, trie, is_stuck);
  worker->counts[leaf]++;
  worker->mover = trie->number;
  worker->draws.count = 0;
  ++*passed;
  bool has_steps = search->kind_count[EXPLORE_STEP] > 0;
  return emit(worker, batch, &search->leaves[leaf], trie->ordinal, has_steps);
}

/// Tries all movers, one after the other.
static bool try_all(
  explore_worker *worker, explore_batch *batch, bool is_careful, uint32_t *passed, bool *is_stuck) {
  explore *search = worker->search;
  const uint32_t *numbers = search->by_kind[EXPLORE_MOVER];
  for (uint32_t i = 0; i < search->kind_count[EXPLORE_MOVER]; i++) {
    explore_trie *trie = &search->tries[numbers[i]];
    explore_cell cell = is_careful ? 0 : explore_walk(trie->code, worker->view);
    if (!take(worker, batch, trie, cell, passed, is_stuck)) return false;
  }
  return true;
}

/// Tries the movers that the rows of their groups do not refuse. Once the owner has been asked,
/// nodes may have moved, so walks begin at the root.
static bool try_ready(
  explore_worker *worker, explore_batch *batch, uint32_t *passed, bool *is_stuck) {
  explore *search = worker->search;
  const uint32_t *numbers = search->by_kind[EXPLORE_MOVER];
  uint64_t misses = worker->misses;
  explore_ready_movers(worker);
  for (uint32_t i = 0; i * 64 < search->kind_count[EXPLORE_MOVER]; i++) {
    for (uint64_t bits = worker->ready[i]; bits != 0; bits &= bits - 1) {
      uint32_t mover = i * 64 + (uint32_t)__builtin_ctzll(bits);
      explore_trie *trie = &search->tries[numbers[mover]];
      explore_cell cell = worker->misses == misses
                            ? explore_walk_on(trie->code, worker->cells[mover], worker->view)
                            : explore_walk(trie->code, worker->view);
      if (!take(worker, batch, trie, cell, passed, is_stuck)) return false;
    }
  }
  return true;
}

static bool expand_state(explore_worker *worker, explore_batch *batch, uint32_t state) {
  explore *search = worker->search;
  uint32_t passed = 0;
  bool is_stuck = true, is_careful = explore_has_checks(search, state);
  explore_view(worker, state, search->level_count);
  if (!explore_judge_played(worker)) return false;
  bool is_done = is_careful || !search->groups.is_current
                   ? try_all(worker, batch, is_careful, &passed, &is_stuck)
                   : try_ready(worker, batch, &passed, &is_stuck);
  worker->draws.count = worker->judged_count = 0;
  worker->generated += passed;
  if (!is_done) return false;
  return passed > 0 || !is_stuck || explore_ask_stuck(worker);
}

void explore_expand(explore_worker *worker) {
  explore *search = worker->search;
  bool is_alone = search->worker_count == 1, has_bounds = search->kind_count[EXPLORE_BOUND] > 0;
  for (;;) {
    uint32_t number = atomic_fetch_add(&search->next, 1);
    if (number >= search->batch_count) return;
    explore_batch *batch = &search->batches[is_alone ? 0 : number];
    uint32_t state = search->round_first + number * search->batch_size;
    batch->count = 0;
    for (uint32_t i = 0; i < search->batch_size && state < search->round_last; i++, state++) {
      explore_pause(worker);
      if (search->can_undo && atomic_load_explicit(&search->stopping, memory_order_relaxed))
        explore_fail(search, EXPLORE_STOPPED);
      if (atomic_load_explicit(&search->status, memory_order_relaxed) != EXPLORE_OK) return;
      if (!expand_state(worker, batch, state)) return;
    }
    if (has_bounds && !explore_sift(worker, batch)) return;
    if (is_alone && explore_fail(search, explore_append(search, batch)) != EXPLORE_OK) return;
    if (!is_alone && !explore_sort(search, batch)) return;
  }
}
