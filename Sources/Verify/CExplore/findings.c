/// Findings: the first of each kind, and how many there are.
///
/// Each worker records its own. The first finding has the least depth, then state, then mover, so
/// the result does not depend on which worker finds it.

#include <stdlib.h>
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

static bool is_alike(
  const explore_finding *item, explore_found found, uint32_t trie, uint32_t reason) {
  if (item->found != found || item->trie != trie) return false;
  return found != EXPLORE_FAULT || item->reason == reason;
}

/// Returns the entry of a finding in the hash table, or the empty entry for it.
static uint32_t *slot_of(
  const explore_tallies *tallies, explore_found found, uint32_t trie, uint32_t reason) {
  uint64_t mixed = (((uint64_t)trie << 2) + (uint64_t)found) * 0x9e3779b97f4a7c15;
  if (found == EXPLORE_FAULT) mixed = (mixed ^ reason) * 0x9e3779b97f4a7c15;
  uint32_t last = tallies->table_size - 1;
  for (uint32_t at = (uint32_t)(mixed >> 32) & last;; at = (at + 1) & last) {
    uint32_t number = tallies->table[at];
    if (number == 0 || is_alike(&tallies->items[number - 1], found, trie, reason))
      return &tallies->table[at];
  }
}

static explore_finding *find(
  const explore_tallies *tallies, explore_found found, uint32_t trie, uint32_t reason) {
  if (tallies->table_size == 0) return NULL;
  uint32_t number = *slot_of(tallies, found, trie, reason);
  return number == 0 ? NULL : &tallies->items[number - 1];
}

static void list(explore_tallies *tallies, uint32_t number) {
  const explore_finding *item = &tallies->items[number];
  *slot_of(tallies, item->found, item->trie, item->reason) = number + 1;
}

/// Rebuilds the hash table with the items from a number on. Returns false without memory.
static bool make_table(explore *search, explore_tallies *tallies, uint32_t from, uint32_t size) {
  size_t each = sizeof *tallies->table;
  if (!explore_resize(
        search, EXPLORE_OF_TRIES, &tallies->table, tallies->table_size * each, size * each))
    return false;
  tallies->table_size = size;
  memset(tallies->table, 0, size * each);
  for (uint32_t n = from; n < tallies->count; n++) list(tallies, n);
  tallies->listed = tallies->count - from;
  return true;
}

static explore_finding *add(
  explore *search, explore_tallies *tallies, explore_found found, uint32_t trie, uint32_t reason) {
  uint32_t size = tallies->table_size;
  bool has_room = explore_reserve(search, EXPLORE_OF_TRIES, &tallies->items, &tallies->capacity,
    (uint64_t)tallies->count + 1, sizeof *tallies->items);
  if (has_room && 2 * (tallies->listed + 1) > size)
    has_room = make_table(search, tallies, tallies->count - tallies->listed, size ? 2 * size : 16);
  if (!has_room) {
    explore_fail(search, EXPLORE_NO_MEMORY);
    return NULL;
  }
  explore_finding *item = &tallies->items[tallies->count++];
  *item = (explore_finding){.found = found, .trie = trie, .reason = reason};
  list(tallies, tallies->count - 1);
  tallies->listed++;
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
    item = find(tallies, found, trie, reason);
    if (item == NULL) item = add(search, tallies, found, trie, reason);
    if (item == NULL) return false;
  }
  bool is_first = item->count == 0;
  item->count += worker->times;
  if (is_first) {
    set(worker, item, reason, depth, is_moved);
  } else if (depth <= item->depth && worker->state <= item->state) {
    explore_finding other = *item;
    set(worker, &other, reason, depth, is_moved);
    if (is_before(&other, item)) *item = other;
  }
  return true;
}

explore_status explore_prepare_findings(explore *search) {
  // A list that was restored from a checkpoint has no hash table.
  if (search->tallies.listed < search->tallies.count) {
    explore_status status = explore_sort_findings(search);
    if (status != EXPLORE_OK) return status;
  }
  uint32_t fixed = 2 * search->trie_count + 1;
  for (uint32_t i = 0; i < search->worker_count; i++) {
    explore_tallies *tallies = &search->workers[i].tallies;
    if (!explore_reserve(search, EXPLORE_OF_TRIES, &tallies->items, &tallies->capacity, fixed,
          sizeof *tallies->items))
      return EXPLORE_NO_MEMORY;
    tallies->count = fixed;
    tallies->listed = 0;
    if (tallies->table_size > 0)
      memset(tallies->table, 0, tallies->table_size * sizeof *tallies->table);
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
      explore_finding *known = find(all, item->found, item->trie, item->reason);
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
    trie->asked = find(&search->tallies, EXPLORE_NO, i, 0) == NULL ||
                  find(&search->tallies, EXPLORE_YES, i, 0) == NULL;
  }
}

// MARK: Reading

static int compare(const void *one, const void *another) {
  const explore_finding *a = one, *b = another;
  if (is_before(a, b)) return -1;
  if (is_before(b, a)) return 1;
  // Findings at the same place are sorted by kind, trie and reason.
  if (a->found != b->found) return a->found < b->found ? -1 : 1;
  if (a->trie != b->trie) return a->trie < b->trie ? -1 : 1;
  return a->reason < b->reason ? -1 : a->reason > b->reason;
}

explore_status explore_sort_findings(explore *search) {
  explore_tallies *all = &search->tallies;
  if (all->count == 0) return EXPLORE_OK;
  qsort(all->items, all->count, sizeof *all->items, compare);
  uint32_t size = 16;
  while (size < 2 * (all->count + 1)) size *= 2;
  return make_table(search, all, 0, size) ? EXPLORE_OK : EXPLORE_NO_MEMORY;
}

uint32_t explore_finding_count(const explore *search) { return search->tallies.count; }

explore_finding explore_finding_at(const explore *search, uint32_t n) {
  if (n < search->tallies.count) return search->tallies.items[n];
  return (explore_finding){.trie = EXPLORE_NONE, .state = EXPLORE_NONE, .mover = EXPLORE_NONE};
}
