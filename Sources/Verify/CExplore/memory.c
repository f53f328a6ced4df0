/// Allocation of memory: counts all bytes, and fails at the bound `options.memory`.

#define _DEFAULT_SOURCE  // of posix_memalign and madvise
#include <stdlib.h>
#include <string.h>

#include "parts.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

enum { EXPLORE_HUGE = 2 << 20 };

static bool take(explore *search, explore_use use, size_t old, size_t size) {
  atomic_size_t *used = &search->used[use];
  if (size <= old) {
    atomic_fetch_sub_explicit(used, old - size, memory_order_relaxed);
    return true;
  }
  atomic_fetch_add_explicit(used, size - old, memory_order_relaxed);
  if (search->options.memory == 0) return true;
  size_t all = 0;
  for (int i = 0; i < EXPLORE_USES; i++) all += atomic_load(&search->used[i]);
  if (all <= search->options.memory) return true;
  atomic_fetch_sub_explicit(used, size - old, memory_order_relaxed);
  return false;
}

bool explore_resize(explore *search, explore_use use, void *block, size_t old, size_t size) {
  void **held = block;
  if (!take(search, use, old, size)) return false;
  if (size == 0) {
    free(*held);
    *held = NULL;
    return true;
  }
  void *moved = realloc(*held, size);
  if (moved == NULL) {
    if (size < old) return true;
    take(search, use, size, old);
    return false;
  }
  *held = moved;
  return true;
}

bool explore_reserve(explore *search, explore_use use, void *block, uint32_t *capacity,
  uint64_t count, size_t element) {
  if (count <= *capacity) return true;
  uint64_t wanted = (uint64_t)*capacity * 2 < 8 ? 8 : (uint64_t)*capacity * 2;
  if (wanted < count) wanted = count;
  if (wanted > UINT32_MAX) return false;
  if (!explore_resize(search, use, block, *capacity * element, wanted * element)) return false;
  *capacity = (uint32_t)wanted;
  return true;
}

// Lookups in a large table are random accesses. Huge pages avoid most of their TLB misses.
void *explore_clear_block(explore *search, size_t size) {
  if (!take(search, EXPLORE_OF_STATES, 0, size)) return NULL;
  void *block = NULL;
#ifdef __linux__
  if (size >= EXPLORE_HUGE) {
    if (posix_memalign(&block, EXPLORE_HUGE, size) != 0) block = NULL;
    if (block != NULL) {
      madvise(block, size, MADV_HUGEPAGE);
      memset(block, 0, size);
    }
  } else
#endif
    block = calloc(1, size);
  if (block == NULL) take(search, EXPLORE_OF_STATES, size, 0);
  return block;
}

void explore_drop_block(explore *search, void *block, size_t size) {
  if (block == NULL) return;
  free(block);
  take(search, EXPLORE_OF_STATES, size, 0);
}

explore_status explore_fail(explore *search, explore_status status) {
  int none = EXPLORE_OK;
  if (status != EXPLORE_OK) atomic_compare_exchange_strong(&search->status, &none, (int)status);
  return status;
}
