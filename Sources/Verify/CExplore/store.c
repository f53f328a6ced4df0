/// The store: all states in breadth-first order, which is also the queue of the search.
///
/// Invariant: states are only appended, and chunks do not move while workers run, so a worker can
/// read a state while another adds one. With hash compaction the words of expanded states are
/// freed, and only their hashes stay.

#include <stdlib.h>
#include <string.h>

#include "parts.h"

static bool grow_lists(explore *search, uint32_t chunks) {
  if (chunks <= search->chunk_capacity) return true;
  uint32_t capacity = search->chunk_capacity * 2 < 16 ? 16 : search->chunk_capacity * 2;
  if (capacity < chunks) capacity = chunks;
  void *lists[] = {&search->words, &search->hashes, &search->parents, &search->movers};
  // If a later list cannot grow, the earlier ones stay larger than necessary, which does no harm.
  for (int i = 0; i < 4; i++) {
    void **list = lists[i], *moved = realloc(*list, capacity * sizeof(void *));
    if (moved == NULL) return false;
    *list = moved;
  }
  search->chunk_capacity = capacity;
  return true;
}

static bool add_chunk(explore *search) {
  uint32_t chunk = search->chunk_count;
  if (!grow_lists(search, chunk + 1)) return false;
  search->words[chunk] = NULL, search->hashes[chunk] = NULL;
  search->parents[chunk] = NULL, search->movers[chunk] = NULL;
  size_t words = (size_t)search->layout.words * EXPLORE_CHUNK * sizeof(uint64_t);
  size_t hashes = search->options.hashes ? EXPLORE_CHUNK * sizeof(uint64_t) : 0;
  bool is_made =
    explore_resize(search, EXPLORE_OF_STATES, &search->words[chunk], 0, words) &&
    (hashes == 0 || explore_resize(search, EXPLORE_OF_STATES, &search->hashes[chunk], 0, hashes)) &&
    explore_resize(search, EXPLORE_OF_STATES, &search->parents[chunk], 0,
      EXPLORE_CHUNK * sizeof **search->parents) &&
    explore_resize(search, EXPLORE_OF_STATES, &search->movers[chunk], 0,
      EXPLORE_CHUNK * sizeof **search->movers);
  if (is_made) {
    search->chunk_count++;
    return true;
  }
  if (search->words[chunk] != NULL)
    explore_resize(search, EXPLORE_OF_STATES, &search->words[chunk], words, 0);
  if (search->hashes[chunk] != NULL)
    explore_resize(search, EXPLORE_OF_STATES, &search->hashes[chunk], hashes, 0);
  if (search->parents[chunk] != NULL)
    explore_resize(search, EXPLORE_OF_STATES, &search->parents[chunk],
      EXPLORE_CHUNK * sizeof **search->parents, 0);
  return false;
}

explore_status explore_make_room(explore *search, uint64_t states) {
  if (states > UINT32_MAX - 1) states = UINT32_MAX - 1;
  while ((uint64_t)search->chunk_count * EXPLORE_CHUNK < states) {
    if (!add_chunk(search)) return EXPLORE_NO_MEMORY;
  }
  return EXPLORE_OK;
}

void explore_forget_words(explore *search) {
  size_t bytes = (size_t)search->layout.words * EXPLORE_CHUNK * sizeof(uint64_t);
  while (search->first_chunk < search->expanded >> EXPLORE_CHUNK_BITS) {
    explore_resize(search, EXPLORE_OF_STATES, &search->words[search->first_chunk++], bytes, 0);
  }
}
