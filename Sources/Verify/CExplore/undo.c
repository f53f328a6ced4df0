/// Undoes a round that was stopped, so that the search can repeat it.
///
/// The counts are restored. New states of the round stay in the store, and are found again when the
/// round is repeated. If there are far more leaves than states in the round, saving the counts
/// would cost more than the round itself; such a round is not stopped before its end.

#include <string.h>

#include "parts.h"
#include "search.h"

enum { LEAVES_A_STATE = 64, LEAVES_ALWAYS = 4096 };

void explore_mark_round(explore *search) {
  uint64_t states = search->round_last - search->round_first;
  search->can_undo = search->leaf_count <= LEAVES_ALWAYS + states * LEAVES_A_STATE;
  for (uint32_t i = 0; i < search->worker_count && search->can_undo; i++) {
    explore_worker *worker = &search->workers[i];
    search->can_undo = explore_reserve(search, EXPLORE_OF_TRIES, &worker->marked,
      &worker->marked_capacity, search->leaf_count, sizeof *worker->marked);
    if (!search->can_undo) return;
    if (search->leaf_count > 0)
      memcpy(worker->marked, worker->counts, search->leaf_count * sizeof *worker->marked);
    worker->marked_generated = worker->generated;
    worker->marked_outside = worker->outside;
    worker->marked_checked = worker->checked;
  }
  search->marked_leaves = search->leaf_count;
}

bool explore_undo_round(explore *search) {
  uint32_t leaves = search->marked_leaves;
  if (!search->can_undo) return false;
  for (uint32_t i = 0; i < search->worker_count; i++) {
    explore_worker *worker = &search->workers[i];
    if (search->leaf_count > 0)
      memset(worker->counts, 0, search->leaf_count * sizeof *worker->counts);
    if (leaves > 0) memcpy(worker->counts, worker->marked, leaves * sizeof *worker->counts);
    worker->generated = worker->marked_generated;
    worker->outside = worker->marked_outside;
    worker->checked = worker->marked_checked;
    for (uint32_t n = 0; n < worker->tallies.count; n++) worker->tallies.items[n].count = 0;
  }
  return true;
}
