/// A search that is saved at any point and restored comes to the same as one that was not.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore_checkpoint.h"
#include "model.h"

static char label[128];

typedef struct {
  unsigned char *bytes;
  size_t count, capacity, at;
} store;

static bool write_to(void *to, const void *bytes, size_t count) {
  store *s = to;
  if (s->count + count > s->capacity) {
    s->capacity = (s->count + count) * 2;
    s->bytes = realloc(s->bytes, s->capacity);
  }
  memcpy(s->bytes + s->count, bytes, count);
  s->count += count;
  return true;
}

static bool read_from(void *from, void *bytes, size_t count) {
  store *s = from;
  if (s->count - s->at < count) return false;
  memcpy(bytes, s->bytes + s->at, count);
  s->at += count;
  return true;
}

static bool refuse(void *to, const void *bytes, size_t count) {
  (void)to, (void)bytes, (void)count;
  return false;
}

static void same(const owner *a, const owner *b) {
  explore_counts x = explore_count(a->search), y = explore_count(b->search);
  check_number(x.distinct, y.distinct, "distinct", label);
  check_number(x.generated, y.generated, "generated", label);
  check_number(x.outside, y.outside, "outside", label);
  check_number(x.depth, y.depth, "depth", label);
  check_number(x.violations, y.violations, "violations", label);
  uint32_t findings = explore_finding_count(a->search), wrong = 0;
  check_number(findings, explore_finding_count(b->search), "findings", label);
  for (uint32_t i = 0; i < findings; i++) {
    explore_finding f = explore_finding_at(a->search, i), g = explore_finding_at(b->search, i);
    wrong += f.found != g.found || f.trie != g.trie || f.state != g.state || f.count != g.count;
  }
  for (uint32_t state = 0; state < x.distinct && wrong == 0; state += 1 + state / 100) {
    uint32_t one[MOST_SLOTS], other[MOST_SLOTS], mover, by;
    values_of(a, state, one);
    values_of(b, state, other);
    wrong += memcmp(one, other, a->m->slots * sizeof *one) != 0;
    wrong += explore_parent(a->search, state, &mover) != explore_parent(b->search, state, &by);
    wrong += mover != by;
  }
  for (uint32_t trie = 0; trie < a->m->tries; trie++) {
    explore_trie_counts f = explore_trie_count(a->search, trie);
    explore_trie_counts g = explore_trie_count(b->search, trie);
    wrong += f.passed != g.passed || f.refused != g.refused || f.failed != g.failed;
  }
  check_number(wrong, 0, "what differs", label);
}

/// Saves a search, and has its owner own the one that is restored.
static explore_status save_and_restore(owner *o, explore_options options, size_t damaged) {
  store s = {0};
  check_number(explore_save(o->search, write_to, &s), EXPLORE_OK, "saved", label);
  check_number(explore_save(o->search, refuse, NULL), EXPLORE_STOPPED, "not saved", label);
  if (damaged != 0) s.bytes[damaged % s.count] ^= 4;
  explore_close(o->search);
  o->search = explore_open(options, &owner_callbacks, o);
  explore_status status = explore_restore(o->search, read_from, &s);
  if (damaged == 0) check_number(s.at, s.count, "bytes read", label);
  free(s.bytes);
  return status;
}

static void compare(
  const model *m, explore_options options, uint64_t stop_at, uint32_t play_every) {
  owner whole = {.play_every = play_every}, cut = {.stop_at = stop_at, .play_every = play_every};
  explore_status status = own_and_run(&whole, m, options, true);
  explore_status found = own_and_run(&cut, m, options, true);
  for (int times = 0; found == EXPLORE_STOPPED && times < 100; times++) {
    options.threads = 1 + (uint32_t)times % 3;
    check_number(save_and_restore(&cut, options, 0), EXPLORE_OK, "restored", label);
    cut.stop_at = cut.progresses + 1 + times * times;
    found = explore_run(cut.search);
  }
  check_number(found, status, "status", label);
  same(&cut, &whole);
  if (status == EXPLORE_OK) {
    // Once more, of what is done.
    check_number(save_and_restore(&cut, options, 0), EXPLORE_OK, "restored", label);
    same(&cut, &whole);
  }
  disown(&whole);
  disown(&cut);
}

static void damage_is_told(const model *m) {
  for (size_t at = 1; at < 3000; at += 37) {
    owner o = {0};
    snprintf(label, sizeof label, "damaged at %zu", at);
    own_and_run(&o, m, (explore_options){.threads = 1}, true);
    check(
      save_and_restore(&o, (explore_options){.threads = 1}, at) != EXPLORE_OK, "is told", label);
    disown(&o);
  }
}

int main(void) {
  static model m;
  for (uint32_t hashes = 0; hashes < 2; hashes++) {
    explore_options options = {.threads = 1 + hashes, .keeps_going = true, .hashes = hashes};
    two_phase(&m, 6);
    snprintf(label, sizeof label, "two-phase commit%s", hashes ? ", hashes" : "");
    compare(&m, options, 3, 0);
    options.max_states = 3000;
    for (uint32_t seed = 0; seed < 60; seed++) {
      random_model(&m, seed);
      snprintf(label, sizeof label, "random model %u%s", seed, hashes ? ", hashes" : "");
      compare(&m, options, 1 + seed % 5, seed % 3 == 0 ? 2 : 0);
    }
  }
  jugs(&m);
  damage_is_told(&m);
  printf("checkpoints: %d passed, %d failed\n", passed, failed);
  return failed != 0;
}
