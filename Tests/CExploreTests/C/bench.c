/// How fast the search is: bench [two_phase|philosophers] N [THREADS [hashes]].

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "model.h"

static double cpu(void) { return (double)clock() / CLOCKS_PER_SEC; }

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
  owner o = {0};
  struct timespec from, to;
  clock_gettime(CLOCK_MONOTONIC, &from);
  double start = cpu();
  own_and_run(&o, &m, options, true);
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
  disown(&o);
  return 0;
}
