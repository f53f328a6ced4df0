/// Models whose numbers were published come to these numbers.

#include <stdio.h>
#include <string.h>

#include "model.h"

static void expect(const model *m, uint64_t distinct, uint64_t generated, uint32_t depth,
  bool grows, uint32_t threads, bool hashes) {
  owner o = {0};
  explore_options options = {.threads = threads, .hashes = hashes, .keeps_going = true};
  check_number(own_and_run(&o, m, options, grows), EXPLORE_OK, "status", m->name);
  explore_counts counts = explore_count(o.search);
  check_number(counts.distinct, distinct, "distinct", m->name);
  check_number(counts.generated, generated, "generated", m->name);
  if (depth != 0) check_number(counts.depth, depth, "depth", m->name);
  check_number(counts.frontier, 0, "frontier", m->name);
  disown(&o);
}

static void expect_all(const model *m, uint64_t distinct, uint64_t generated, uint32_t depth) {
  for (uint32_t threads = 1; threads <= 3; threads++) {
    expect(m, distinct, generated, depth, false, threads, false);
    expect(m, distinct, generated, depth, true, threads, false);
    expect(m, distinct, generated, depth, true, threads, true);
  }
}

/// Nothing was found, or `found` first at that depth and so many times.
static void expect_found(
  const model *m, explore_found found, uint32_t trie, uint32_t depth, uint64_t count) {
  owner o = {0};
  own_and_run(&o, m, (explore_options){.threads = 1, .keeps_going = true}, false);
  bool is_found = false;
  for (uint32_t i = 0; i < explore_finding_count(o.search); i++) {
    explore_finding finding = explore_finding_at(o.search, i);
    if (finding.found != found || finding.trie != trie) continue;
    is_found = true;
    check_number(finding.depth, depth, "depth of what was found", m->name);
    check_number(finding.count, count, "count of what was found", m->name);
    uint32_t length = 0, mover;
    for (uint32_t at = finding.state; at != EXPLORE_NONE; at = explore_parent(o.search, at, &mover))
      length++;
    check_number(length, depth, "length of the way there", m->name);
  }
  check(is_found == (count > 0), "is found", m->name);
  disown(&o);
}

/// Several workers number states as one does, and come to them by the same ways.
static void expect_same_states(const model *m) {
  owner one = {0}, more = {0};
  own_and_run(&one, m, (explore_options){.threads = 1, .keeps_going = true}, false);
  own_and_run(&more, m, (explore_options){.threads = 3, .keeps_going = true}, true);
  uint32_t count = explore_states(one.search), wrong = count != explore_states(more.search);
  for (uint32_t state = 0; state < count && wrong == 0; state++) {
    uint32_t a[MOST_SLOTS], b[MOST_SLOTS], mover, other;
    wrong +=
      explore_parent(one.search, state, &mover) != explore_parent(more.search, state, &other);
    wrong += mover != other;
    values_of(&one, state, a);
    values_of(&more, state, b);
    wrong += memcmp(a, b, m->slots * sizeof *a) != 0;
  }
  check_number(wrong, 0, "states that differ", m->name);
  disown(&one);
  disown(&more);
}

int main(void) {
  static model m;
  two_phase(&m, 3);
  expect_all(&m, 288, 1146, 11);
  expect_found(&m, EXPLORE_NO, 17, 0, 0);
  two_phase(&m, 7);
  expect(&m, 296448, 2744706, 23, false, 1, false);
  expect(&m, 296448, 2744706, 23, true, 2, false);
  expect(&m, 296448, 2744706, 23, true, 2, true);
  expect_same_states(&m);
  transaction_commit(&m, 3);
  expect_all(&m, 34, 94, 7);
  expect_found(&m, EXPLORE_DEADLOCK, EXPLORE_NONE, 0, 0);
  jugs(&m);
  expect_all(&m, 16, 97, 8);
  expect_found(&m, EXPLORE_NO, 6, 7, 2);
  philosophers(&m, 5);
  expect_all(&m, 243, 946, 0);
  expect_found(&m, EXPLORE_DEADLOCK, EXPLORE_NONE, 6, 2);
  philosophers(&m, 12);
  expect(&m, 531441, 4960117, 0, false, 1, false);
  expect(&m, 531441, 4960117, 0, true, 2, false);
  peterson(&m);
  expect_all(&m, 42, 77, 11);
  expect_found(&m, EXPLORE_NO, 12, 0, 0);
  printf("models: %d passed, %d failed\n", passed, failed);
  return failed != 0;
}
