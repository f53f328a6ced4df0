/// The ways on from a state, for looking at what was searched.

#include <stdlib.h>
#include <string.h>

#include "live.h"
#include "table.h"
#include "tries.h"

void *explore_look_take(explore_look *look, size_t count, size_t size) {
  void *block = calloc(count > 0 ? count : 1, size);
  if (block == NULL) return NULL;
  look->bytes += count * size;
  if (look->bytes > look->most_bytes) look->most_bytes = look->bytes;
  return block;
}

void explore_look_drop(explore_look *look, void *block, size_t count, size_t size) {
  if (block == NULL) return;
  free(block);
  look->bytes -= count * size;
}

enum { ASKS_EVERY = 1 << 12 };

void explore_look_on(explore_look *look) {
  explore *search = look->search;
  if (++look->asked % ASKS_EVERY != 0 || search->owner.progress == NULL) return;
  if (!search->owner.progress(search->owned_by)) explore_fail(search, EXPLORE_STOPPED);
}

void explore_ways_of(explore_look *look, uint32_t state, uint32_t position, explore_way *way) {
  explore_look_on(look);
  way->worker = &look->search->workers[0];
  way->state = state;
  way->position = position;
  way->groups = look->groups;
  way->still = 0;
  explore_view(way->worker, state, 0);
}

/// The n-th way (0, 1, ...) of a mover that chance may go. 0: there is none.
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

bool explore_next_words(explore_way *way) {
  explore_worker *worker = way->worker;
  explore *search = worker->search;
  while (way->position >> 16 < search->kind_count[EXPLORE_MOVER]) {
    uint32_t mover = way->position >> 16;
    explore_trie *trie = &search->tries[search->by_kind[EXPLORE_MOVER][mover]];
    explore_cell cell = cell_of(worker, trie, way->position & 0xffff);
    if (cell == 0) {
      if (atomic_load(&search->status) != EXPLORE_OK) return false;
      way->position = (mover + 1) << 16;
      continue;
    }
    way->position++;
    if (explore_kind_of(cell) != EXPLORE_PASSES) continue;
    uint32_t words = search->layout.words;
    uint64_t *after = worker->view + words;
    explore_apply(explore_outcome_of(worker, trie, cell), words, worker->view, after);
    if (explore_same_words(after, worker->view, words)) {
      way->still |= way->groups[mover];
      continue;
    }
    way->mover = mover;
    way->leaf = trie->played ? EXPLORE_NONE : explore_leaf_of(cell);
    way->draws = worker->draws;
    return true;
  }
  return false;
}

bool explore_next_way(explore_way *way) {
  explore *search = way->worker->search;
  if (!explore_next_words(way)) return false;
  const uint64_t *after = way->worker->view + search->layout.words;
  way->target = explore_find(way->worker, explore_hash(way->worker, after), after, NULL);
  return true;
}

uint64_t explore_resting_groups(explore_look *look, uint32_t state) {
  uint64_t enabled = 0;
  explore_way way;
  explore_ways_of(look, state, 0, &way);
  while (explore_next_words(&way)) enabled |= look->groups[way.mover];
  return look->all_groups & ~(enabled & ~way.still);
}
