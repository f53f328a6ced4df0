/// Asks questions about states and steps, and chooses the leaves of the self-check.

#include <string.h>

#include "parts.h"
#include "search.h"
#include "tries.h"

enum { CHECKED_FIRST = 512, CHECKED_OF_DOUBLING = 64, CHECKED_LATER = 65536 };

/// Returns the interval of self-checks from a decision on: all of the first ones are checked, then
/// some each time that their number doubles, so that small models are not checked for most of the
/// time, then one in so many.
static uint64_t interval_at(uint64_t number) {
  if (number < CHECKED_FIRST) return 1;
  if (number >= (uint64_t)CHECKED_OF_DOUBLING * CHECKED_LATER) return CHECKED_LATER;
  return ((uint64_t)1 << (63 - __builtin_clzll(number))) / CHECKED_OF_DOUBLING;
}

// The choice depends on the number of the state, so it is the same for any number of threads.
bool explore_is_checked(const explore *search, uint32_t state, uint32_t decision) {
  if (search->options.checks_all) return true;
  uint64_t number = (uint64_t)state * search->trie_count + decision;
  return number % interval_at(number) == 0;
}

bool explore_has_checks(const explore *search, uint32_t state) {
  if (search->owner.check == NULL) return false;
  if (search->options.checks_all) return true;
  uint64_t first = (uint64_t)state * search->trie_count, last = first + search->trie_count;
  // The interval of later decisions is a multiple of this one.
  uint64_t interval = interval_at(first);
  return first % interval == 0 || first / interval != (last - 1) / interval;
}

/// Returns the answer to a question, or EXPLORE_PLAYED after an error. `*reason` receives the
/// owner's number of the refusal or fault.
static explore_leaf_kind ask(
  explore_worker *worker, explore_trie *trie, uint32_t depth, bool is_moved, uint32_t *reason) {
  explore *search = worker->search;
  explore_cell cell = explore_decide(worker, trie);
  if (cell == 0) return EXPLORE_PLAYED;
  explore_leaf_kind kind = explore_kind_of(cell);
  *reason = search->leaves[explore_leaf_of(cell)].reason;
  if (search->owner.check != NULL && explore_is_checked(search, worker->state, trie->number) &&
      !explore_check_leaf(worker, trie, cell))
    return EXPLORE_PLAYED;
  if (kind == EXPLORE_FAILED &&
      !explore_note(worker, EXPLORE_FAULT, trie->number, *reason, depth, is_moved))
    return EXPLORE_PLAYED;
  return kind;
}

static bool ask_kind(explore_worker *worker, explore_kind kind, uint32_t depth, bool is_moved) {
  explore *search = worker->search;
  for (uint32_t i = 0; i < search->kind_count[kind]; i++) {
    explore_trie *trie = &search->tries[search->by_kind[kind][i]];
    if (!trie->asked) continue;
    uint32_t reason;
    explore_leaf_kind said = ask(worker, trie, depth, is_moved, &reason);
    if (said == EXPLORE_PLAYED) return false;
    if (said == EXPLORE_FAILED) continue;
    explore_found found = said == EXPLORE_PASSES ? EXPLORE_YES : EXPLORE_NO;
    if (!explore_note(worker, found, trie->number, reason, depth, is_moved)) return false;
  }
  return true;
}

bool explore_ask_all(explore_worker *worker, uint32_t depth, bool is_moved) {
  return ask_kind(worker, EXPLORE_QUESTION, depth, is_moved);
}

bool explore_ask_within(explore_worker *worker, uint32_t depth, bool is_moved, bool *is_within) {
  explore *search = worker->search;
  *is_within = true;
  for (uint32_t i = 0; i < search->kind_count[EXPLORE_BOUND]; i++) {
    uint32_t reason;
    explore_trie *trie = &search->tries[search->by_kind[EXPLORE_BOUND][i]];
    explore_leaf_kind said = ask(worker, trie, depth, is_moved, &reason);
    if (said == EXPLORE_PLAYED) return false;
    if (said != EXPLORE_PASSES) *is_within = false;
  }
  return true;
}

bool explore_ask_steps(explore_worker *worker, const uint64_t *after) {
  explore *search = worker->search;
  uint32_t words = search->layout.words;
  memcpy(worker->view + words, after, words * sizeof *after);
  worker->view[2 * words] = worker->mover;
  return ask_kind(worker, EXPLORE_STEP, worker->depth + 1, true);
}

bool explore_ask_stuck(explore_worker *worker) {
  explore *search = worker->search;
  for (uint32_t i = 0; i < search->kind_count[EXPLORE_END]; i++) {
    uint32_t reason;
    explore_trie *trie = &search->tries[search->by_kind[EXPLORE_END][i]];
    explore_leaf_kind said = ask(worker, trie, worker->depth, false, &reason);
    if (said == EXPLORE_PLAYED) return false;
    if (said == EXPLORE_PASSES) return true;
  }
  return explore_note(worker, EXPLORE_DEADLOCK, EXPLORE_NONE, 0, worker->depth, false);
}

static bool has_questions(const explore *search) {
  for (uint32_t i = 0; i < search->kind_count[EXPLORE_QUESTION]; i++) {
    if (search->tries[search->by_kind[EXPLORE_QUESTION][i]].asked) return true;
  }
  return false;
}

void explore_ask_fresh(explore_worker *worker) {
  explore *search = worker->search;
  if (!has_questions(search)) return;
  uint32_t first, last = search->asked_last;
  for (;;) {
    uint64_t at = (uint64_t)search->asked_first +
                  (uint64_t)atomic_fetch_add(&search->next, 1) * EXPLORE_ASKED_TOGETHER;
    if (at >= last) return;
    first = (uint32_t)at;
    for (uint32_t state = first; state < last && state - first < EXPLORE_ASKED_TOGETHER; state++) {
      explore_pause(worker);
      if (atomic_load_explicit(&search->status, memory_order_relaxed) != EXPLORE_OK) return;
      explore_view(worker, state, search->level_count + 1);
      if (!explore_ask_all(worker, worker->depth, false)) return;
    }
  }
}
