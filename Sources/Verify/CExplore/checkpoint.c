/// Saving and restoring a search: parts, each with its length and checksum, in the same order.

#include <stdlib.h>
#include <string.h>

#include "explore_checkpoint.h"
#include "parts.h"
#include "search.h"
#include "tries.h"

enum { FORMAT = 3 };

typedef struct {
  uint64_t format, count, checksum;
} part;

/// The counts and sizes of a search, which a checkpoint begins with.
typedef struct {
  uint64_t generated, begun_generated, misses, checked, outside, begins_outside;
  uint32_t hashes, domains, slots, words, placed, tries, leaves, tallies;
  uint32_t states, expanded, asked, unused, first_chunk, levels, level_end, is_full, begins, begun;
} numbers;

typedef struct {
  uint64_t count;  // how often the leaf was used
  uint32_t trie, kind, reason, write_count;
} saved_leaf;

typedef struct {
  uint32_t kind, is_asked, is_played, is_forgotten, code_count;
} saved_trie;

/// A checkpoint that is written or read: one of the two functions is set.
typedef struct {
  explore_write_bytes *write;
  explore_read_bytes *read;
  void *with;
  explore_status status;
} passage;

static uint64_t sum(const void *bytes, size_t count) {
  const unsigned char *at = bytes;
  uint64_t hash = count;
  for (; count >= 8; at += 8, count -= 8) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  for (; count > 0; at++, count--) hash = (hash ^ *at) * 0xbf58476d1ce4e5b9u;
  return hash ^ hash >> 29;
}

uint64_t explore_format(void) {
  // The sizes of all that is saved as in memory, and the values of its constants.
  const uint64_t what[] = {FORMAT, sizeof(numbers), sizeof(saved_leaf), sizeof(saved_trie),
    sizeof(explore_place), sizeof(explore_write), sizeof(explore_finding), EXPLORE_CHUNK,
    EXPLORE_PLAYED, EXPLORE_PART, EXPLORE_LEAF, EXPLORE_SPARSE, EXPLORE_AFTER, EXPLORE_DRAW,
    EXPLORE_BY, EXPLORE_COPY, SPARSE_PAIRS, 0x0102030405060708u};
  return sum(what, sizeof what);
}

/// Writes or reads a part of so many bytes.
static bool pass(passage *over, void *bytes, size_t count) {
  part head = {FORMAT, count, 0}, found;
  if (over->status != EXPLORE_OK) return false;
  if (over->write != NULL) {
    head.checksum = sum(bytes, count);
    if (!over->write(over->with, &head, sizeof head) ||
        (count > 0 && !over->write(over->with, bytes, count)))
      over->status = EXPLORE_STOPPED;
  } else if (!over->read(over->with, &found, sizeof found)) {
    over->status = EXPLORE_STOPPED;
  } else if (found.format != FORMAT || found.count != count) {
    over->status = EXPLORE_INCONSISTENT;
  } else if (count > 0 && !over->read(over->with, bytes, count)) {
    over->status = EXPLORE_STOPPED;
  } else if (sum(bytes, count) != found.checksum) {
    over->status = EXPLORE_INCONSISTENT;
  }
  return over->status == EXPLORE_OK;
}

static bool is_out_of_memory(passage *over) {
  over->status = EXPLORE_NO_MEMORY;
  return false;
}

// MARK: States

/// Writes or reads the states of all chunks. Memory for them is reserved.
static bool pass_states(passage *over, explore *search, const numbers *n) {
  for (uint32_t chunk = 0; (uint64_t)chunk * EXPLORE_CHUNK < n->states; chunk++) {
    size_t count = n->states - chunk * (uint32_t)EXPLORE_CHUNK;
    if (count > EXPLORE_CHUNK) count = EXPLORE_CHUNK;
    bool is_passed = (chunk < n->first_chunk ||
                       pass(over, search->words[chunk], count * n->words * sizeof(uint64_t))) &&
                     (!n->hashes || pass(over, search->hashes[chunk], count * sizeof(uint64_t))) &&
                     pass(over, search->parents[chunk], count * sizeof(uint32_t)) &&
                     pass(over, search->movers[chunk], count * sizeof(uint16_t));
    if (!is_passed) return false;
  }
  return true;
}

/// Writes or reads the lists whose length is the same in both searches.
static bool pass_lists(passage *over, explore *search, const numbers *n) {
  return pass(over, search->domains, n->domains * sizeof *search->domains) &&
         pass(over, search->slots, n->slots * sizeof *search->slots) &&
         pass(over, search->layout.places, n->placed * sizeof *search->layout.places) &&
         pass(over, search->layout.filled, n->words) &&
         pass(over, search->begun, n->begun * sizeof *search->begun) &&
         pass(over, search->begun_widths, n->begins * sizeof *search->begun_widths) &&
         pass(over, search->levels, n->levels * sizeof *search->levels) &&
         pass(over, search->tallies.items, n->tallies * sizeof *search->tallies.items);
}

// MARK: Saving

static numbers numbers_of(const explore *search) {
  numbers n = {.hashes = search->options.hashes,
    .domains = search->domain_count,
    .slots = search->slot_count,
    .words = search->layout.words,
    .placed = search->layout.count,
    .tries = search->trie_count,
    .leaves = search->leaf_count,
    .tallies = search->tallies.count,
    .states = search->count,
    .expanded = search->expanded,
    .asked = search->asked,
    .first_chunk = search->first_chunk,
    .levels = search->level_count,
    .level_end = search->level_end,
    .is_full = search->is_full,
    .begins = search->begins,
    .begun = search->begun_count,
    .begun_generated = search->generated,
    .begins_outside = search->begins_outside};
  for (uint32_t i = 0; i < search->worker_count; i++) {
    const explore_worker *worker = &search->workers[i];
    n.generated += worker->generated;
    n.misses += worker->misses, n.checked += worker->checked, n.outside += worker->outside;
  }
  return n;
}

static bool save_leaves(passage *over, const explore *search) {
  for (uint32_t i = 0; i < search->leaf_count; i++) {
    const explore_outcome *leaf = &search->leaves[i];
    saved_leaf saved = {0, leaf->trie, leaf->kind, leaf->reason, leaf->write_count};
    for (uint32_t k = 0; k < search->worker_count; k++) saved.count += search->workers[k].counts[i];
    if (!pass(over, &saved, sizeof saved) ||
        !pass(over, leaf->writes, leaf->write_count * sizeof *leaf->writes))
      return false;
  }
  return true;
}

static bool save_tries(passage *over, const explore *search) {
  for (uint32_t i = 0; i < search->trie_count; i++) {
    const explore_trie *trie = &search->tries[i];
    // Keys are valid in this process only, and nodes with keys cannot be extended without them.
    bool has_keys = trie->keys.count > 0;
    uint32_t nothing = 0, count = has_keys ? 1 : trie->code_count;
    bool is_forgotten = has_keys || trie->forgotten > 0;
    saved_trie saved = {trie->kind, trie->asked, trie->played, is_forgotten, count};
    if (!pass(over, &saved, sizeof saved) ||
        !pass(over, has_keys ? &nothing : trie->code, count * sizeof *trie->code))
      return false;
  }
  return true;
}

explore_status explore_save(const explore *search, explore_write_bytes *write, void *to) {
  passage over = {.write = write, .with = to};
  numbers n = numbers_of(search);
  // The casts are safe: saving only reads what it passes.
  if (pass(&over, &n, sizeof n) && pass_lists(&over, (explore *)search, &n) &&
      save_tries(&over, search) && save_leaves(&over, search))
    pass_states(&over, (explore *)search, &n);
  return over.status;
}

// MARK: Restoring

static bool make_rooms(passage *over, explore *search, const numbers *n) {
  explore_use tries = EXPLORE_OF_TRIES, states = EXPLORE_OF_STATES;
  explore_layout *layout = &search->layout;
  size_t place = sizeof *layout->places, words = 2 * (size_t)n->words + 1;
  explore_layout_free(search, layout);
  bool has_room =
    explore_reserve(search, tries, &search->domains, &search->domain_capacity, n->domains,
      sizeof *search->domains) &&
    explore_reserve(
      search, tries, &search->slots, &search->slot_capacity, n->slots, sizeof *search->slots) &&
    explore_resize(search, tries, &layout->filled, 0, n->words) &&
    (n->placed == 0 || explore_resize(search, tries, &layout->places, 0, n->placed * place)) &&
    explore_reserve(
      search, states, &search->begun, &search->begun_capacity, n->begun, sizeof *search->begun) &&
    explore_reserve(search, states, &search->begun_widths, &search->begins_capacity, n->begins,
      sizeof *search->begun_widths) &&
    explore_reserve(search, states, &search->levels, &search->level_capacity, n->levels,
      sizeof *search->levels) &&
    explore_reserve(search, tries, &search->tallies.items, &search->tallies.capacity, n->tallies,
      sizeof *search->tallies.items);
  if (!has_room) return is_out_of_memory(over);
  for (uint32_t i = 0; i < search->worker_count; i++) {
    uint64_t *view = realloc(search->workers[i].view, words * sizeof *view);
    if (view == NULL) return is_out_of_memory(over);
    memset(view, 0, words * sizeof *view);
    search->workers[i].view = view;
  }
  layout->words = n->words, layout->count = n->placed;
  search->domain_count = n->domains, search->slot_count = n->slots;
  search->begun_count = n->begun, search->begins = n->begins;
  search->level_count = n->levels, search->tallies.count = n->tallies;
  search->is_unsettled = true;
  return true;
}

static bool restore_tries(passage *over, explore *search, const numbers *n) {
  for (uint32_t i = 0; i < n->tries; i++) {
    saved_trie saved;
    uint32_t number;
    if (!pass(over, &saved, sizeof saved)) return false;
    over->status = explore_add_trie(search, (explore_kind)saved.kind, &number);
    if (over->status != EXPLORE_OK) return false;
    explore_trie *trie = &search->tries[number];
    if (!explore_reserve(search, EXPLORE_OF_TRIES, &trie->code, &trie->code_capacity,
          saved.code_count, sizeof *trie->code))
      return is_out_of_memory(over);
    if (!pass(over, trie->code, saved.code_count * sizeof *trie->code)) return false;
    trie->code_count = saved.code_count;
    trie->asked = saved.is_asked, trie->played = saved.is_played;
    trie->forgotten = saved.is_forgotten;
  }
  return true;
}

static bool restore_leaf(passage *over, explore *search) {
  saved_leaf saved;
  if (!pass(over, &saved, sizeof saved)) return false;
  if (saved.trie >= search->trie_count) return (over->status = EXPLORE_INCONSISTENT, false);
  explore_write *writes = malloc((saved.write_count + (size_t)1) * sizeof *writes);
  if (writes == NULL) return is_out_of_memory(over);
  if (pass(over, writes, saved.write_count * sizeof *writes)) {
    explore_leaf leaf = {(explore_leaf_kind)saved.kind, saved.reason, writes, saved.write_count};
    uint32_t number;
    over->status = explore_add_leaf(search, &search->tries[saved.trie], &leaf, &number);
    if (over->status == EXPLORE_OK) search->workers[0].counts[number] = saved.count;
  }
  free(writes);
  return over->status == EXPLORE_OK;
}

static bool restore_states(passage *over, explore *search, const numbers *n) {
  over->status = explore_make_room(search, n->states);
  if (over->status != EXPLORE_OK || !pass_states(over, search, n)) return false;
  explore_worker *worker = &search->workers[0];
  worker->generated = n->generated, worker->misses = n->misses;
  worker->checked = n->checked, worker->outside = n->outside;
  search->generated = n->begun_generated;
  search->begins_outside = n->begins_outside != 0;
  search->count = n->states, search->expanded = n->expanded, search->asked = n->asked;
  search->level_end = n->level_end, search->is_full = n->is_full;
  if (search->options.hashes) explore_forget_words(search);
  over->status = explore_make_table(search, 0);
  return over->status == EXPLORE_OK;
}

explore_status explore_restore(explore *search, explore_read_bytes *read, void *from) {
  passage over = {.read = read, .with = from};
  numbers n;
  if (search->slot_count > 0 || search->trie_count > 0 || search->begins > 0)
    return EXPLORE_INCONSISTENT;
  if (!pass(&over, &n, sizeof n)) return over.status;
  if ((n.hashes != 0) != search->options.hashes) return EXPLORE_INCONSISTENT;
  bool is_restored = make_rooms(&over, search, &n) && pass_lists(&over, search, &n) &&
                     restore_tries(&over, search, &n);
  for (uint32_t i = 0; i < n.leaves && is_restored; i++) is_restored = restore_leaf(&over, search);
  if (is_restored) restore_states(&over, search, &n);
  return over.status;
}
