/// The transitions from a state, for checks after the search.

#include <stdlib.h>
#include <string.h>

#include "liveness.h"
#include "table.h"
#include "tries.h"

void *explore_liveness_allocate(explore_liveness *live, size_t count, size_t size) {
  void *block = calloc(count > 0 ? count : 1, size);
  if (block == NULL) return NULL;
  live->bytes += count * size;
  if (live->bytes > live->most_bytes) live->most_bytes = live->bytes;
  return block;
}

void explore_liveness_free(explore_liveness *live, void *block, size_t count, size_t size) {
  if (block == NULL) return;
  free(block);
  live->bytes -= count * size;
}

enum { ASKS_EVERY = 1 << 12 };

void explore_liveness_poll(explore_liveness *live) {
  explore *search = live->search;
  if (++live->asked % ASKS_EVERY != 0 || search->owner.progress == NULL) return;
  if (!search->owner.progress(search->owned_by)) explore_fail(search, EXPLORE_STOPPED);
}

void explore_transitions_of(
  explore_liveness *live, uint32_t state, uint32_t position, explore_transition *transition) {
  explore_liveness_poll(live);
  transition->worker = &live->search->workers[0];
  transition->state = state;
  transition->position = position;
  transition->groups = live->groups;
  transition->still = 0;
  explore_view(transition->worker, state, 0);
}

/// Returns the leaf of the n-th combination of random draws of a mover (from 0); 0 if there is
/// none.
static explore_cell cell_of(explore_worker *worker, explore_trie *trie, uint32_t n) {
  explore_cell cell = explore_walk(trie->code, worker->view);
  worker->draws.count = 0;
  if (cell != 0) return n == 0 ? cell : 0;
  for (;; n--) {
    cell = explore_resolve(worker, trie);
    if (cell == 0 || n == 0) return cell;
    if (!explore_next_draws(&worker->draws)) return 0;
  }
}

bool explore_next_words(explore_transition *transition) {
  explore_worker *worker = transition->worker;
  explore *search = worker->search;
  while (transition->position >> 16 < search->kind_count[EXPLORE_MOVER]) {
    uint32_t mover = transition->position >> 16;
    explore_trie *trie = &search->tries[search->by_kind[EXPLORE_MOVER][mover]];
    explore_cell cell = cell_of(worker, trie, transition->position & 0xffff);
    if (cell == 0) {
      if (atomic_load(&search->status) != EXPLORE_OK) return false;
      transition->position = (mover + 1) << 16;
      continue;
    }
    transition->position++;
    if (explore_kind_of(cell) != EXPLORE_PASSES) continue;
    uint32_t words = search->layout.words;
    uint64_t *after = worker->view + words;
    explore_apply(explore_outcome_of(worker, trie, cell), words, worker->view, after);
    if (explore_same_words(after, worker->view, words)) {
      transition->still |= transition->groups[mover];
      continue;
    }
    transition->mover = mover;
    transition->leaf = trie->played ? EXPLORE_NONE : explore_leaf_of(cell);
    transition->draws = worker->draws;
    return true;
  }
  return false;
}

bool explore_next_transition(explore_transition *transition) {
  explore *search = transition->worker->search;
  if (!explore_next_words(transition)) return false;
  const uint64_t *after = transition->worker->view + search->layout.words;
  transition->target =
    explore_find(transition->worker, explore_hash(transition->worker, after), after, NULL);
  return true;
}

uint64_t explore_resting_groups(explore_liveness *live, uint32_t state) {
  uint64_t enabled = 0;
  explore_transition transition;
  explore_transitions_of(live, state, 0, &transition);
  while (explore_next_words(&transition)) enabled |= live->groups[transition.mover];
  return live->all_groups & ~(enabled & ~transition.still);
}
