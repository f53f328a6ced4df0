/// What was found: the first of each kind, and how many there are.
///
/// Workers note for themselves. The first is the one of the least depth, then state, then mover, so
/// that it does not matter who finds it.

#include <string.h>

#include "parts.h"
#include "search.h"

static bool is_before(const explore_finding *a, const explore_finding *b) {
  if (a->depth != b->depth) return a->depth < b->depth;
  if (a->state != b->state) return a->state < b->state;
  if (a->mover != b->mover) return a->mover < b->mover;
  for (uint32_t i = 0; i < a->draw_count && i < b->draw_count; i++) {
    if (a->draws[i] != b->draws[i]) return a->draws[i] < b->draws[i];
  }
  return false;
}

static void set(explore_worker *worker, explore_finding *finding, uint32_t reason, uint32_t depth,
  bool is_moved) {
  finding->reason = reason;
  finding->state = worker->state;
  finding->depth = depth;
  finding->mover = EXPLORE_NONE;
  finding->draw_count = 0;
  if (!is_moved) return;
  finding->mover = worker->mover;
  finding->draw_count = worker->draws.count;
  memcpy(finding->draws, worker->draws.values, sizeof finding->draws);
}

static explore_finding *find(
  explore_tallies *tallies, uint32_t from, explore_found found, uint32_t trie, uint32_t reason) {
  for (uint32_t i = from; i < tallies->count; i++) {
    explore_finding *item = &tallies->items[i];
    if (item->found != found || item->trie != trie) continue;
    if (found != EXPLORE_FAULT || item->reason == reason) return item;
  }
  return NULL;
}

static explore_finding *add(
  explore *search, explore_tallies *tallies, explore_found found, uint32_t trie, uint32_t reason) {
  if (!explore_reserve(search, EXPLORE_OF_TRIES, &tallies->items, &tallies->capacity,
        tallies->count + 1, sizeof *tallies->items)) {
    explore_fail(search, EXPLORE_NO_MEMORY);
    return NULL;
  }
  explore_finding *item = &tallies->items[tallies->count++];
  *item = (explore_finding){.found = found, .trie = trie, .reason = reason};
  return item;
}

bool explore_note(explore_worker *worker, explore_found found, uint32_t trie, uint32_t reason,
  uint32_t depth, bool is_moved) {
  explore *search = worker->search;
  explore_tallies *tallies = &worker->tallies;
  uint32_t fixed = 2 * search->trie_count;
  explore_finding *item = &tallies->items[fixed];
  if (found == EXPLORE_NO || found == EXPLORE_YES)
    item = &tallies->items[2 * trie + (found == EXPLORE_YES)];
  if (found == EXPLORE_FAULT) {
    item = find(tallies, fixed + 1, found, trie, reason);
    if (item == NULL) item = add(search, tallies, found, trie, reason);
    if (item == NULL) return false;
  }
  if (item->count++ == 0) {
    set(worker, item, reason, depth, is_moved);
  } else if (depth <= item->depth && worker->state <= item->state) {
    explore_finding other = *item;
    set(worker, &other, reason, depth, is_moved);
    if (is_before(&other, item)) *item = other;
  }
  return true;
}

explore_status explore_prepare_findings(explore *search) {
  uint32_t fixed = 2 * search->trie_count + 1;
  for (uint32_t i = 0; i < search->worker_count; i++) {
    explore_tallies *tallies = &search->workers[i].tallies;
    if (!explore_reserve(search, EXPLORE_OF_TRIES, &tallies->items, &tallies->capacity, fixed,
          sizeof *tallies->items))
      return EXPLORE_NO_MEMORY;
    tallies->count = fixed;
    memset(tallies->items, 0, fixed * sizeof *tallies->items);
    for (uint32_t n = 0; n < fixed; n++) {
      explore_finding *item = &tallies->items[n];
      item->trie = n / 2;
      item->found = n % 2 ? EXPLORE_YES : EXPLORE_NO;
      if (n == fixed - 1) item->trie = EXPLORE_NONE, item->found = EXPLORE_DEADLOCK;
    }
  }
  return EXPLORE_OK;
}

explore_status explore_gather(explore *search) {
  explore_tallies *all = &search->tallies;
  for (uint32_t i = 0; i < search->worker_count; i++) {
    explore_tallies *own = &search->workers[i].tallies;
    for (uint32_t n = 0; n < own->count; n++) {
      explore_finding *item = &own->items[n];
      if (item->count == 0) continue;
      explore_finding *known = find(all, 0, item->found, item->trie, item->reason);
      if (known == NULL) known = add(search, all, item->found, item->trie, item->reason);
      if (known == NULL) return EXPLORE_NO_MEMORY;
      uint64_t count = known->count + item->count;
      if (known->count == 0 || is_before(item, known)) *known = *item;
      known->count = count;
      item->count = 0;
    }
  }
  return EXPLORE_OK;
}

void explore_drop_questions(explore *search) {
  if (search->options.keeps_going) return;
  for (uint32_t i = 0; i < search->trie_count; i++) {
    explore_trie *trie = &search->tries[i];
    if (!trie->asked || (trie->kind != EXPLORE_QUESTION && trie->kind != EXPLORE_STEP)) continue;
    trie->asked = find(&search->tallies, 0, EXPLORE_NO, i, 0) == NULL ||
                  find(&search->tallies, 0, EXPLORE_YES, i, 0) == NULL;
  }
}

// MARK: Reading

uint32_t explore_finding_count(const explore *search) { return search->tallies.count; }

/// The n-th by depth. There are few, so that they are not kept in order.
explore_finding explore_finding_at(const explore *search, uint32_t n) {
  const explore_tallies *all = &search->tallies;
  for (uint32_t i = 0; i < all->count; i++) {
    uint32_t before = 0;
    for (uint32_t j = 0; j < all->count; j++) {
      const explore_finding *a = &all->items[j], *b = &all->items[i];
      if (j == i) continue;
      if (is_before(a, b)) {
        before++;
      } else if (!is_before(b, a)) {  // of the same place: by what it is
        if (a->found != b->found ? a->found < b->found
            : a->trie != b->trie ? a->trie < b->trie
                                 : a->reason < b->reason)
          before++;
      }
    }
    if (before == n) return all->items[i];
  }
  return (explore_finding){.trie = EXPLORE_NONE, .state = EXPLORE_NONE, .mover = EXPLORE_NONE};
}
