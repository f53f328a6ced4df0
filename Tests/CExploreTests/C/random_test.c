/// Random models come to what a plain search of them comes to, state for state.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

enum { MOST = 30000 };
static char label[128];

static void compare_states(const owner *o, const plain *p, const model *m) {
  uint64_t wrong = 0;
  for (uint32_t state = 0; state < p->distinct; state++) {
    uint32_t values[MOST_SLOTS], mover;
    // With hashes, each is found again from the beginning.
    if (state % 7 != 0 && p->distinct > 1000) continue;
    values_of(o, state, values);
    wrong += memcmp(values, p->states + (size_t)state * m->slots, m->slots * sizeof *values) != 0;
    wrong += explore_parent(o->search, state, &mover) != p->parents[state];
    wrong += mover != p->movers[state];
  }
  check_number(wrong, 0, "states that differ", label);
}

static void compare_findings(const owner *o, const plain *p, const model *m) {
  uint64_t yes[MOST_TRIES] = {0}, no[MOST_TRIES] = {0}, faults[MOST_TRIES] = {0}, stuck = 0;
  uint32_t depth = 0;
  for (uint32_t i = 0; i < explore_finding_count(o->search); i++) {
    explore_finding f = explore_finding_at(o->search, i);
    check(f.depth >= depth, "findings are in order", label);
    depth = f.depth;
    if (f.found == EXPLORE_YES) yes[f.trie] += f.count;
    if (f.found == EXPLORE_FAULT) faults[f.trie] += f.count;
    if (f.found == EXPLORE_NO) {
      no[f.trie] += f.count;
      check_number(f.state, p->first_no[f.trie], "first state", label);
    }
    if (f.found != EXPLORE_DEADLOCK) continue;
    stuck = f.count;
    check_number(f.state, p->first_deadlock, "first deadlock", label);
  }
  check_number(stuck, p->deadlocks, "deadlocks", label);
  for (uint32_t trie = 0; trie < m->tries; trie++) {
    explore_kind kind = m->kind(m, trie);
    if (kind == EXPLORE_END || kind == EXPLORE_BOUND) continue;
    check_number(faults[trie], p->failed[trie], "faults", label);
    if (kind != EXPLORE_MOVER) {
      check_number(yes[trie], p->yes[trie], "yes", label);
      check_number(no[trie], p->no[trie], "no", label);
      continue;
    }
    explore_trie_counts counts = explore_trie_count(o->search, trie);
    check_number(counts.passed, p->passed[trie], "passed", label);
    check_number(counts.refused, p->refused[trie], "refused", label);
    check_number(counts.failed, p->failed[trie], "failed", label);
    uint64_t all = 0;
    static explore_reason reasons[4096];
    uint32_t count = explore_reasons(o->search, trie, reasons, 4096);
    for (uint32_t n = 0; n < count; n++) {
      all += reasons[n].count;
      if (n > 0) check_number(reasons[n - 1].reason < reasons[n].reason, 1, "in order", label);
    }
    check_number(all, counts.refused + counts.failed, "of all reasons", label);
  }
}

static void compare_edges(const owner *o, const plain *p) {
  uint64_t all = 0, wrong = 0;
  static explore_edge edges[4096];
  if (p->distinct > 2000 || o->play_every != 0 || o->play_after != 0) return;
  for (uint32_t state = 0; state < p->distinct; state++) {
    uint32_t count = explore_edges(o->search, state, edges, 4096);
    all += count;
    for (uint32_t i = 0; i < count; i++) {
      wrong += explore_leaf_at(o->search, edges[i].leaf).kind != EXPLORE_PASSES;
    }
  }
  check_number(wrong, 0, "leaves of edges that do not pass", label);
  uint64_t expected = 0;
  for (uint32_t i = 0; i < MOST_TRIES; i++) expected += p->passed[i];
  check_number(all, expected, "edges", label);
}

static void compare(const model *m, const plain *p, uint32_t seed, uint32_t variant) {
  owner o = {.play_every = variant & 16 ? 3 : 0,
    .play_after = seed % 5 == 0 ? 20 : 0,
    .checks = variant & 32};
  explore_options options = {.threads = variant & 4   ? 3
                                        : variant & 2 ? 2
                                                      : 1,
    .hashes = variant & 8,
    .keeps_going = true};
  snprintf(label, sizeof label, "random model %u, variant %u", seed, variant);
  explore_status status = own_and_run(&o, m, options, variant & 1);
  check_number(status, EXPLORE_OK, "status", label);
  explore_counts counts = explore_count(o.search);
  check_number(counts.distinct, p->distinct, "distinct", label);
  check_number(counts.generated, p->generated, "generated", label);
  check_number(counts.outside, p->outside, "outside", label);
  check_number(counts.depth, p->depth, "depth", label);
  if (counts.distinct == p->distinct) {
    compare_states(&o, p, m);
    compare_findings(&o, p, m);
    compare_edges(&o, p);
  }
  disown(&o);
}

int main(int count, char **arguments) {
  uint32_t models = count > 1 ? (uint32_t)atoi(arguments[1]) : 300;
  uint32_t seed = count > 2 ? (uint32_t)atoi(arguments[2]) : 1;
  uint64_t all = 0;
  static model m;
  static plain p;
  for (uint32_t i = 0; i < models; i++, seed++) {
    random_model(&m, seed);
    plain_search(&p, &m, MOST);
    if (p.distinct < MOST) {
      all += p.distinct;
      for (uint32_t variant = 0; variant < 4; variant++)
        compare(&m, &p, seed, (seed * 7 + variant * 19) & 63);
    }
    plain_free(&p);
  }
  printf(
    "random models (%llu states): %d passed, %d failed\n", (unsigned long long)all, passed, failed);
  return failed != 0;
}
