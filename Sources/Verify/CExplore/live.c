/// Checks a promise: is there an infinite run through states in which it is not kept?
///
/// States in which the wanted question is not answered yes are *open*. An open state is dropped
/// once all its successors are dropped. In a breadth-first search most transitions lead to later
/// states, so one pass from the last state to the first leaves few, in which components are
/// searched for.

#include <stdlib.h>
#include <string.h>

#include "live.h"
#include "search.h"
#include "table.h"
#include "tries.h"

enum { BLOCK = 256, AHEAD_FAR = 32, AHEAD_NEAR = 16 };

static bool is_question(const explore *search, uint32_t trie) {
  return trie < search->trie_count && search->tries[trie].kind == EXPLORE_QUESTION;
}

// MARK: Groups

static explore_status read_groups(explore_look *look) {
  explore *search = look->search;
  const explore_promise *promise = look->promise;
  if (promise->group_count > 64) return EXPLORE_TOO_MANY;
  look->groups = explore_look_take(look, search->kind_count[EXPLORE_MOVER], sizeof(uint64_t));
  if (look->groups == NULL) return EXPLORE_NO_MEMORY;
  const uint32_t *movers = promise->movers;
  for (uint32_t group = 0; group < promise->group_count; group++) {
    look->all_groups |= (uint64_t)1 << group;
    for (uint32_t i = 0; i < promise->group_sizes[group]; i++, movers++) {
      if (*movers >= search->trie_count || search->tries[*movers].kind != EXPLORE_MOVER)
        return EXPLORE_INCONSISTENT;
      look->groups[search->tries[*movers].ordinal] |= (uint64_t)1 << group;
    }
  }
  return EXPLORE_OK;
}

// MARK: Open states

static bool ask(explore_look *look, uint32_t trie, bool *is_so) {
  explore_cell cell = explore_decide(&look->search->workers[0], &look->search->tries[trie]);
  *is_so = cell != 0 && explore_kind_of(cell) == EXPLORE_PASSES;
  return cell != 0;
}

static explore_status find_open(explore_look *look) {
  explore *search = look->search;
  uint32_t when = look->promise->when;
  for (uint32_t state = 0; state < look->states; state++) {
    bool is_so, is_given = true;
    explore_look_on(look);
    if (atomic_load(&search->status) != EXPLORE_OK) return (explore_status)search->status;
    explore_view(&search->workers[0], state, 0);
    if (!ask(look, look->promise->wanted, &is_so)) return (explore_status)search->status;
    if (is_so) continue;
    if (when == EXPLORE_NONE) {
      is_given = *explore_parent_of(search, state) == EXPLORE_NONE;
    } else if (!ask(look, when, &is_given)) {
      return (explore_status)search->status;
    }
    look->flags[state] = is_given ? LIVE_OPEN | LIVE_WHEN : LIVE_OPEN;
  }
  return EXPLORE_OK;
}

// MARK: States that a run without end goes through

/// The ways on from a block of states. They are a batch, so that they are packed anew with the
/// rest.
typedef struct {
  uint32_t first, count;
  uint32_t begins[BLOCK + 1];
  uint64_t enabled[BLOCK];  // groups that a run owes a step there
  uint32_t *targets, capacity;
} block;

static bool list_ways(explore_look *look, block *b) {
  explore *search = look->search;
  explore_batch *batch = &search->batches[0];
  batch->count = 0;
  for (uint32_t i = 0; i < b->count; i++) {
    b->begins[i] = batch->count;
    b->enabled[i] = 0;
    if (look->flags[b->first + i] == 0) continue;
    explore_way way;
    explore_ways_of(look, b->first + i, 0, &way);
    while (explore_next_words(&way)) {
      uint32_t words = search->layout.words;
      b->enabled[i] |= look->groups[way.mover];
      if (!explore_batch_room(search, batch, 1)) return false;
      uint64_t *to = batch->words + (size_t)batch->count * words;
      memcpy(to, way.worker->view + words, words * sizeof *to);
      batch->hashes[batch->count++] = explore_hash_words(to, words);
    }
    b->enabled[i] &= ~way.still;
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

/// An earlier state is still to be judged, and a way back to one may close a loop.
static void judge(explore_look *look, const block *b, uint32_t i) {
  const uint8_t both = LIVE_ALIVE | LIVE_LOOPS;
  uint32_t state = b->first + i;
  uint8_t flags = look->flags[state];
  bool leads_on = b->begins[i] < b->begins[i + 1];
  if (look->promise->stays ? b->enabled[i] == 0 : !leads_on) flags |= LIVE_STAYS | LIVE_ALIVE;
  for (uint32_t n = b->begins[i]; n < b->begins[i + 1] && (flags & both) != both; n++) {
    uint32_t target = b->targets[n];
    if (target >= look->states || !(look->flags[target] & LIVE_OPEN)) continue;
    flags |= target < state ? both : look->flags[target] & both;
  }
  look->flags[state] = flags;
}

static explore_status find_alive(explore_look *look) {
  block *b = explore_look_take(look, 1, sizeof *b);
  if (b == NULL) return EXPLORE_NO_MEMORY;
  bool is_done = true;
  for (uint32_t end = look->states; end > 0 && is_done; end = b->first) {
    b->first = end > BLOCK ? end - BLOCK : 0;
    b->count = end - b->first;
    is_done = list_ways(look, b) && find_targets(look->search, b);
    for (uint32_t i = b->count; i-- > 0 && is_done;) {
      if (look->flags[b->first + i] & LIVE_OPEN) judge(look, b, i);
    }
  }
  look->search->batches[0].count = 0;
  free(b->targets);
  explore_look_drop(look, b, 1, sizeof *b);
  if (is_done) return EXPLORE_OK;
  int status = atomic_load(&look->search->status);
  return status == EXPLORE_OK ? EXPLORE_NO_MEMORY : (explore_status)status;
}

static bool has(const explore_look *look, uint8_t flag) {
  for (uint32_t state = 0; state < look->states; state++) {
    if (look->flags[state] & flag) return true;
  }
  return false;
}

/// A run may stay at a beginning: no stem is shorter than none.
static bool stays_at_beginning(const explore_look *look) {
  const explore *search = look->search;
  uint8_t all = LIVE_WHEN | LIVE_ALIVE | LIVE_STAYS;
  for (uint32_t state = 0; state < look->states; state++) {
    if (*explore_parent_of(search, state) != EXPLORE_NONE) return false;
    if ((look->flags[state] & all) == all) return true;
  }
  return false;
}

// MARK: Runs that leave

static void reach(explore_look *look, uint32_t *queue, uint32_t *count, uint32_t state) {
  if (!(look->flags[state] & LIVE_OPEN) || look->flags[state] & LIVE_REACHED) return;
  look->flags[state] |= LIVE_REACHED;
  queue[(*count)++] = state;
}

/// True if what is wanted is not so where a way leads that is not gone on from. The way goes on
/// from its position then.
static bool is_open_beyond(explore_look *look, explore_way *way) {
  explore_worker *worker = way->worker;
  uint32_t words = look->search->layout.words, state = way->state, position = way->position;
  bool is_so = true;
  memmove(worker->view, worker->view + words, words * sizeof *worker->view);
  bool is_open = ask(look, look->promise->wanted, &is_so) && !is_so;
  explore_ways_of(look, state, position, way);
  return is_open;
}

/// Follows the open states from those in which the promise is given to one from which a run leaves
/// what was gone through, and is open there, too.
static bool leads_out(explore_look *look, uint32_t *queue) {
  uint32_t count = 0;
  for (uint32_t state = 0; state < look->states; state++) {
    if (look->flags[state] & LIVE_WHEN) reach(look, queue, &count, state);
  }
  for (uint32_t next = 0; next < count; next++) {
    explore_way way;
    explore_ways_of(look, queue[next], 0, &way);
    while (explore_next_way(&way)) {
      if (way.target < look->states) {
        reach(look, queue, &count, way.target);
      } else if (is_open_beyond(look, &way)) {
        return true;
      }
    }
    if (atomic_load(&look->search->status) != EXPLORE_OK) return false;
  }
  return false;
}

static explore_status find_leaving(explore_look *look, bool *leaves) {
  const explore *search = look->search;
  uint64_t outside = 0;
  for (uint32_t i = 0; i < search->worker_count; i++) outside += search->workers[i].outside;
  if (outside == 0) return EXPLORE_OK;
  *leaves = look->promise->when == EXPLORE_NONE && search->begins_outside;
  if (*leaves) return EXPLORE_OK;
  uint32_t *queue = explore_look_take(look, look->states, sizeof *queue);
  if (queue == NULL) return EXPLORE_NO_MEMORY;
  *leaves = leads_out(look, queue);
  explore_look_drop(look, queue, look->states, sizeof *queue);
  return (explore_status)atomic_load(&search->status);
}

// MARK: All of it

static explore_status look_for(explore_look *look, explore_lasso *lasso) {
  explore *search = look->search;
  look->states = search->expanded;
  look->flags = explore_look_take(look, look->states, sizeof *look->flags);
  if (look->flags == NULL) return EXPLORE_NO_MEMORY;
  explore_status status = read_groups(look);
  if (status == EXPLORE_OK) status = find_open(look);
  if (status == EXPLORE_OK) status = find_leaving(look, &lasso->leaves);
  if (status == EXPLORE_OK) status = find_alive(look);
  if (status != EXPLORE_OK || !has(look, LIVE_ALIVE)) return status;
  if (has(look, LIVE_LOOPS) && !stays_at_beginning(look)) status = explore_find_components(look);
  if (status != EXPLORE_OK || !has(look, LIVE_STAYS | LIVE_BROKEN)) return status;
  return explore_find_lasso(look, lasso);
}

explore_status explore_live(explore *search, const explore_promise *promise, explore_lasso *lasso) {
  explore_look look = {.search = search, .promise = promise};
  *lasso = (explore_lasso){.is_kept = true, .begin = EXPLORE_NONE};
  if (!is_question(search, promise->wanted)) return EXPLORE_INCONSISTENT;
  if (promise->when != EXPLORE_NONE && !is_question(search, promise->when))
    return EXPLORE_INCONSISTENT;
  if (search->options.hashes) return EXPLORE_BOUNDED;
  atomic_store(&search->status, EXPLORE_OK);
  explore_stir(&search->workers[0]);
  explore_status status = look_for(&look, lasso);
  explore_rest(&search->workers[0]);
  lasso->bytes = look.most_bytes;
  free(look.flags);
  free(look.groups);
  free(look.components);
  if (status != EXPLORE_OK) explore_lasso_free(lasso);
  return status;
}

void explore_lasso_free(explore_lasso *lasso) {
  free(lasso->steps);
  lasso->steps = NULL;
}
