/// Leaves: the results of a mover or a question, each stored once for a trie.
///
/// The writes of a leaf are compiled for the present layout: for each word the bits to keep and the
/// bits to put, and the copies from slot to slot.

#include <stdlib.h>
#include <string.h>

#include "parts.h"
#include "table.h"
#include "tries.h"

static explore_patch *patch_of(explore *search, explore_outcome *outcome, uint32_t word) {
  if (outcome->first.word == word) return &outcome->first;
  for (uint32_t i = 0; i < outcome->rest_count; i++) {
    if (outcome->rest[i].word == word) return &outcome->rest[i];
  }
  if (!explore_reserve(search, EXPLORE_OF_TRIES, &outcome->rest, &outcome->rest_capacity,
        outcome->rest_count + 1, sizeof *outcome->rest))
    return NULL;
  explore_patch *patch = &outcome->rest[outcome->rest_count++];
  *patch = (explore_patch){UINT64_MAX, 0, word};
  return patch;
}

bool explore_compile(explore *search, explore_outcome *outcome) {
  uint32_t first = 0;
  if (outcome->write_count > 0)
    first = search->layout.places[outcome->writes[0].slot & ~EXPLORE_COPY].word;
  outcome->first = (explore_patch){UINT64_MAX, 0, first};
  outcome->rest_count = outcome->move_count = 0;
  outcome->added = 0;
  for (uint32_t i = 0; i < outcome->write_count; i++) {
    explore_write write = outcome->writes[i];
    explore_place place = search->layout.places[write.slot & ~EXPLORE_COPY];
    explore_patch *patch = patch_of(search, outcome, place.word);
    if (patch == NULL) return false;
    uint64_t mask = (((uint64_t)1 << place.width) - 1) << place.shift;
    patch->keep &= ~mask;
    patch->put &= ~mask;
    if (write.slot & EXPLORE_COPY) {
      if (!explore_reserve(search, EXPLORE_OF_TRIES, &outcome->moves, &outcome->move_capacity,
            outcome->move_count + 1, sizeof *outcome->moves))
        return false;
      outcome->moves[outcome->move_count++] =
        (explore_move){search->layout.places[write.value], place};
      continue;
    }
    patch->put |= (uint64_t)write.value << place.shift;
    outcome->added += explore_hash_value(write.slot, write.value);
  }
  return true;
}

void explore_free_outcome(explore *search, explore_outcome *outcome) {
  explore_resize(
    search, EXPLORE_OF_TRIES, &outcome->writes, outcome->write_count * sizeof *outcome->writes, 0);
  explore_resize(
    search, EXPLORE_OF_TRIES, &outcome->rest, outcome->rest_capacity * sizeof *outcome->rest, 0);
  explore_resize(
    search, EXPLORE_OF_TRIES, &outcome->moves, outcome->move_capacity * sizeof *outcome->moves, 0);
}

static uint32_t hash_of(uint32_t trie, const explore_leaf *leaf) {
  uint64_t hash = ((uint64_t)trie << 34) + ((uint64_t)leaf->kind << 32) + leaf->reason + 1;
  hash *= 0x9e3779b97f4a7c15u;
  for (uint32_t i = 0; i < leaf->write_count; i++) {
    hash = (hash ^ hash >> 31 ^ ((uint64_t)leaf->writes[i].slot << 32 | leaf->writes[i].value)) *
           0xbf58476d1ce4e5b9u;
  }
  return (uint32_t)(hash >> 32);
}

static explore_leaf said(const explore_outcome *outcome) {
  return (explore_leaf){outcome->kind, outcome->reason, outcome->writes, outcome->write_count};
}

// The array of leaves may move while another worker learns; the arrays of writes do not.
explore_leaf explore_leaf_at(const explore *search, uint32_t leaf) {
  pthread_mutex_t *change = (pthread_mutex_t *)&search->world.change;
  explore_leaf found = {.kind = EXPLORE_PLAYED};
  pthread_mutex_lock(change);
  if (leaf < search->leaf_count) found = said(&search->leaves[leaf]);
  pthread_mutex_unlock(change);
  return found;
}

static bool is_same(const explore_outcome *outcome, uint32_t trie, const explore_leaf *leaf) {
  return outcome->trie == trie && outcome->kind == leaf->kind && outcome->reason == leaf->reason &&
         outcome->write_count == leaf->write_count &&
         (leaf->write_count == 0 ||
           memcmp(outcome->writes, leaf->writes, leaf->write_count * sizeof *leaf->writes) == 0);
}

static void enter(explore *search, uint32_t hash, uint32_t number) {
  uint32_t mask = search->leaf_table_size - 1, at = hash & mask;
  while (search->leaf_table[at] != 0) at = (at + 1) & mask;
  search->leaf_table[at] = number + 1;
}

static bool grow_table(explore *search) {
  uint32_t old = search->leaf_table_size, size = old < 64 ? 64 : old * 2;
  if ((uint64_t)(search->leaf_count + 1) * 2 <= old) return true;
  if (!explore_resize(search, EXPLORE_OF_TRIES, &search->leaf_table, old * sizeof(uint32_t),
        size * sizeof(uint32_t)))
    return false;
  memset(search->leaf_table, 0, size * sizeof(uint32_t));
  search->leaf_table_size = size;
  for (uint32_t i = 0; i < search->leaf_count; i++) {
    explore_leaf leaf = said(&search->leaves[i]);
    enter(search, hash_of(search->leaves[i].trie, &leaf), i);
  }
  return true;
}

/// Reserves memory for another leaf and its counts. The arrays move, so all workers must rest.
static bool grow_leaves(explore *search) {
  uint32_t old = search->leaf_capacity, size = old < 256 ? 256 : old * 2;
  if (search->leaf_count < old) return true;
  bool is_grown = false;
  explore_hold(search);
  if (!explore_resize(search, EXPLORE_OF_TRIES, &search->leaves, old * sizeof *search->leaves,
        size * sizeof *search->leaves))
    goto done;
  for (uint32_t i = 0; i < search->worker_count; i++) {
    uint64_t **counts = &search->workers[i].counts;
    // After a failure the arrays that have grown stay as they are, and their bytes stay counted.
    if (!explore_resize(
          search, EXPLORE_OF_TRIES, counts, old * sizeof **counts, size * sizeof **counts))
      goto done;
    memset(*counts + old, 0, (size - old) * sizeof **counts);
  }
  search->leaf_capacity = size;
  is_grown = true;
done:
  explore_release(search);
  return is_grown;
}

explore_status explore_add_leaf(
  explore *search, explore_trie *trie, const explore_leaf *leaf, uint32_t *number) {
  if (!grow_leaves(search) || !grow_table(search)) return EXPLORE_NO_MEMORY;
  if (search->leaf_count >= EXPLORE_LEAF_NUMBER) return EXPLORE_NO_MEMORY;
  explore_outcome outcome = {.kind = leaf->kind, .reason = leaf->reason, .trie = trie->number};
  size_t bytes = leaf->write_count * sizeof *leaf->writes;
  if (bytes > 0) {
    if (!explore_resize(search, EXPLORE_OF_TRIES, &outcome.writes, 0, bytes))
      return EXPLORE_NO_MEMORY;
    memcpy(outcome.writes, leaf->writes, bytes);
    outcome.write_count = leaf->write_count;
  }
  if (!explore_compile(search, &outcome)) {
    explore_free_outcome(search, &outcome);
    return EXPLORE_NO_MEMORY;
  }
  outcome.next = trie->first_leaf;
  trie->first_leaf = *number = search->leaf_count;
  search->leaves[search->leaf_count++] = outcome;
  enter(search, hash_of(trie->number, leaf), *number);
  return EXPLORE_OK;
}

explore_status explore_leaf_cell(
  explore *search, explore_trie *trie, const explore_leaf *leaf, explore_cell *cell) {
  uint32_t hash = hash_of(trie->number, leaf), number = 0, size = search->leaf_table_size;
  *cell = EXPLORE_LEAF | (uint32_t)leaf->kind << 29;
  for (uint32_t at = hash & (size - 1); size != 0; at = (at + 1) & (size - 1)) {
    if ((number = search->leaf_table[at]) == 0) break;
    if (!is_same(&search->leaves[number - 1], trie->number, leaf)) continue;
    *cell |= number - 1;
    return EXPLORE_OK;
  }
  explore_status status = explore_add_leaf(search, trie, leaf, &number);
  *cell |= number;
  return status;
}

void explore_drop_leaves(explore *search, explore_trie *trie) {
  for (uint32_t n = trie->first_leaf; n != EXPLORE_NONE; n = search->leaves[n].next) {
    explore_outcome *leaf = &search->leaves[n];
    explore_free_outcome(search, leaf);
    leaf->write_count = leaf->rest_count = leaf->rest_capacity = 0;
    leaf->move_count = leaf->move_capacity = 0;
    explore_compile(search, leaf);
  }
}
