/// Leaves that move what stands in slots, and movers that are played but for what they have in
/// common: both come to what plain learning comes to.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

enum { RING = 6, VALUES = 3 };

enum manner { SETS, COPIES, PLAYS };

/// A ring of values that can be turned, and one of which can be raised while their sum is small.
typedef struct {
  explore *search;
  uint32_t part[RING], known, asked;
  enum manner manner;
} ring;

static uint32_t sum_of(const uint32_t *slots) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < RING; i++) sum += slots[i];
  return sum;
}

static explore_status turn(ring *r, uint32_t trie, const uint32_t *slots) {
  explore_read reads[RING];
  explore_write writes[RING];
  uint32_t count = 0;
  for (uint32_t i = 0; i < RING; i++) {
    uint32_t from = (i + 1) % RING;
    reads[i] = (explore_read){i, slots[i]};
    writes[i] =
      r->manner == SETS ? (explore_write){i, slots[from]} : (explore_write){i | EXPLORE_COPY, from};
  }
  // It looks at the first one alone: what is 2 is not turned.
  count = r->manner == SETS ? RING : 1;
  explore_leaf leaf = {EXPLORE_PASSES, 0, writes, RING};
  if (slots[0] == 2) leaf = (explore_leaf){EXPLORE_REFUSED, 1, NULL, 0};
  return explore_learn(r->search, trie, reads, slots[0] == 2 ? 1 : count, leaf);
}

static explore_status raise(ring *r, uint32_t trie, const uint32_t *slots) {
  explore_read reads[RING];
  uint32_t which = trie - 1, value = slots[which], sum = sum_of(slots);
  explore_write write = {which, (value + 1) % VALUES};
  explore_leaf leaf = {EXPLORE_PASSES, 0, &write, 1};
  if (sum > 7) leaf = (explore_leaf){EXPLORE_REFUSED, 2, NULL, 0};
  explore_learn(r->search, trie, NULL, 0, (explore_leaf){.kind = EXPLORE_PLAYED});
  if (sum > 7) return explore_learn(r->search, trie, NULL, 0, leaf);
  bool is_known = false;
  // The new value depends on whether the sum is even; the part receives that as its argument.
  write.value = (value + 1 + sum % 2) % VALUES;
  explore_status status = explore_follow(r->search, r->part[which], sum % 2, &is_known);
  __atomic_add_fetch(&r->asked, 1, __ATOMIC_RELAXED);
  if (status != EXPLORE_OK || is_known) return status;
  __atomic_add_fetch(&r->known, 1, __ATOMIC_RELAXED);
  reads[0] = (explore_read){EXPLORE_BY, sum % 2};
  reads[1] = (explore_read){which, value};
  status = explore_learn(r->search, r->part[which], reads, 2, leaf);
  if (status != EXPLORE_OK) return status;
  status = explore_follow(r->search, r->part[which], sum % 2, &is_known);
  check(is_known, "what was learned is known", "parts");
  return status;
}

static explore_status raise_by_parity(ring *r, uint32_t trie, const uint32_t *slots) {
  explore_read reads[RING];
  uint32_t which = trie - 1, sum = sum_of(slots);
  explore_write write = {which, (slots[which] + 1 + sum % 2) % VALUES};
  explore_leaf leaf = {EXPLORE_PASSES, 0, &write, 1};
  if (sum > 7) leaf = (explore_leaf){EXPLORE_REFUSED, 2, NULL, 0};
  for (uint32_t i = 0; i < RING; i++) reads[i] = (explore_read){i, slots[i]};
  return explore_learn(r->search, trie, reads, RING, leaf);
}

static explore_status miss(void *given, uint32_t thread, uint32_t trie, const uint32_t *slots,
  uint32_t count, const uint32_t *draws, uint32_t draw_count) {
  ring *r = given;
  (void)thread, (void)count, (void)draws, (void)draw_count;
  if (trie == 0) return turn(r, trie, slots);
  return r->manner == PLAYS ? raise(r, trie, slots) : raise_by_parity(r, trie, slots);
}

static explore_counts search(ring *r, enum manner manner, explore_options options) {
  uint32_t domain, slot, trie, begin[RING] = {1};
  *r = (ring){.manner = manner};
  r->search = explore_open(options, &(explore_owner){.miss = miss}, r);
  explore_add_domain(r->search, &domain);
  explore_grow_domain(r->search, domain, VALUES);
  for (uint32_t i = 0; i < RING; i++) explore_add_slot(r->search, domain, &slot);
  for (uint32_t i = 0; i <= RING; i++) explore_add_trie(r->search, EXPLORE_MOVER, &trie);
  for (uint32_t i = 0; i < RING; i++) explore_add_trie(r->search, EXPLORE_PART, &r->part[i]);
  explore_begin(r->search, begin, RING);
  check_number(explore_run(r->search), EXPLORE_OK, "status", "ring");
  return explore_count(r->search);
}

static void same(explore_options options, const char *name) {
  ring plain, other;
  explore_counts wanted =
    search(&plain, SETS, (explore_options){.threads = 1, .keeps_going = true});
  for (int manner = COPIES; manner <= PLAYS; manner++) {
    explore_counts found = search(&other, (enum manner)manner, options);
    check_number(found.distinct, wanted.distinct, "distinct", name);
    check_number(found.generated, wanted.generated, "generated", name);
    check_number(found.depth, wanted.depth, "depth", name);
    for (uint32_t i = 0; i <= RING; i++) {
      check_number(explore_trie_count(other.search, i).passed,
        explore_trie_count(plain.search, i).passed, "passed", name);
      check_number(explore_trie_count(other.search, i).refused,
        explore_trie_count(plain.search, i).refused, "refused", name);
    }
    explore_edge edges[2 * RING], wanted_edges[2 * RING];
    uint32_t count = explore_edges(other.search, 0, edges, 2 * RING);
    check_number(count, explore_edges(plain.search, 0, wanted_edges, 2 * RING), "edges", name);
    if (manner == PLAYS) {
      check(other.asked > 10 * other.known, "a part is learned once", name);
      check(options.threads > 1 || other.known <= RING * VALUES * 2, "what a part knows", name);
    }
    explore_close(other.search);
  }
  explore_close(plain.search);
}

static void copies_have_one_domain(void) {
  ring r = {0};
  uint32_t one, other, slot[2], trie;
  r.search = explore_open((explore_options){.threads = 1}, &(explore_owner){.miss = miss}, &r);
  explore_add_domain(r.search, &one);
  explore_add_domain(r.search, &other);
  explore_add_slot(r.search, one, &slot[0]);
  explore_add_slot(r.search, other, &slot[1]);
  explore_add_trie(r.search, EXPLORE_MOVER, &trie);
  explore_write write = {slot[0] | EXPLORE_COPY, slot[1]};
  explore_leaf leaf = {EXPLORE_PASSES, 0, &write, 1};
  check_number(
    explore_learn(r.search, trie, NULL, 0, leaf), EXPLORE_INCONSISTENT, "domains", "copies");
  write.value = 7;
  check_number(
    explore_learn(r.search, trie, NULL, 0, leaf), EXPLORE_INCONSISTENT, "no slot", "copies");
  bool is_known;
  check_number(
    explore_follow(r.search, trie, 0, &is_known), EXPLORE_INCONSISTENT, "nobody asks", "parts");
  explore_close(r.search);
}

int main(void) {
  same((explore_options){.threads = 1, .keeps_going = true}, "one thread");
  same((explore_options){.threads = 2, .keeps_going = true}, "two threads");
  same((explore_options){.threads = 1, .hashes = true, .keeps_going = true}, "hashes");
  copies_have_one_domain();
  printf("parts: %d passed, %d failed\n", passed, failed);
  return failed > 0;
}
