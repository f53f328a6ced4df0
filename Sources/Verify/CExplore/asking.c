/// Misses: asks the owner for leaves that are not learned, and stores its answers.

#include <string.h>

#include "parts.h"
#include "tries.h"

// The worker that is in a callback on this thread.
static _Thread_local explore_worker *asking;

void explore_view(explore_worker *worker, uint32_t state, uint32_t depth) {
  explore *search = worker->search;
  memcpy(worker->view, explore_words(search, state), search->layout.words * sizeof(uint64_t));
  worker->state = state;
  worker->depth = depth;
}

static explore_status miss(explore_worker *worker, explore_trie *trie) {
  explore *search = worker->search;
  uint32_t count, by = (uint32_t)worker->view[2 * search->layout.words];
  bool is_step = trie->kind == EXPLORE_STEP;
  // Another worker may be adding slots.
  explore_rest(worker);
  pthread_mutex_lock(&search->world.change);
  bool is_listed = explore_list_values(worker, is_step, &count);
  pthread_mutex_unlock(&search->world.change);
  explore_status status = EXPLORE_NO_MEMORY;
  if (is_listed) {
    const explore_draws *draws = &worker->draws;
    explore_worker *outer = asking;
    worker->misses++;
    worker->is_answered = false;
    worker->follows = EXPLORE_NONE;
    worker->asks = trie->number;
    asking = worker;
    status = search->owner.miss(search->owned_by, worker->number, trie->number, worker->values,
      count, is_step ? &by : draws->values, is_step ? 1 : draws->count);
    asking = outer;
  }
  explore_stir(worker);
  return status;
}

explore_cell explore_resolve(explore_worker *worker, explore_trie *trie) {
  explore *search = worker->search;
  uint32_t forgotten = trie->forgotten;
  for (int times = 0;; times++) {
    uint32_t given = worker->draws.count;
    explore_cell cell = 0;
    if (!trie->played) {
      cell = explore_walk_drawing(trie->code, worker->view, &worker->draws);
      if (cell != 0) return cell;
    } else if (worker->is_answered) {
      worker->is_answered = false;
      if (!explore_is_dropped(search, worker->follows)) return worker->answer_cell;
    } else if (times == 0 && given == 0) {
      cell = explore_take_judged(worker, trie);
      if (cell != 0) return cell;
    }
    // Another worker may have made the trie forget what was learned.
    if (forgotten != trie->forgotten) times = 0;
    forgotten = trie->forgotten;
    // The answer may make the trie played, or the part that it follows may be dropped: ask again.
    if (times == 3 || (times > 0 && !trie->played)) {
      explore_fail(search, EXPLORE_INCONSISTENT);
      return 0;
    }
    if (trie->played) worker->draws.count = given;
    explore_status status = miss(worker, trie);
    if (status != EXPLORE_OK) {
      explore_fail(search, status);
      return 0;
    }
  }
}

explore_cell explore_decide(explore_worker *worker, explore_trie *trie) {
  explore_cell cell = explore_walk(trie->code, worker->view);
  if (cell != 0) {
    worker->counts[explore_leaf_of(cell)] += worker->times;
    return cell;
  }
  explore_draws draws = worker->draws;
  worker->draws.count = 0;
  cell = explore_resolve(worker, trie);
  worker->draws = draws;
  if (cell != 0) worker->counts[explore_leaf_of(cell)] += worker->times;
  return cell;
}

const explore_outcome *explore_outcome_of(
  const explore_worker *worker, const explore_trie *trie, explore_cell cell) {
  if (trie->played && worker->follows == EXPLORE_NONE) return &worker->answer;
  if (trie->played) return &worker->search->leaves[worker->follows];
  return &worker->search->leaves[explore_leaf_of(cell)];
}

bool explore_check_leaf(explore_worker *worker, explore_trie *trie, explore_cell cell) {
  explore *search = worker->search;
  if (search->owner.check == NULL || trie->played) return true;
  uint32_t count, by = (uint32_t)worker->view[2 * search->layout.words];
  bool is_step = trie->kind == EXPLORE_STEP;
  explore_rest(worker);
  pthread_mutex_lock(&search->world.change);
  bool is_right = explore_list_values(worker, is_step, &count);
  pthread_mutex_unlock(&search->world.change);
  if (is_right) {
    explore_worker *outer = asking;
    asking = worker;
    if (trie->kind != EXPLORE_BOUND) worker->checked += worker->times;
    is_right = search->owner.check(search->owned_by, worker->number, trie->number, worker->values,
      count, is_step ? &by : worker->draws.values, is_step ? 1 : worker->draws.count,
      explore_leaf_of(cell));
    asking = outer;
    if (!is_right) explore_fail(search, EXPLORE_INCONSISTENT);
  } else {
    explore_fail(search, EXPLORE_NO_MEMORY);
  }
  explore_stir(worker);
  return is_right;
}

// MARK: Learning

static bool is_moving(const explore_trie *trie) {
  return trie->kind == EXPLORE_MOVER || trie->kind == EXPLORE_PART;
}

static bool is_read(const explore *search, const explore_trie *trie, explore_read read) {
  uint32_t number = read.slot & ~EXPLORE_FLAGS;
  switch (read.slot & EXPLORE_FLAGS) {
    case EXPLORE_DRAW: return is_moving(trie) && read.value < number;
    case EXPLORE_BY:
      return (trie->kind == EXPLORE_STEP || trie->kind == EXPLORE_PART) && number == 0;
    case EXPLORE_AFTER:
      if (trie->kind != EXPLORE_STEP) return false;
      break;
    case 0: break;
    default: return false;
  }
  return number < search->slot_count && read.value < search->domains[search->slots[number]];
}

static bool is_sound(const explore *search, const explore_trie *trie, const explore_read *reads,
  uint32_t count, const explore_leaf *leaf) {
  if (leaf->kind > EXPLORE_PLAYED) return false;
  for (uint32_t i = 0; i < count; i++) {
    if (!is_read(search, trie, reads[i])) return false;
  }
  if (leaf->write_count > 0 && !is_moving(trie)) return false;
  for (uint32_t i = 0; i < leaf->write_count; i++) {
    explore_write write = leaf->writes[i];
    uint32_t slot = write.slot & ~EXPLORE_COPY;
    if (slot >= search->slot_count) return false;
    if (write.slot & EXPLORE_COPY) {
      if (write.value >= search->slot_count || search->slots[write.value] != search->slots[slot])
        return false;
    } else if (write.value >= search->domains[search->slots[slot]]) {
      return false;
    }
  }
  return true;
}

/// Finds the leaf under which the answer for a played trie is counted.
static explore_status count_answer(explore *search, explore_worker *worker, explore_trie *trie,
  explore_leaf_kind kind, uint32_t why) {
  explore_leaf counted = {.kind = kind, .reason = why};
  return explore_leaf_cell(search, trie, &counted, &worker->answer_cell);
}

/// Stores the owner's answer for a played trie, in the worker that asked.
static explore_status answer(explore *search, explore_worker *worker, explore_trie *trie,
  const explore_read *reads, uint32_t count, const explore_leaf *leaf) {
  bool is_asked = worker != NULL && worker->search == search && worker->asks == trie->number;
  if (leaf->kind == EXPLORE_PLAYED || !is_asked) return EXPLORE_OK;
  explore_status status = count_answer(search, worker, trie, leaf->kind, leaf->reason);
  if (status != EXPLORE_OK) return status;
  explore_outcome *kept = &worker->answer;
  size_t each = sizeof *leaf->writes;
  if (!explore_resize(search, EXPLORE_OF_TRIES, &kept->writes, kept->write_count * each,
        leaf->write_count * each))
    return EXPLORE_NO_MEMORY;
  kept->write_count = leaf->write_count;
  if (leaf->write_count > 0) memcpy(kept->writes, leaf->writes, leaf->write_count * each);
  kept->kind = leaf->kind, kept->reason = leaf->reason;
  if (!explore_compile(search, kept)) return EXPLORE_NO_MEMORY;
  explore_draws *draws = &worker->draws;
  draws->count = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (!(reads[i].slot & EXPLORE_DRAW)) continue;
    if (draws->count == EXPLORE_MOST_DRAWS) return EXPLORE_TOO_MANY;
    draws->values[draws->count] = reads[i].value;
    draws->outcomes[draws->count++] = reads[i].slot & ~EXPLORE_FLAGS;
  }
  worker->is_answered = true;
  return EXPLORE_OK;
}

static explore_status follow(
  explore *search, explore_worker *worker, const explore_trie *part, uint32_t by, bool *is_known) {
  explore_draws draws = worker->draws;
  // Slots may have been added since.
  explore_status status = explore_settle(search);
  if (status != EXPLORE_OK) return status;
  worker->view[2 * search->layout.words] = by;
  explore_cell cell = explore_walk_drawing(part->code, worker->view, &draws);
  *is_known = cell != 0;
  if (cell == 0) return EXPLORE_OK;
  const explore_outcome *leaf = &search->leaves[explore_leaf_of(cell)];
  explore_trie *trie = &search->tries[worker->asks];
  status = count_answer(search, worker, trie, leaf->kind, leaf->reason);
  worker->draws = draws;
  worker->follows = explore_leaf_of(cell);
  worker->is_answered = status == EXPLORE_OK;
  return status;
}

explore_status explore_follow(explore *search, uint32_t part, uint32_t by, bool *is_known) {
  explore_worker *worker = asking;
  explore_status status = EXPLORE_INCONSISTENT;
  pthread_mutex_lock(&search->world.change);
  if (worker != NULL && worker->search == search && part < search->trie_count &&
      search->tries[part].kind == EXPLORE_PART && search->tries[worker->asks].played)
    status = follow(search, worker, &search->tries[part], by, is_known);
  pthread_mutex_unlock(&search->world.change);
  return status;
}

static uint32_t count_draws(const explore_read *reads, uint32_t count) {
  uint32_t draws = 0;
  for (uint32_t i = 0; i < count; i++) draws += (reads[i].slot & EXPLORE_FLAGS) == EXPLORE_DRAW;
  return draws;
}

static explore_status learn(explore *search, explore_trie *trie, const explore_read *reads,
  uint32_t count, const explore_leaf *leaf) {
  if (!is_sound(search, trie, reads, count, leaf)) return EXPLORE_INCONSISTENT;
  if (count_draws(reads, count) > EXPLORE_MOST_DRAWS) return EXPLORE_TOO_MANY;
  explore_status status = explore_settle(search);
  if (status != EXPLORE_OK) return status;
  if (trie->played) return answer(search, asking, trie, reads, count, leaf);
  search->version++;
  if (leaf->kind == EXPLORE_PLAYED) {
    explore_drop_nodes(search, trie);
    return EXPLORE_OK;
  }
  explore_cell cell;
  status = explore_leaf_cell(search, trie, leaf, &cell);
  return status == EXPLORE_OK ? explore_put(search, trie, reads, count, cell) : status;
}

explore_status explore_learn(explore *search, uint32_t trie, const explore_read *reads,
  uint32_t read_count, explore_leaf leaf) {
  if (trie >= search->trie_count) return EXPLORE_INCONSISTENT;
  pthread_mutex_lock(&search->world.change);
  explore_status status = learn(search, &search->tries[trie], reads, read_count, &leaf);
  pthread_mutex_unlock(&search->world.change);
  return status;
}

static explore_status learn_keyed(
  explore *search, explore_trie *trie, const explore_keyed_run *run, const explore_leaf *leaf) {
  bool is_right = trie->kind != EXPLORE_STEP && trie->kind != EXPLORE_PART &&
                  leaf->kind != EXPLORE_PLAYED && is_sound(search, trie, NULL, 0, leaf);
  for (uint32_t i = 0; i < run->read_count && is_right; i++) {
    explore_read read = run->reads[i].read;
    is_right = (read.slot & EXPLORE_FLAGS) != EXPLORE_DRAW && is_read(search, trie, read);
  }
  if (!is_right) return EXPLORE_INCONSISTENT;
  explore_status status = explore_settle(search);
  if (status != EXPLORE_OK) return status;
  if (trie->played) return answer(search, asking, trie, NULL, 0, leaf);
  search->version++;
  explore_cell cell;
  status = explore_leaf_cell(search, trie, leaf, &cell);
  return status == EXPLORE_OK ? explore_put_keyed(search, trie, run, cell) : status;
}

explore_status explore_learn_keyed(
  explore *search, uint32_t trie, const explore_keyed_run *run, explore_leaf leaf) {
  if (trie >= search->trie_count) return EXPLORE_INCONSISTENT;
  pthread_mutex_lock(&search->world.change);
  explore_status status = learn_keyed(search, &search->tries[trie], run, &leaf);
  pthread_mutex_unlock(&search->world.change);
  return status;
}

void explore_forget(explore *search, uint32_t trie) {
  if (trie >= search->trie_count) return;
  pthread_mutex_lock(&search->world.change);
  explore_hold(search);
  search->version++;
  explore_drop_code(search, &search->tries[trie]);
  search->tries[trie].forgotten++;
  search->groups.is_current = search->groups.is_sound = false;
  explore_release(search);
  pthread_mutex_unlock(&search->world.change);
}
