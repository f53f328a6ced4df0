/// Reads the result of a search: states, their parents, and their transitions.

#include <stdlib.h>
#include <string.h>

#include "parts.h"
#include "search.h"
#include "tries.h"

uint32_t explore_states(const explore *search) { return search->count; }

uint32_t explore_parent(const explore *search, uint32_t state, uint32_t *mover) {
  if (state >= search->count) {
    if (mover != NULL) *mover = EXPLORE_NONE;
    return EXPLORE_NONE;
  }
  uint32_t parent = *explore_parent_of(search, state), number = *explore_mover_of(search, state);
  if (parent != EXPLORE_NONE) number = search->by_kind[EXPLORE_MOVER][number];
  if (mover != NULL) *mover = number;
  return parent;
}

// MARK: Words

static void pack_beginning(const explore *search, uint32_t number, uint64_t *words) {
  const uint32_t *values = search->begun;
  for (uint32_t i = 0; i < number; i++) values += search->begun_widths[i];
  memset(words, 0, search->layout.words * sizeof *words);
  for (uint32_t slot = 0; slot < search->begun_widths[number]; slot++) {
    explore_set(words, search->layout.places[slot], values[slot]);
  }
}

/// Returns the leaf of a trie for the state in view, or 0. Asks the owner if the trie is played or
/// was forgotten.
static explore_cell way_of(explore_worker *worker, explore_trie *trie) {
  if (!trie->played) {
    explore_draws draws = worker->draws;
    explore_cell known = explore_walk_drawing(trie->code, worker->view, &worker->draws);
    if (known != 0 || trie->forgotten == 0) return known;
    worker->draws = draws;
  }
  explore_stir(worker);
  explore_cell cell = explore_resolve(worker, trie);
  explore_rest(worker);
  return cell;
}

/// Replaces the words of a state's parent with those of the state. Returns false if no draws of its
/// mover lead to it.
static bool step_to(explore *search, uint32_t state, uint64_t *words) {
  explore_worker *worker = &search->workers[0];
  uint32_t mover = search->by_kind[EXPLORE_MOVER][*explore_mover_of(search, state)];
  explore_trie *trie = &search->tries[mover];
  size_t bytes = search->layout.words * sizeof *words;
  uint64_t wanted = explore_hash_of(search, state);
  worker->draws.count = 0;
  memcpy(worker->view, words, bytes);
  do {
    explore_cell cell = way_of(worker, trie);
    if (cell == 0) return false;
    if (explore_kind_of(cell) != EXPLORE_PASSES) continue;
    explore_apply(
      explore_outcome_of(worker, trie, cell), search->layout.words, worker->view, words);
    if (explore_hash(worker, words) == wanted) return true;
  } while (explore_next_draws(&worker->draws));
  return false;
}

bool explore_find_words(explore *search, uint32_t state, uint64_t *words) {
  if (state >= search->count) return false;
  if (state >> EXPLORE_CHUNK_BITS >= search->first_chunk) {
    memcpy(words, explore_words(search, state), search->layout.words * sizeof *words);
    return true;
  }
  uint32_t length = 0;
  for (uint32_t at = state; at != EXPLORE_NONE; at = *explore_parent_of(search, at)) length++;
  uint32_t *path = malloc(length * sizeof *path);
  if (path == NULL) return false;
  for (uint32_t i = length, at = state; i-- > 0; at = *explore_parent_of(search, at)) path[i] = at;
  pack_beginning(search, *explore_mover_of(search, path[0]), words);
  bool is_found = true;
  for (uint32_t i = 1; i < length && is_found; i++) is_found = step_to(search, path[i], words);
  free(path);
  return is_found;
}

void explore_values(const explore *search, uint32_t state, uint32_t *values, uint32_t count) {
  uint64_t few[16], *words = few;
  if (count > 0) memset(values, 0, count * sizeof *values);
  if (search->layout.words > 16) words = malloc(search->layout.words * sizeof *words);
  // The state is recomputed in the view of a worker, so `search` is the same to the caller.
  if (words != NULL && explore_find_words((explore *)search, state, words)) {
    for (uint32_t slot = 0; slot < count && slot < search->layout.count; slot++) {
      values[slot] = explore_get(words, search->layout.places[slot]);
    }
  }
  if (words != few) free(words);
}

uint64_t explore_orbit(explore *search, uint32_t state) {
  uint64_t *words = malloc(search->layout.words * sizeof *words), orbit = 0;
  if (words != NULL && explore_find_words(search, state, words))
    orbit = explore_orbit_of(&search->workers[0], words);
  free(words);
  return orbit;
}

// MARK: Edges

typedef struct {
  explore *search;
  uint32_t state;
  explore_edge *edges;
  uint32_t count, most;
  bool is_whole;  // list movers that are refused or fail, too
} listing;

/// Copies the state into the view of the first worker. Do this again after each question to the
/// owner, because an answer may change the layout.
static bool view_state(const listing *list) {
  explore *search = list->search;
  uint64_t few[16], *words = few;
  size_t bytes = search->layout.words * sizeof *words;
  if (search->layout.words > 16) words = malloc(bytes);
  bool is_found = words != NULL && explore_find_words(search, list->state, words);
  if (is_found) memcpy(search->workers[0].view, words, bytes);
  if (words != few) free(words);
  return is_found;
}

static void list_transitions(listing *list, explore_trie *trie) {
  explore *search = list->search;
  explore_worker *worker = &search->workers[0];
  explore_draws *draws = &worker->draws;
  draws->count = 0;
  do {
    explore_cell cell = way_of(worker, trie);
    // A leaf that is not learned was never needed: the search did not expand the state.
    if (cell == 0) continue;
    explore_leaf_kind kind = explore_kind_of(cell);
    if (kind != EXPLORE_PASSES && !list->is_whole) continue;
    uint32_t words = search->layout.words;
    uint64_t *after = worker->view + words;
    if (kind == EXPLORE_PASSES)
      explore_apply(explore_outcome_of(worker, trie, cell), words, worker->view, after);
    if (list->count < list->most) {
      explore_edge *edge = &list->edges[list->count];
      *edge = (explore_edge){
        .mover = trie->number, .draw_count = draws->count, .kind = kind, .state = EXPLORE_NONE};
      edge->leaf = trie->played ? EXPLORE_NONE : explore_leaf_of(cell);
      memcpy(edge->draws, draws->values, sizeof edge->draws);
      if (kind == EXPLORE_PASSES)
        edge->state = explore_find(worker, explore_hash(worker, after), after, NULL);
    }
    list->count++;
  } while (explore_next_draws(draws));
}

static uint32_t list_all(listing list) {
  explore *search = list.search;
  bool is_viewed = view_state(&list);
  for (uint32_t i = 0; i < search->kind_count[EXPLORE_MOVER] && is_viewed; i++) {
    explore_trie *trie = &search->tries[search->by_kind[EXPLORE_MOVER][i]];
    list_transitions(&list, trie);
    if (trie->played) is_viewed = view_state(&list);
  }
  return list.count;
}

uint32_t explore_edges(explore *search, uint32_t state, explore_edge *edges, uint32_t most) {
  return list_all((listing){.search = search, .state = state, .edges = edges, .most = most});
}

uint32_t explore_decisions(explore *search, uint32_t state, explore_edge *edges, uint32_t most) {
  return list_all(
    (listing){.search = search, .state = state, .edges = edges, .most = most, .is_whole = true});
}

// MARK: Draws

/// Returns true if the question of a finding has the same answer and reason in a state.
static bool is_found_by(explore *search, const explore_finding *finding, const uint64_t *state) {
  explore_worker *worker = &search->workers[0];
  explore_trie *question = &search->tries[finding->trie];
  explore_draws draws = worker->draws;
  memcpy(worker->view, state, search->layout.words * sizeof *state);
  worker->draws.count = 0;
  explore_cell cell = way_of(worker, question);
  worker->draws = draws;
  if (cell == 0 || search->leaves[explore_leaf_of(cell)].reason != finding->reason) return false;
  switch (explore_kind_of(cell)) {
    case EXPLORE_PASSES: return finding->found == EXPLORE_YES;
    case EXPLORE_REFUSED: return finding->found == EXPLORE_NO;
    default: return finding->found == EXPLORE_FAULT;
  }
}

void explore_find_draws(explore *search, explore_finding *finding) {
  listing list = {.search = search, .state = finding->state};
  if (finding->state == EXPLORE_NONE || finding->mover >= search->trie_count ||
      finding->trie >= search->trie_count || finding->draw_count > 0)
    return;
  explore_kind kind = search->tries[finding->trie].kind;
  if (kind != EXPLORE_QUESTION && kind != EXPLORE_BOUND) return;
  explore_worker *worker = &search->workers[0];
  explore_draws *draws = &worker->draws;
  uint32_t words = search->layout.words;
  draws->count = 0;
  do {
    if (!view_state(&list)) return;
    explore_trie *trie = &search->tries[finding->mover];
    explore_cell cell = way_of(worker, trie);
    if (cell == 0 || explore_kind_of(cell) != EXPLORE_PASSES) continue;
    // Gives up if an answer of the owner has changed the layout; learned leaves need no answer.
    if (words != search->layout.words) return;
    explore_apply(
      explore_outcome_of(worker, trie, cell), words, worker->view, worker->view + words);
    if (!is_found_by(search, finding, worker->view + words)) continue;
    finding->draw_count = draws->count;
    memcpy(finding->draws, draws->values, sizeof finding->draws);
    return;
  } while (explore_next_draws(draws));
}
