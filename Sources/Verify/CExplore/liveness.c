/// The liveness check: is there an infinite fair run that never reaches the goal?
///
/// A state in which the goal does not hold is *open*. An open state is dropped once all of its
/// successors are dropped. In a breadth-first search most transitions lead to later states, so one
/// pass from the last state to the first leaves few states, in which strongly connected components
/// are searched for.

#include <stdlib.h>
#include <string.h>

#include "liveness.h"
#include "search.h"
#include "table.h"
#include "tries.h"

enum { BLOCK = 256, AHEAD_FAR = 32, AHEAD_NEAR = 16 };

static bool is_question(const explore *search, uint32_t trie) {
  return trie < search->trie_count && search->tries[trie].kind == EXPLORE_QUESTION;
}

// MARK: Groups

static explore_status read_groups(explore_liveness *live) {
  explore *search = live->search;
  const explore_promise *promise = live->promise;
  if (promise->group_count > 64) return EXPLORE_TOO_MANY;
  live->groups =
    explore_liveness_allocate(live, search->kind_count[EXPLORE_MOVER], sizeof(uint64_t));
  if (live->groups == NULL) return EXPLORE_NO_MEMORY;
  const uint32_t *movers = promise->movers;
  for (uint32_t group = 0; group < promise->group_count; group++) {
    live->all_groups |= (uint64_t)1 << group;
    for (uint32_t i = 0; i < promise->group_sizes[group]; i++, movers++) {
      if (*movers >= search->trie_count || search->tries[*movers].kind != EXPLORE_MOVER)
        return EXPLORE_INCONSISTENT;
      live->groups[search->tries[*movers].ordinal] |= (uint64_t)1 << group;
    }
  }
  return EXPLORE_OK;
}

// MARK: Open states

static bool ask(explore_liveness *live, uint32_t trie, bool *is_so) {
  explore_cell cell = explore_decide(&live->search->workers[0], &live->search->tries[trie]);
  *is_so = cell != 0 && explore_kind_of(cell) == EXPLORE_PASSES;
  return cell != 0;
}

static explore_status find_open(explore_liveness *live) {
  explore *search = live->search;
  uint32_t when = live->promise->when;
  for (uint32_t state = 0; state < live->states; state++) {
    bool is_so, is_given = true;
    explore_liveness_poll(live);
    if (atomic_load(&search->status) != EXPLORE_OK) return (explore_status)search->status;
    explore_view(&search->workers[0], state, 0);
    if (!ask(live, live->promise->wanted, &is_so)) return (explore_status)search->status;
    if (is_so) continue;
    if (when == EXPLORE_NONE) {
      is_given = *explore_parent_of(search, state) == EXPLORE_NONE;
    } else if (!ask(live, when, &is_given)) {
      return (explore_status)search->status;
    }
    live->flags[state] = is_given ? LIVE_OPEN | LIVE_WHEN : LIVE_OPEN;
  }
  return EXPLORE_OK;
}

// MARK: States of infinite runs

/// The transitions from a block of states. Their targets are in a batch, so that a new layout
/// repacks them too.
typedef struct {
  uint32_t first, count;
  uint32_t begins[BLOCK + 1];
  uint64_t enabled[BLOCK];  // the groups that are enabled and do not pass without a change
  uint32_t *targets, capacity;
} block;

static bool list_transitions(explore_liveness *live, block *b) {
  explore *search = live->search;
  explore_batch *batch = &search->batches[0];
  batch->count = 0;
  for (uint32_t i = 0; i < b->count; i++) {
    b->begins[i] = batch->count;
    b->enabled[i] = 0;
    if (live->flags[b->first + i] == 0) continue;
    explore_transition transition;
    explore_transitions_of(live, b->first + i, 0, &transition);
    while (explore_next_words(&transition)) {
      uint32_t words = search->layout.words;
      b->enabled[i] |= live->groups[transition.mover];
      if (!explore_batch_room(search, batch, 1)) return false;
      uint64_t *to = batch->words + (size_t)batch->count * words;
      memcpy(to, transition.worker->view + words, words * sizeof *to);
      batch->hashes[batch->count++] = explore_hash_words(to, words);
    }
    b->enabled[i] &= ~transition.still;
    if (atomic_load(&search->status) != EXPLORE_OK) return false;
  }
  b->begins[b->count] = batch->count;
  return true;
}

static bool find_targets(explore *search, block *b) {
  const explore_batch *batch = &search->batches[0];
  if (batch->count > b->capacity) {
    uint32_t *targets = realloc(b->targets, batch->capacity * sizeof *targets);
    if (targets == NULL) return false;
    b->targets = targets;
    b->capacity = batch->capacity;
  }
  for (uint32_t i = 0; i < batch->count; i++) {
    if (i + AHEAD_FAR < batch->count) {
      const explore_table *table = &search->table;
      __builtin_prefetch(&table->entries[explore_probe_at(table, batch->hashes[i + AHEAD_FAR]).at]);
    }
    if (i + AHEAD_NEAR < batch->count) explore_touch(search, batch->hashes[i + AHEAD_NEAR]);
    b->targets[i] = explore_find(
      &search->workers[0], batch->hashes[i], batch->words + (size_t)i * search->layout.words, NULL);
  }
  return true;
}

/// Sets the flags of a state by those of its successors. Earlier states come later in this pass, so
/// they count as alive, and a transition to one may close a loop.
static void judge(explore_liveness *live, const block *b, uint32_t i) {
  const uint8_t both = LIVE_ALIVE | LIVE_LOOPS;
  uint32_t state = b->first + i;
  uint8_t flags = live->flags[state];
  bool leads_on = b->begins[i] < b->begins[i + 1];
  if (live->promise->stays ? b->enabled[i] == 0 : !leads_on) flags |= LIVE_STAYS | LIVE_ALIVE;
  for (uint32_t n = b->begins[i]; n < b->begins[i + 1] && (flags & both) != both; n++) {
    uint32_t target = b->targets[n];
    if (target >= live->states || !(live->flags[target] & LIVE_OPEN)) continue;
    flags |= target < state ? both : live->flags[target] & both;
  }
  live->flags[state] = flags;
}

static explore_status find_alive(explore_liveness *live) {
  block *b = explore_liveness_allocate(live, 1, sizeof *b);
  if (b == NULL) return EXPLORE_NO_MEMORY;
  bool is_done = true;
  for (uint32_t end = live->states; end > 0 && is_done; end = b->first) {
    b->first = end > BLOCK ? end - BLOCK : 0;
    b->count = end - b->first;
    is_done = list_transitions(live, b) && find_targets(live->search, b);
    for (uint32_t i = b->count; i-- > 0 && is_done;) {
      if (live->flags[b->first + i] & LIVE_OPEN) judge(live, b, i);
    }
  }
  live->search->batches[0].count = 0;
  free(b->targets);
  explore_liveness_free(live, b, 1, sizeof *b);
  if (is_done) return EXPLORE_OK;
  int status = atomic_load(&live->search->status);
  return status == EXPLORE_OK ? EXPLORE_NO_MEMORY : (explore_status)status;
}

static bool has(const explore_liveness *live, uint8_t flag) {
  for (uint32_t state = 0; state < live->states; state++) {
    if (live->flags[state] & flag) return true;
  }
  return false;
}

/// Returns true if a run may stay in an initial state: then no lasso is shorter.
static bool stays_at_beginning(const explore_liveness *live) {
  const explore *search = live->search;
  uint8_t all = LIVE_WHEN | LIVE_ALIVE | LIVE_STAYS;
  for (uint32_t state = 0; state < live->states; state++) {
    if (*explore_parent_of(search, state) != EXPLORE_NONE) return false;
    if ((live->flags[state] & all) == all) return true;
  }
  return false;
}

// MARK: Runs that leave the bounds

static void reach(explore_liveness *live, uint32_t *queue, uint32_t *count, uint32_t state) {
  if (!(live->flags[state] & LIVE_OPEN) || live->flags[state] & LIVE_REACHED) return;
  live->flags[state] |= LIVE_REACHED;
  queue[(*count)++] = state;
}

/// Returns true if the goal does not hold in the target of a transition to a state that was not
/// expanded. The iterator continues from its position then.
static bool is_open_beyond(explore_liveness *live, explore_transition *transition) {
  explore_worker *worker = transition->worker;
  uint32_t words = live->search->layout.words, state = transition->state,
           position = transition->position;
  bool is_so = true;
  memmove(worker->view, worker->view + words, words * sizeof *worker->view);
  bool is_open = ask(live, live->promise->wanted, &is_so) && !is_so;
  explore_transitions_of(live, state, position, transition);
  return is_open;
}

/// Returns true if a run leads from a state in which the trigger holds, through open states, to an
/// open state that was not expanded.
static bool leads_out(explore_liveness *live, uint32_t *queue) {
  uint32_t count = 0;
  for (uint32_t state = 0; state < live->states; state++) {
    if (live->flags[state] & LIVE_WHEN) reach(live, queue, &count, state);
  }
  for (uint32_t next = 0; next < count; next++) {
    explore_transition transition;
    explore_transitions_of(live, queue[next], 0, &transition);
    while (explore_next_transition(&transition)) {
      if (transition.target < live->states) {
        reach(live, queue, &count, transition.target);
      } else if (is_open_beyond(live, &transition)) {
        return true;
      }
    }
    if (atomic_load(&live->search->status) != EXPLORE_OK) return false;
  }
  return false;
}

static explore_status find_leaving(explore_liveness *live, bool *leaves) {
  const explore *search = live->search;
  uint64_t outside = 0;
  for (uint32_t i = 0; i < search->worker_count; i++) outside += search->workers[i].outside;
  if (outside == 0) return EXPLORE_OK;
  *leaves = live->promise->when == EXPLORE_NONE && search->begins_outside;
  if (*leaves) return EXPLORE_OK;
  uint32_t *queue = explore_liveness_allocate(live, live->states, sizeof *queue);
  if (queue == NULL) return EXPLORE_NO_MEMORY;
  *leaves = leads_out(live, queue);
  explore_liveness_free(live, queue, live->states, sizeof *queue);
  return (explore_status)atomic_load(&search->status);
}

// MARK: The check

static explore_status find_lasso(explore_liveness *live, explore_lasso *lasso) {
  explore *search = live->search;
  live->states = search->expanded;
  live->flags = explore_liveness_allocate(live, live->states, sizeof *live->flags);
  if (live->flags == NULL) return EXPLORE_NO_MEMORY;
  explore_status status = read_groups(live);
  if (status == EXPLORE_OK) status = find_open(live);
  if (status == EXPLORE_OK) status = find_leaving(live, &lasso->leaves);
  if (status == EXPLORE_OK) status = find_alive(live);
  if (status != EXPLORE_OK || !has(live, LIVE_ALIVE)) return status;
  if (has(live, LIVE_LOOPS) && !stays_at_beginning(live)) status = explore_find_components(live);
  if (status != EXPLORE_OK || !has(live, LIVE_STAYS | LIVE_BROKEN)) return status;
  return explore_find_lasso(live, lasso);
}

explore_status explore_live(explore *search, const explore_promise *promise, explore_lasso *lasso) {
  explore_liveness live = {.search = search, .promise = promise};
  *lasso = (explore_lasso){.is_kept = true, .begin = EXPLORE_NONE};
  if (!is_question(search, promise->wanted)) return EXPLORE_INCONSISTENT;
  if (promise->when != EXPLORE_NONE && !is_question(search, promise->when))
    return EXPLORE_INCONSISTENT;
  if (search->options.hashes) return EXPLORE_BOUNDED;
  atomic_store(&search->status, EXPLORE_OK);
  explore_stir(&search->workers[0]);
  explore_status status = find_lasso(&live, lasso);
  explore_rest(&search->workers[0]);
  lasso->bytes = live.most_bytes;
  free(live.flags);
  free(live.groups);
  free(live.components);
  if (status != EXPLORE_OK) explore_lasso_free(lasso);
  return status;
}

void explore_lasso_free(explore_lasso *lasso) {
  free(lasso->steps);
  lasso->steps = NULL;
}
