/// Questions that are learned by keys: the answers are those of the function, few nodes are enough,
/// and what contradicts itself or goes in a circle is refused.

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "model.h"
#include "parts.h"

enum { SLOTS = 12, VALUES = 3, MOST = 5 };

typedef struct {
  explore *search;
  atomic_uint asked;
  bool is_right;
} counting;

/// True if at most MOST of the slots hold the greatest value.
static bool is_small(const uint32_t *slots) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < SLOTS; i++) count += slots[i] == VALUES;
  return count <= MOST;
}

/// A mover raises its slot by one; the question goes through all slots and counts.
static explore_status miss(void *owner, uint32_t thread, uint32_t trie, const uint32_t *slots,
  uint32_t count, const uint32_t *draws, uint32_t draw_count) {
  (void)thread, (void)count, (void)draws, (void)draw_count;
  counting *c = owner;
  if (trie < SLOTS) {
    explore_read read = {trie, slots[trie]};
    explore_write write = {trie, slots[trie] + 1};
    explore_leaf leaf = {EXPLORE_PASSES, 0, &write, 1};
    if (slots[trie] == VALUES) leaf = (explore_leaf){EXPLORE_REFUSED, 1, NULL, 0};
    return explore_learn(c->search, trie, &read, 1, leaf);
  }
  c->asked++;
  explore_keyed_read reads[SLOTS];
  uint32_t high = 0;
  for (uint32_t i = 0; i < SLOTS; i++) {
    reads[i] = (explore_keyed_read){{i, slots[i]}, {i + 1, high + 1}, 3};
    high += slots[i] == VALUES;
  }
  explore_keyed_run run = {reads, SLOTS, 2, 1000};
  explore_leaf leaf = {is_small(slots) ? EXPLORE_PASSES : EXPLORE_REFUSED, 0, NULL, 0};
  return explore_learn_keyed(c->search, trie, &run, leaf);
}

static void make(uint32_t threads, explore_owner *callbacks, counting *c) {
  explore_options options = {.threads = threads, .max_states = 200000};
  callbacks->miss = miss;
  c->search = explore_open(options, callbacks, c);
  uint32_t domain, slot, trie;
  c->is_right = c->search != NULL && explore_add_domain(c->search, &domain) == EXPLORE_OK &&
                explore_grow_domain(c->search, domain, VALUES + 1) == EXPLORE_OK;
  for (uint32_t i = 0; i < SLOTS && c->is_right; i++)
    c->is_right = explore_add_slot(c->search, domain, &slot) == EXPLORE_OK &&
                  explore_add_trie(c->search, EXPLORE_MOVER, &trie) == EXPLORE_OK;
  c->is_right = c->is_right && explore_add_trie(c->search, EXPLORE_QUESTION, &trie) == EXPLORE_OK;
}

static void counts(uint32_t threads) {
  counting c = {0};
  explore_owner callbacks = {0};
  uint32_t none[SLOTS] = {0}, wrong = 0;
  make(threads, &callbacks, &c);
  check(c.is_right, "it is told of slots and tries", "keyed");
  if (!c.is_right) return;
  explore_begin(c.search, none, SLOTS);
  explore_run(c.search);
  explore_trie_counts told = explore_trie_count(c.search, SLOTS);
  uint32_t small = 0, states = explore_states(c.search);
  for (uint32_t i = 0; i < states; i++) {
    uint32_t slots[SLOTS];
    explore_values(c.search, i, slots, SLOTS);
    small += is_small(slots);
  }
  wrong += told.passed != small;
  wrong += told.passed + told.refused != states;
  check_number(wrong, 0, "it answers as the function does", "keyed");
  check(c.asked < 2000 && states > 100000, "few runs teach all", "keyed");
  explore_close(c.search);
}

static explore_status learn(
  counting *c, const explore_keyed_read *reads, uint32_t count, uint64_t most, bool is_yes) {
  explore_keyed_run run = {reads, count, 1, most};
  explore_leaf leaf = {is_yes ? EXPLORE_PASSES : EXPLORE_REFUSED, 0, NULL, 0};
  return explore_learn_keyed(c->search, SLOTS, &run, leaf);
}

static void refusals(void) {
  counting c = {0};
  explore_owner callbacks = {0};
  make(1, &callbacks, &c);
  if (!c.is_right) return;
  explore_keyed_read one[] = {{{0, 1}, {1, 1}, 1}, {{1, 1}, {2, 2}, 1}};
  explore_keyed_read other[] = {{{0, 2}, {1, 1}, 1}, {{2, 1}, {2, 2}, 1}};
  explore_keyed_read back[] = {{{0, 2}, {1, 1}, 1}, {{1, 2}, {2, 2}, 1}, {{0, 2}, {1, 1}, 1}};
  explore_keyed_read dear[] = {{{0, 3}, {1, 1}, 1}, {{3, 1}, {4, 4}, 900}, {{4, 1}, {5, 5}, 200}};
  check_number(learn(&c, one, 2, 1000, true), EXPLORE_OK, "a run", "keyed");
  check_number(learn(&c, one, 2, 1000, true), EXPLORE_OK, "the same once more", "keyed");
  check_number(learn(&c, one, 2, 1000, false), EXPLORE_INCONSISTENT, "another answer", "keyed");
  check_number(learn(&c, other, 2, 1000, true), EXPLORE_INCONSISTENT, "another slot", "keyed");
  check_number(learn(&c, dear, 3, 1000, true), EXPLORE_TOO_MANY, "what costs too much", "keyed");
  check_number(learn(&c, back, 3, 1000, true), EXPLORE_TOO_MANY, "a circle", "keyed");
  explore_forget(c.search, SLOTS);
  check_number(learn(&c, other, 2, 1000, true), EXPLORE_OK, "once all is forgotten", "keyed");
  explore_close(c.search);
}

int main(void) {
  counts(1);
  counts(4);
  refusals();
  printf("keyed: %d passed, %d failed\n", passed, failed);
  return failed > 0;
}
