/// A search that is bounded or stopped says so, keeps what it found, and goes on where it can.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

static void same_counts(const owner *a, const owner *b, const char *name) {
  explore_counts x = explore_count(a->search), y = explore_count(b->search);
  check_number(x.distinct, y.distinct, "distinct", name);
  check_number(x.generated, y.generated, "generated", name);
  check_number(x.outside, y.outside, "outside", name);
  check_number(x.depth, y.depth, "depth", name);
  check_number(x.frontier, y.frontier, "frontier", name);
  check_number(x.violations, y.violations, "violations", name);
  uint32_t count = explore_finding_count(a->search);
  check_number(count, explore_finding_count(b->search), "findings", name);
  for (uint32_t i = 0; i < count; i++) {
    explore_finding f = explore_finding_at(a->search, i), other = explore_finding_at(b->search, i);
    check(f.found == other.found && f.trie == other.trie && f.state == other.state &&
            f.mover == other.mover && f.count == other.count && f.depth == other.depth,
      "findings are the same", name);
  }
}

static void bounds_do_not_depend_on_threads(void) {
  static model m;
  two_phase(&m, 5);
  for (uint64_t most = 1; most < 9000; most = most * 5 / 2 + 1) {
    owner one = {0}, more = {0};
    explore_options options = {.max_states = most, .threads = 1, .keeps_going = true};
    check_number(own_and_run(&one, &m, options, true), EXPLORE_BOUNDED, "status", "most states");
    check_number(explore_count(one.search).distinct, most, "distinct", "most states");
    options.threads = 2 + (uint32_t)most % 2;
    check_number(own_and_run(&more, &m, options, true), EXPLORE_BOUNDED, "status", "most states");
    same_counts(&one, &more, "most states");
    disown(&one);
    disown(&more);
  }
  for (uint32_t depth = 1; depth < 17; depth++) {
    owner one = {0}, more = {0};
    explore_options options = {.max_depth = depth, .threads = 1, .keeps_going = true};
    check_number(own_and_run(&one, &m, options, true), EXPLORE_BOUNDED, "status", "most levels");
    check_number(explore_count(one.search).depth, depth, "depth", "most levels");
    options.threads = 2;
    own_and_run(&more, &m, options, true);
    same_counts(&one, &more, "most levels");
    disown(&one);
    disown(&more);
  }
}

static void questions_are_dropped_alike(void) {
  static model m;
  for (uint32_t seed = 0; seed < 60; seed++) {
    owner one = {0}, more = {0};
    random_model(&m, seed);
    explore_options options = {.max_states = 5000, .threads = 1};
    explore_status status = own_and_run(&one, &m, options, true);
    options.threads = 3;
    check_number(own_and_run(&more, &m, options, false), status, "status", "dropped questions");
    same_counts(&one, &more, "dropped questions");
    disown(&one);
    disown(&more);
  }
}

static void goes_on_after_being_stopped(void) {
  static model m;
  two_phase(&m, 6);
  owner whole = {0}, stopped = {.stop_at = 5};
  explore_options options = {.threads = 2, .keeps_going = true};
  own_and_run(&whole, &m, options, true);
  explore_status status = own_and_run(&stopped, &m, options, true);
  check_number(status, EXPLORE_STOPPED, "status", "stopped");
  for (int times = 0; status == EXPLORE_STOPPED && times < 1000; times++) {
    stopped.stop_at = stopped.progresses + 3;
    status = explore_run(stopped.search);
  }
  check_number(status, EXPLORE_OK, "status", "gone on");
  same_counts(&stopped, &whole, "gone on");
  // A search that is stopped before it begins has found nothing, and loses nothing.
  owner early = {0};
  own(&early, &m, options, true);
  explore_stop(early.search);
  check_number(explore_run(early.search), EXPLORE_STOPPED, "status", "stopped early");
  check_number(explore_run(early.search), EXPLORE_OK, "status", "stopped early");
  check_number(explore_count(early.search).distinct, explore_count(whole.search).distinct,
    "distinct", "stopped early");
  disown(&early);
  disown(&whole);
  disown(&stopped);
}

static void goes_on_after_being_stopped_within_a_round(void) {
  static model m;
  uint32_t stops = 0;
  for (uint32_t seed = 0; seed < 80; seed++) {
    char name[64];
    snprintf(name, sizeof name, "stopped within model %u", seed);
    random_model(&m, seed);
    if (seed % 8 == 0) two_phase(&m, 5);
    explore_options options = {
      .max_states = 20000, .threads = 1 + seed % 3, .hashes = seed % 4 == 1, .keeps_going = true};
    owner whole = {.play_after = 5}, stopped = {.play_after = 5, .stop_at_miss = 3};
    explore_status expected = own_and_run(&whole, &m, options, true);
    explore_status status = own_and_run(&stopped, &m, options, true);
    for (int times = 1; status == EXPLORE_STOPPED && times < 200; times++) {
      stops++;
      stopped.stop_at_miss = times < 20 ? stopped.misses + (uint64_t)times * times * 7 : 0;
      status = explore_run(stopped.search);
    }
    check_number(status, expected, "status", name);
    same_counts(&stopped, &whole, name);
    for (uint32_t trie = 0; trie < m.tries; trie++) {
      explore_trie_counts a = explore_trie_count(stopped.search, trie);
      explore_trie_counts b = explore_trie_count(whole.search, trie);
      check(a.passed == b.passed && a.refused == b.refused && a.failed == b.failed, "tries", name);
    }
    disown(&whole);
    disown(&stopped);
  }
  check(stops > 100, "some are stopped", "stopped within");
}

static void what_was_found_is_there_without_memory(bool hashes) {
  static model m;
  static plain p;
  two_phase(&m, 6);
  plain_search(&p, &m, 60000);
  uint32_t out = 0;
  for (size_t memory = 100000; memory < 12000000; memory += memory / 7) {
    owner o = {0};
    explore_options options = {.memory = memory, .threads = 1 + memory % 2, .hashes = hashes};
    explore_status status = own_and_run(&o, &m, options, true);
    check(status == EXPLORE_OK || status == EXPLORE_NO_MEMORY, "status", "memory");
    explore_counts counts = explore_count(o.search);
    check(counts.bytes + counts.trie_bytes <= memory, "no more than it may", "memory");
    if (status == EXPLORE_OK) {
      check_number(counts.distinct, p.distinct, "distinct", "memory");
    } else {
      out++;
      check(counts.distinct < p.distinct || counts.frontier > 0, "it has not all", "memory");
    }
    uint64_t wrong = 0;
    for (uint32_t state = 0; state < counts.distinct; state += 1 + state / 50) {
      uint32_t values[MOST_SLOTS], mover;
      values_of(&o, state, values);
      wrong += memcmp(values, p.states + (size_t)state * m.slots, m.slots * sizeof *values) != 0;
      wrong += explore_parent(o.search, state, &mover) != p.parents[state];
    }
    check_number(wrong, 0, "states that differ", hashes ? "memory, hashes" : "memory");
    disown(&o);
  }
  check(out > 3, "some have too little", "memory");
  plain_free(&p);
}

static void what_contradicts_is_told(void) {
  static model m;
  peterson(&m);
  owner o = {0};
  own(&o, &m, (explore_options){.threads = 1}, false);
  explore_read a[] = {{0, 0}, {1, 0}}, b[] = {{1, 0}, {0, 0}}, c[] = {{2, 1}}, far[] = {{99, 0}};
  explore_leaf yes = {.kind = EXPLORE_PASSES}, no = {.kind = EXPLORE_REFUSED, .reason = 1};
  check_number(explore_learn(o.search, 0, a, 2, no), EXPLORE_OK, "status", "learned");
  check_number(explore_learn(o.search, 0, a, 2, no), EXPLORE_OK, "status", "learned again");
  check_number(explore_learn(o.search, 0, b, 2, no), EXPLORE_OK, "status", "in another order");
  check_number(
    explore_learn(o.search, 0, a, 2, yes), EXPLORE_INCONSISTENT, "status", "another leaf");
  check_number(explore_learn(o.search, 0, c, 1, no), EXPLORE_INCONSISTENT, "status", "other reads");
  check_number(explore_learn(o.search, 0, a, 1, no), EXPLORE_INCONSISTENT, "status", "fewer reads");
  check_number(explore_learn(o.search, 0, far, 1, no), EXPLORE_INCONSISTENT, "status", "no slot");
  check_number(explore_learn(o.search, 99, a, 1, no), EXPLORE_INCONSISTENT, "status", "no trie");
  disown(&o);
}

int main(void) {
  bounds_do_not_depend_on_threads();
  questions_are_dropped_alike();
  goes_on_after_being_stopped();
  goes_on_after_being_stopped_within_a_round();
  what_was_found_is_there_without_memory(false);
  what_was_found_is_there_without_memory(true);
  what_contradicts_is_told();
  printf("limits: %d passed, %d failed\n", passed, failed);
  return failed != 0;
}
