/// Opens and closes a search, and adds domains, slots and tries.

#include <stdlib.h>
#include <string.h>

#include "parts.h"
#include "tries.h"

static bool open_worker(explore *search, uint32_t number) {
  explore_worker *worker = &search->workers[number];
  worker->search = search;
  worker->number = number;
  worker->times = 1;
  worker->answer.kind = EXPLORE_REFUSED;
  worker->view = calloc(2 * search->layout.words + 1, sizeof *worker->view);
  worker->seen = malloc(EXPLORE_SEEN * sizeof *worker->seen);
  return worker->view != NULL && worker->seen != NULL;
}

explore *explore_open(explore_options options, const explore_owner *callbacks, void *owner) {
  explore *search = calloc(1, sizeof *search);
  if (search == NULL) return NULL;
  if (options.threads == 0) options.threads = 1;
  search->options = options;
  search->owner = *callbacks;
  search->owned_by = owner;
  pthread_mutex_init(&search->world.gate, NULL);
  pthread_mutex_init(&search->world.change, NULL);
  pthread_cond_init(&search->world.stir, NULL);
  pthread_cond_init(&search->world.settled, NULL);
  search->workers = calloc(options.threads, sizeof *search->workers);
  bool is_open = search->workers != NULL && explore_layout_make(search, &search->layout);
  search->worker_count = search->workers == NULL ? 0 : options.threads;
  for (uint32_t i = 0; i < search->worker_count && is_open; i++) is_open = open_worker(search, i);
  if (is_open) return search;
  explore_close(search);
  return NULL;
}

static void close_store(explore *search) {
  for (uint32_t i = 0; i < search->chunk_count; i++) {
    free(search->words[i]);
    free(search->hashes[i]);
    free(search->parents[i]);
    free(search->movers[i]);
  }
  free(search->words);
  free(search->hashes);
  free(search->parents);
  free(search->movers);
  free(search->table.entries);
  free(search->levels);
  for (uint32_t i = 0; i < EXPLORE_BATCHES; i++) {
    free(search->batches[i].words);
    free(search->batches[i].hashes);
    free(search->batches[i].positions);
    free(search->batches[i].order);
    free(search->batches[i].parents);
    free(search->batches[i].movers);
    free(search->batches[i].times);
  }
}

static void close_tries(explore *search) {
  for (uint32_t i = 0; i < search->leaf_count; i++) {
    explore_free_outcome(search, &search->leaves[i]);
  }
  for (uint32_t i = 0; i < search->trie_count; i++) {
    explore_drop_keys(search, &search->tries[i]);
    free(search->tries[i].code);
  }
  for (int i = 0; i <= EXPLORE_PART; i++) free(search->by_kind[i]);
  free(search->groups.groups);
  free(search->groups.rows);
  free(search->groups.entries);
  free(search->groups.refused);
  free(search->groups.keys);
  free(search->groups.members);
  free(search->tries);
  free(search->played);
  free(search->leaves);
  free(search->leaf_table);
  free(search->scratch);
  free(search->domains);
  free(search->slots);
  free(search->tallies.items);
  free(search->tallies.table);
}

void explore_close(explore *search) {
  if (search == NULL) return;
  close_store(search);
  close_tries(search);
  explore_close_symmetry(search);
  for (uint32_t i = 0; i < search->worker_count; i++) {
    explore_worker *worker = &search->workers[i];
    explore_free_outcome(search, &worker->answer);
    free(worker->view);
    free(worker->counts);
    free(worker->marked);
    free(worker->values);
    free(worker->seen);
    free(worker->rows);
    free(worker->ready);
    free(worker->cells);
    free(worker->judgements);
    free(worker->judged);
    free(worker->tallies.items);
    free(worker->tallies.table);
  }
  free(search->workers);
  free(search->begun);
  free(search->begun_widths);
  explore_layout_free(search, &search->layout);
  pthread_mutex_destroy(&search->world.gate);
  pthread_mutex_destroy(&search->world.change);
  pthread_cond_destroy(&search->world.stir);
  pthread_cond_destroy(&search->world.settled);
  free(search);
}

// MARK: Slots

explore_status explore_add_domain(explore *search, uint32_t *domain) {
  explore_status status = EXPLORE_NO_MEMORY;
  pthread_mutex_lock(&search->world.change);
  if (explore_reserve(search, EXPLORE_OF_TRIES, &search->domains, &search->domain_capacity,
        (uint64_t)search->domain_count + 1, sizeof *search->domains)) {
    *domain = search->domain_count;
    search->domains[search->domain_count++] = 1;
    status = EXPLORE_OK;
  }
  pthread_mutex_unlock(&search->world.change);
  return status;
}

explore_status explore_grow_domain(explore *search, uint32_t domain, uint32_t values) {
  explore_status status = EXPLORE_OK;
  pthread_mutex_lock(&search->world.change);
  if (domain >= search->domain_count) {
    status = EXPLORE_INCONSISTENT;
  } else if (values > search->domains[domain]) {
    if (explore_width(values) > explore_width(search->domains[domain])) search->is_unsettled = true;
    // Groups skip slots that have one value in all states.
    if (search->domains[domain] == 1) search->groups.is_sound = false;
    search->domains[domain] = values;
  }
  pthread_mutex_unlock(&search->world.change);
  return status;
}

explore_status explore_add_slot(explore *search, uint32_t domain, uint32_t *slot) {
  explore_status status = EXPLORE_INCONSISTENT;
  pthread_mutex_lock(&search->world.change);
  if (domain < search->domain_count) {
    status = search->slot_count < ~EXPLORE_FLAGS ? EXPLORE_OK : EXPLORE_TOO_MANY;
    if (status == EXPLORE_OK &&
        !explore_reserve(search, EXPLORE_OF_TRIES, &search->slots, &search->slot_capacity,
          (uint64_t)search->slot_count + 1, sizeof *search->slots))
      status = EXPLORE_NO_MEMORY;
  }
  if (status == EXPLORE_OK) {
    *slot = search->slot_count;
    search->slots[search->slot_count++] = domain;
    search->is_unsettled = true;
  }
  pthread_mutex_unlock(&search->world.change);
  return status;
}

// MARK: Tries

static explore_status add_trie(explore *search, explore_kind kind, uint32_t *number) {
  if (search->is_running || kind > EXPLORE_PART) return EXPLORE_INCONSISTENT;
  if (kind == EXPLORE_MOVER && search->kind_count[kind] >= UINT16_MAX) return EXPLORE_TOO_MANY;
  explore_use use = EXPLORE_OF_TRIES;
  if (!explore_reserve(search, use, &search->by_kind[kind], &search->kind_capacity[kind],
        (uint64_t)search->kind_count[kind] + 1, sizeof(uint32_t)) ||
      !explore_reserve(search, use, &search->tries, &search->trie_capacity,
        (uint64_t)search->trie_count + 1, sizeof *search->tries))
    return EXPLORE_NO_MEMORY;
  explore_trie trie = {.kind = kind,
    .number = search->trie_count,
    .ordinal = search->kind_count[kind],
    .first_leaf = EXPLORE_NONE,
    .asked = true};
  // The edge to the root.
  if (!explore_reserve(search, use, &trie.code, &trie.code_capacity, 1, sizeof(uint32_t)))
    return EXPLORE_NO_MEMORY;
  trie.code[0] = 0;
  trie.code_count = 1;
  search->by_kind[kind][search->kind_count[kind]++] = trie.number;
  search->tries[search->trie_count++] = trie;
  *number = trie.number;
  return EXPLORE_OK;
}

explore_status explore_add_trie(explore *search, explore_kind kind, uint32_t *trie) {
  pthread_mutex_lock(&search->world.change);
  explore_status status = add_trie(search, kind, trie);
  pthread_mutex_unlock(&search->world.change);
  return status;
}
