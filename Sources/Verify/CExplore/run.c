/// The breadth-first search: level by level, and each level in rounds.
///
/// States are stored in breadth-first order, so the store is also the queue: the states before
/// `expanded` are expanded, the others are the frontier. A round expands the next states of a level
/// in batches. Its size follows from counts alone, so that the result does not depend on the number
/// of workers.

#include <stdlib.h>
#include <string.h>

#include "parts.h"
#include "search.h"

enum { BATCH_SUCCESSORS = 1 << 13, LEAST_PARENTS = 8, GROUPED = 512, LEAST_ROUND = 1024 };

// MARK: Initial states

explore_status explore_begin(explore *search, const uint32_t *values, uint32_t count) {
  explore_status status = EXPLORE_OK;
  pthread_mutex_lock(&search->world.change);
  if (count > search->slot_count) status = EXPLORE_INCONSISTENT;
  for (uint32_t i = 0; i < count && status == EXPLORE_OK; i++) {
    if (values[i] >= search->domains[search->slots[i]]) status = EXPLORE_INCONSISTENT;
  }
  if (search->begins >= UINT16_MAX) status = EXPLORE_TOO_MANY;
  if (search->level_count > 0) status = EXPLORE_INCONSISTENT;
  uint64_t wanted = (uint64_t)search->begun_count + count;
  if (status == EXPLORE_OK &&
      (!explore_reserve(search, EXPLORE_OF_STATES, &search->begun, &search->begun_capacity, wanted,
         sizeof *search->begun) ||
        !explore_reserve(search, EXPLORE_OF_STATES, &search->begun_widths, &search->begins_capacity,
          (uint64_t)search->begins + 1, sizeof *search->begun_widths)))
    status = EXPLORE_NO_MEMORY;
  if (status == EXPLORE_OK) {
    if (count > 0) memcpy(search->begun + search->begun_count, values, count * sizeof *values);
    search->begun_count += count;
    search->begun_widths[search->begins++] = count;
  }
  pthread_mutex_unlock(&search->world.change);
  return status;
}

/// Puts the initial states into a batch, as if they were successors.
static explore_status take_beginnings(explore *search) {
  explore_batch *batch = &search->batches[0];
  uint32_t words = search->layout.words;
  const uint32_t *values = search->begun;
  batch->count = 0;
  for (uint32_t i = 0; i < search->begins; i++) {
    uint32_t count = search->begun_widths[i];
    if (!explore_batch_room(search, batch, 1)) return EXPLORE_NO_MEMORY;
    uint64_t *to = batch->words + (size_t)batch->count * words;
    memset(to, 0, words * sizeof *to);
    for (uint32_t slot = 0; slot < count; slot++) {
      explore_set(to, search->layout.places[slot], values[slot]);
    }
    values += count;
    batch->hashes[batch->count] = explore_hash(&search->workers[0], to);
    batch->parents[batch->count] = EXPLORE_NONE;
    if (batch->times != NULL) batch->times[batch->count] = 1;
    batch->movers[batch->count++] = (uint16_t)i;
  }
  search->generated = search->begins;
  return EXPLORE_OK;
}

static void sift_beginnings(explore_worker *worker) {
  if (worker->number == 0) explore_sift(worker, &worker->search->batches[0]);
}

static explore_status ask_fresh(explore *search) {
  uint32_t parts = (search->count - search->asked) / EXPLORE_ASKED_TOGETHER + 1;
  search->asked_first = search->asked;
  search->asked_last = search->count;
  atomic_store(&search->next, 0);
  explore_together(search, explore_ask_fresh, parts);
  explore_status status = explore_gather(search);
  if (status == EXPLORE_OK) status = (explore_status)atomic_load(&search->status);
  if (status == EXPLORE_OK) search->asked = search->count;
  return status;
}

static explore_status begin(explore *search) {
  explore_status status = explore_settle(search);
  if (status == EXPLORE_OK) status = take_beginnings(search);
  if (status != EXPLORE_OK) return status;
  explore_together(search, sift_beginnings, 1);
  status = (explore_status)atomic_load(&search->status);
  if (status == EXPLORE_OK) status = explore_append(search, &search->batches[0]);
  if (status == EXPLORE_OK) status = ask_fresh(search);
  return status;
}

// MARK: Rounds

/// Returns the number of states to expand in order to generate about so many successors. It follows
/// from counts alone, so that rounds are the same for any number of workers.
static uint32_t parents_of(const explore *search, uint32_t successors) {
  uint64_t each = search->kind_count[EXPLORE_MOVER] + 1;
  if (search->expanded > 0) {
    uint64_t seen = explore_generated(search) / search->expanded + 1;
    if (seen < each || search->expanded > LEAST_PARENTS) each = seen;
  }
  uint64_t parents = successors / each;
  return parents < LEAST_PARENTS          ? LEAST_PARENTS
         : parents > EXPLORE_MOST_PARENTS ? EXPLORE_MOST_PARENTS
                                          : (uint32_t)parents;
}

/// Divides a round into batches of at most so many states. A small round gets smaller batches, so
/// that all workers have work.
static void divide(explore *search, uint32_t parents) {
  uint32_t count = search->round_last - search->round_first, parts = 4 * search->worker_count;
  if (parts > EXPLORE_BATCHES) parts = EXPLORE_BATCHES;
  uint32_t size = search->worker_count == 1 ? parents : (count + parts - 1) / parts;
  if (size > parents) size = parents;
  if (size < LEAST_PARENTS) size = LEAST_PARENTS;
  search->batch_size = size;
  search->batch_count = (count + size - 1) / size;
}

static explore_status go_on(explore *search, uint32_t last) {
  uint32_t first = search->expanded;
  uint32_t parents = parents_of(search, BATCH_SUCCESSORS);
  // A round is small beside the store, so that the hash table need not be much larger than it.
  uint64_t size = (uint64_t)EXPLORE_BATCHES * parents, least = first / 8 + LEAST_ROUND;
  uint64_t end = first + (size < least ? size : least);
  if (end > last) end = last;
  search->round_first = first;
  search->round_last = (uint32_t)end;
  divide(search, parents);
  search->groups.is_current = false;
  if (search->round_last - first >= GROUPED) explore_make_groups(search);
  explore_list_played(search);
  explore_mark_round(search);
  atomic_store(&search->next, 0);
  explore_together(search, explore_expand, search->batch_count);
  explore_count_rows(search);
  explore_status status = (explore_status)atomic_load(&search->status);
  if (status == EXPLORE_OK && search->worker_count > 1) status = explore_append_together(search);
  if (status != EXPLORE_OK) {
    if (status != EXPLORE_STOPPED || !explore_undo_round(search)) explore_gather(search);
    return status;
  }
  search->expanded = search->round_last;
  status = ask_fresh(search);
  if (status != EXPLORE_OK) return status;
  if (search->options.hashes) explore_forget_words(search);
  if (search->is_full) return explore_fail(search, EXPLORE_BOUNDED);
  return EXPLORE_OK;
}

static explore_status tell(explore *search) {
  if (atomic_load(&search->stopping)) return EXPLORE_STOPPED;
  if (search->owner.progress == NULL || search->owner.progress(search->owned_by)) return EXPLORE_OK;
  return EXPLORE_STOPPED;
}

/// Expands the last level.
static explore_status go_through_level(explore *search) {
  uint32_t last = search->level_end;
  if (search->options.max_depth != 0 && search->level_count >= search->options.max_depth)
    return EXPLORE_BOUNDED;
  while (search->expanded < last) {
    explore_status status = go_on(search, last);
    if (status == EXPLORE_OK && search->expanded < last) status = tell(search);
    if (status != EXPLORE_OK) return status;
  }
  explore_drop_questions(search);
  return EXPLORE_OK;
}

static explore_status add_level(explore *search, uint32_t first) {
  if (!explore_reserve(search, EXPLORE_OF_STATES, &search->levels, &search->level_capacity,
        (uint64_t)search->level_count + 1, sizeof *search->levels))
    return EXPLORE_NO_MEMORY;
  search->levels[search->level_count++] = first;
  search->level_end = search->count;
  return EXPLORE_OK;
}

static explore_status go(explore *search) {
  explore_status status = explore_prepare_findings(search);
  if (status == EXPLORE_OK && search->level_count == 0) {
    status = begin(search);
    if (status == EXPLORE_OK && search->count > 0) status = add_level(search, 0);
  }
  // Successors were left out, and their parents will not be expanded again.
  if (status == EXPLORE_OK && search->is_full) return EXPLORE_BOUNDED;
  while (status == EXPLORE_OK && search->expanded < search->count) {
    status = go_through_level(search);
    uint32_t end = search->level_end;
    if (status == EXPLORE_OK && search->count > end) status = add_level(search, end);
    if (status == EXPLORE_OK) status = tell(search);
  }
  return status;
}

explore_status explore_run(explore *search) {
  atomic_store(&search->status, EXPLORE_OK);
  search->is_running = true;
  explore_forget_seen(search);
  explore_start_workers(search);
  explore_status status = explore_fail(search, go(search));
  explore_end_workers(search);
  status = explore_sort_findings(search) == EXPLORE_OK ? status : EXPLORE_NO_MEMORY;
  search->is_running = false;
  atomic_store(&search->stopping, false);
  for (uint32_t b = 0; b < EXPLORE_BATCHES; b++) search->batches[b].count = 0;
  int first = atomic_load(&search->status);
  return first == EXPLORE_OK ? status : (explore_status)first;
}

void explore_stop(explore *search) { atomic_store(&search->stopping, true); }
