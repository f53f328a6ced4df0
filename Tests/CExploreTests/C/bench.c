/// How fast the search is: bench [two_phase|philosophers|live|wide] N [THREADS [hashes]]. What is
/// wide is two-phase commit with 60 slots more, of six bits each.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "explore_liveness.h"
#include "model.h"

static double cpu(void) { return (double)clock() / CLOCKS_PER_SEC; }

/// Promises about two-phase commit: it is decided; all are done; as before, nothing being fair;
/// what is never so.
static void promise(owner *o, uint32_t n, uint32_t which) {
  uint32_t movers[256], count = 0;
  for (uint32_t i = 0; i < 2 + 5 * n; i++) movers[count++] = i;
  uint32_t one = 1, sizes[] = {1, count - 2};
  explore_promise promises[] = {
    {.when = EXPLORE_NONE,
      .wanted = 3 + 5 * n,
      .movers = movers + 1,
      .group_sizes = &one,
      .group_count = 1,
      .stays = true},
    {.when = EXPLORE_NONE,
      .wanted = 4 + 5 * n,
      .movers = movers + 1,
      .group_sizes = sizes,
      .group_count = 2,
      .stays = true},
    {.when = EXPLORE_NONE, .wanted = 4 + 5 * n, .stays = true},
    // All are done, and not all the same: never. It stops where nothing leads on.
    {.when = EXPLORE_NONE, .wanted = 5 + 5 * n},
  };
  double start = cpu();
  explore_lasso lasso;
  explore_status status = explore_live(o->search, &promises[which], &lasso);
  printf("  promise %u: status %d, kept %d, stem %u, loop %u; %.2f s CPU, %.1f bytes a state\n",
    which, status, lasso.is_kept, lasso.stem, lasso.loop, cpu() - start,
    (double)lasso.bytes / explore_states(o->search));
  explore_lasso_free(&lasso);
}

int main(int count, char **arguments) {
  static model m;
  uint32_t n = count > 2 ? (uint32_t)atoi(arguments[2]) : 8;
  if (count > 1 && strcmp(arguments[1], "philosophers") == 0) {
    philosophers(&m, n);
  } else {
    two_phase(&m, n);
  }
  explore_options options = {.threads = count > 3 ? (uint32_t)atoi(arguments[3]) : 1,
    .hashes = count > 4,
    .keeps_going = true};
  bool is_live = count > 1 && strcmp(arguments[1], "live") == 0;
  if (is_live) m.tries += 3;
  for (uint32_t i = 0; i < 60 && count > 1 && strcmp(arguments[1], "wide") == 0; i++) {
    m.values = 64;
    m.begin[0][m.slots++] = 33 + i % 20;
  }
  owner o = {0};
  struct timespec from, to;
  clock_gettime(CLOCK_MONOTONIC, &from);
  double start = cpu();
  own_and_run(&o, &m, options, m.values < 64);
  double seconds = cpu() - start;
  clock_gettime(CLOCK_MONOTONIC, &to);
  double elapsed = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
  explore_counts c = explore_count(o.search);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("%s %u, %u threads%s: %llu distinct, %llu generated, depth %u; %.2f s CPU, %.2f s, "
         "%.2f M/s; %u bits, %.1f bytes a state (%.1f resident), tries %zu, %llu misses\n",
    m.name, n, options.threads, options.hashes ? ", hashes" : "", (unsigned long long)c.distinct,
    (unsigned long long)c.generated, c.depth, seconds, elapsed, c.distinct / seconds / 1e6, c.bits,
    (double)c.bytes / (double)c.distinct, usage.ru_maxrss * 1024.0 / (double)c.distinct,
    c.trie_bytes, (unsigned long long)c.misses);
  for (uint32_t i = 0; is_live && i < 4; i++) promise(&o, n, i);
  disown(&o);
  return 0;
}
