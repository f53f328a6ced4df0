/// Judgements: one call of the owner evaluates the gates for all played movers in a state.

#include "parts.h"
#include "tries.h"

static void unpack(const explore *search, const uint64_t *words, uint32_t *values, uint32_t count) {
  for (uint32_t slot = 0; slot < count; slot++) {
    values[slot] =
      slot < search->layout.count ? explore_get(words, search->layout.places[slot]) : 0;
  }
}

bool explore_list_values(explore_worker *worker, bool is_step, uint32_t *listed) {
  explore *search = worker->search;
  uint32_t count = search->slot_count, all = is_step ? 2 * count : count;
  if (!explore_reserve(search, EXPLORE_OF_TRIES, &worker->values, &worker->value_capacity, all + 1,
        sizeof *worker->values))
    return false;
  unpack(search, worker->view, worker->values, count);
  if (is_step) unpack(search, worker->view + search->layout.words, worker->values + count, count);
  *listed = all;
  return true;
}

// MARK: Played movers

void explore_list_played(explore *search) {
  search->played_count = 0;
  for (uint32_t i = 0; i < search->kind_count[EXPLORE_MOVER]; i++) {
    uint32_t number = search->by_kind[EXPLORE_MOVER][i];
    if (!search->tries[number].played) continue;
    // Without memory the list is incomplete, and the other movers call `miss`.
    if (!explore_reserve(search, EXPLORE_OF_TRIES, &search->played, &search->played_capacity,
          (uint64_t)search->played_count + 1, sizeof *search->played))
      return;
    search->played[search->played_count++] = number;
  }
}

/// Converts a judgement into a leaf. The worker rests, and holds `change`.
static bool take_judgement(explore_worker *worker, uint32_t number) {
  explore *search = worker->search;
  explore_judgement judgement = worker->judgements[number];
  explore_judged *judged = &worker->judged[number];
  *judged = (explore_judged){.follows = EXPLORE_NONE};
  explore_leaf counted = {.kind = EXPLORE_REFUSED, .reason = judgement.number};
  if (judgement.says == EXPLORE_SAYS_PASSES) {
    if (judgement.part >= search->trie_count) return true;
    const explore_trie *part = &search->tries[judgement.part];
    if (part->kind != EXPLORE_PART || part->played) return true;
    worker->view[2 * search->layout.words] = judgement.number;
    // A part with random draws has no single leaf here: `miss` is called for all of its draws.
    explore_cell cell = explore_walk(part->code, worker->view);
    if (cell == 0) return true;
    judged->follows = explore_leaf_of(cell);
    counted.kind = search->leaves[judged->follows].kind;
    counted.reason = search->leaves[judged->follows].reason;
  } else if (judgement.says != EXPLORE_SAYS_REFUSED) {
    return true;
  }
  return explore_leaf_cell(search, &search->tries[judgement.trie], &counted, &judged->cell) ==
         EXPLORE_OK;
}

/// Reserves memory for the judgements of so many movers. Returns false without memory.
static bool make_room(explore_worker *worker, uint32_t count) {
  explore *search = worker->search;
  return explore_reserve(search, EXPLORE_OF_TRIES, &worker->judgements, &worker->judgement_capacity,
           count, sizeof *worker->judgements) &&
         explore_reserve(search, EXPLORE_OF_TRIES, &worker->judged, &worker->judged_capacity, count,
           sizeof *worker->judged);
}

bool explore_judge_played(explore_worker *worker) {
  explore *search = worker->search;
  uint32_t count = search->played_count, listed;
  worker->judged_count = worker->judged_next = 0;
  if (count == 0 || search->owner.judge == NULL) return true;
  // Another worker may be adding slots.
  explore_rest(worker);
  pthread_mutex_lock(&search->world.change);
  bool has_room = make_room(worker, count) && explore_list_values(worker, false, &listed);
  pthread_mutex_unlock(&search->world.change);
  if (has_room) {
    for (uint32_t i = 0; i < count; i++) {
      worker->judgements[i] = (explore_judgement){.trie = search->played[i], .part = EXPLORE_NONE};
    }
    search->owner.judge(
      search->owned_by, worker->number, worker->values, listed, worker->judgements, count);
    pthread_mutex_lock(&search->world.change);
    // Slots may have been added since.
    has_room = explore_settle(search) == EXPLORE_OK;
    for (uint32_t i = 0; i < count && has_room; i++) has_room = take_judgement(worker, i);
    pthread_mutex_unlock(&search->world.change);
  }
  explore_stir(worker);
  if (has_room) worker->judged_count = count;
  else explore_fail(search, EXPLORE_NO_MEMORY);
  return has_room;
}

bool explore_is_dropped(const explore *search, uint32_t leaf) {
  return leaf != EXPLORE_NONE && search->tries[search->leaves[leaf].trie].played;
}

explore_cell explore_take_judged(explore_worker *worker, const explore_trie *trie) {
  const explore_judged *judged = NULL;
  // Movers are tried in the order of their numbers.
  while (worker->judged_next < worker->judged_count && judged == NULL) {
    uint32_t next = worker->judged_next, number = worker->judgements[next].trie;
    if (number > trie->number) return 0;
    if (number == trie->number) judged = &worker->judged[next];
    worker->judged_next++;
  }
  // Another worker may have made the part played.
  if (judged == NULL || explore_is_dropped(worker->search, judged->follows)) return 0;
  worker->follows = judged->follows;
  return judged->cell;
}
