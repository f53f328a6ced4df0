/// Whichever allocation fails, the search says that there is no memory, and what it has can be
/// read.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore_checkpoint.h"
#include "explore_liveness.h"
#include "model.h"

static long left;  // allocations until one fails; all after it do well
static bool has_failed;

static bool fails(void) {
  bool is_now = __atomic_sub_fetch(&left, 1, __ATOMIC_RELAXED) == 0;
  if (is_now) has_failed = true;
  return is_now;
}

void *test_malloc(size_t size) { return fails() ? NULL : malloc(size); }
void *test_calloc(size_t count, size_t size) { return fails() ? NULL : calloc(count, size); }
void *test_realloc(void *block, size_t size) { return fails() ? NULL : realloc(block, size); }
int posix_memalign(void **block, size_t alignment, size_t size);
int test_memalign(void **block, size_t alignment, size_t size) {
  return fails() ? 12 : posix_memalign(block, alignment, size);
}

static bool write_to(void *to, const void *bytes, size_t count) {
  return fwrite(bytes, 1, count, to) == count;
}
static bool read_from(void *from, void *bytes, size_t count) {
  return fread(bytes, 1, count, from) == count;
}

static void read_all(owner *o, const model *m) {
  uint32_t values[MOST_SLOTS];
  explore_edge edges[64];
  for (uint32_t state = 0; state < explore_states(o->search); state += 1 + state / 10) {
    explore_values(o->search, state, values, m->slots);
    explore_edges(o->search, state, edges, 64);
    explore_parent(o->search, state, NULL);
  }
  explore_count(o->search);
}

/// One run in which the n-th allocation fails. False: none did, since there were fewer.
static bool try_one(const model *m, explore_options options, long n, uint64_t distinct) {
  owner o = {0};
  has_failed = false;
  left = n;
  explore_status status = own_and_run(&o, m, options, true);
  check(status == EXPLORE_OK || (status == EXPLORE_NO_MEMORY && has_failed), "status", m->name);
  if (o.search != NULL) {
    explore_counts counts = explore_count(o.search);
    if (status == EXPLORE_OK) check_number(counts.distinct, distinct, "distinct", m->name);
    check(counts.distinct <= distinct, "no more than there are", m->name);
    read_all(&o, m);
    explore_promise promise = {.when = EXPLORE_NONE, .wanted = m->tries - 1};
    explore_lasso lasso;
    if (status == EXPLORE_OK && !options.hashes) {
      status = explore_live(o.search, &promise, &lasso);
      check(status == EXPLORE_OK || status == EXPLORE_NO_MEMORY, "status of a look", m->name);
      if (status == EXPLORE_OK) explore_lasso_free(&lasso);
    }
  }
  left = 0;
  if (o.search != NULL) disown(&o);
  return has_failed;
}

static void restore_one(const model *m, long n) {
  owner o = {0};
  own_and_run(&o, m, (explore_options){.threads = 1}, true);
  FILE *file = tmpfile();
  explore_save(o.search, write_to, file);
  rewind(file);
  left = n;
  has_failed = false;
  explore *other = explore_open((explore_options){.threads = 1}, &owner_callbacks, &o);
  if (other != NULL) {
    explore_status status = explore_restore(other, read_from, file);
    check(status == (has_failed ? EXPLORE_NO_MEMORY : EXPLORE_OK), "restored", m->name);
    explore_close(other);
  }
  left = 0;
  fclose(file);
  disown(&o);
}

int main(void) {
  static model m;
  for (uint32_t i = 0; i < 8; i++) {
    explore_options options = {.threads = 1 + i % 2, .hashes = i % 4 > 1, .keeps_going = true};
    if (i < 4) {
      two_phase(&m, 4);
    } else {
      peterson(&m);
    }
    owner whole = {0};
    left = 0;
    own_and_run(&whole, &m, options, true);
    uint64_t distinct = explore_count(whole.search).distinct;
    disown(&whole);
    for (long n = 1; try_one(&m, options, n, distinct); n++) continue;
  }
  for (long n = 1; n < 200; n++) restore_one(&m, n);
  printf("failing allocations: %d passed, %d failed\n", passed, failed);
  return failed != 0;
}
