/// Repacks all states in a new layout if slots or domains have outgrown the present one.
///
/// Invariant: all packed words have one layout. So everything packed is converted at once, while
/// all workers rest: the store, the successors in batches, and the views of workers. After that the
/// places in tries and leaves, and the hashes of states, are computed again.

#include <stdlib.h>
#include <string.h>

#include "parts.h"
#include "tries.h"

/// Bits that move together: from one word to another, and all by the same distance. A negative
/// distance is one to the right.
typedef struct {
  uint64_t bits;  // in the old word
  uint32_t from, to;
  int32_t by;
} moved_bits;

typedef struct {
  explore_layout layout;
  moved_bits *moves;
  uint32_t move_count;
  uint64_t **chunks, *batches[EXPLORE_BATCHES], **views;
  uint64_t *one;  // a buffer for one state, so that states can be converted in place
} repack;

static int compare_moves(const void *a, const void *b) {
  const moved_bits *one = a, *other = b;
  if (one->to != other->to) return one->to < other->to ? -1 : 1;
  if (one->from != other->from) return one->from < other->from ? -1 : 1;
  return one->by < other->by ? -1 : one->by > other->by;
}

/// Lists the moves that convert a state. Returns false without memory.
static bool list_moves(const explore *search, repack *to) {
  const explore_layout *old = &search->layout;
  moved_bits *moves = calloc((size_t)old->count + 1, sizeof *moves);
  uint32_t count = 0, left = 0;
  if (moves == NULL) return false;
  for (uint32_t slot = 0; slot < old->count; slot++) {
    explore_place place = old->places[slot], next = to->layout.places[slot];
    // No state has a value that is wider than either place.
    uint32_t width = place.width < next.width ? place.width : next.width;
    if (width == 0) continue;
    moves[count++] = (moved_bits){(((uint64_t)1 << width) - 1) << place.shift, place.word,
      next.word, (int32_t)next.shift - place.shift};
  }
  qsort(moves, count, sizeof *moves, compare_moves);
  for (uint32_t i = 0; i < count; i++) {
    if (left > 0 && compare_moves(&moves[left - 1], &moves[i]) == 0)
      moves[left - 1].bits |= moves[i].bits;
    else moves[left++] = moves[i];
  }
  to->moves = moves;
  to->move_count = left;
  return true;
}

static void convert(const repack *to, const uint64_t *from, uint64_t *words) {
  size_t bytes = to->layout.words * sizeof *words;
  memset(to->one, 0, bytes);
  for (uint32_t i = 0; i < to->move_count; i++) {
    moved_bits move = to->moves[i];
    uint64_t bits = from[move.from] & move.bits;
    to->one[move.to] |= move.by < 0 ? bits >> -move.by : bits << move.by;
  }
  memcpy(words, to->one, bytes);
}

static size_t bytes_of(uint64_t states, uint32_t words) {
  return (size_t)states * words * sizeof(uint64_t);
}

static void resize_all(explore *search, repack *to, uint32_t words) {
  for (uint32_t i = search->first_chunk; i < search->chunk_count; i++) {
    if (to->chunks[i] != NULL)
      explore_resize(search, EXPLORE_OF_STATES, &to->chunks[i], bytes_of(EXPLORE_CHUNK, words), 0);
  }
  for (uint32_t i = 0; i < EXPLORE_BATCHES; i++) {
    if (to->batches[i] != NULL)
      explore_resize(search, EXPLORE_OF_STATES, &to->batches[i],
        bytes_of(search->batches[i].capacity, words), 0);
  }
  for (uint32_t i = 0; i < search->worker_count; i++) free(to->views[i]);
}

/// Allocates blocks for everything that is packed, for states of another length. Returns false
/// without memory; the caller then frees the blocks that it has.
static bool take_blocks(explore *search, repack *to, uint32_t words) {
  for (uint32_t i = 0; i < search->worker_count; i++) {
    to->views[i] = calloc(2 * (size_t)words + 1, sizeof(uint64_t));
    if (to->views[i] == NULL) return false;
  }
  for (uint32_t i = search->first_chunk; i < search->chunk_count; i++) {
    if (!explore_resize(
          search, EXPLORE_OF_STATES, &to->chunks[i], 0, bytes_of(EXPLORE_CHUNK, words)))
      return false;
  }
  for (uint32_t i = 0; i < EXPLORE_BATCHES; i++) {
    size_t bytes = bytes_of(search->batches[i].capacity, words);
    if (bytes > 0 && !explore_resize(search, EXPLORE_OF_STATES, &to->batches[i], 0, bytes))
      return false;
  }
  return true;
}

static void convert_store(explore *search, repack *to, bool is_moving) {
  uint32_t old = search->layout.words, words = to->layout.words;
  uint32_t first = search->first_chunk << EXPLORE_CHUNK_BITS;
  for (uint32_t state = first; state < search->count; state++) {
    uint64_t *chunk = is_moving ? to->chunks[state >> EXPLORE_CHUNK_BITS]
                                : search->words[state >> EXPLORE_CHUNK_BITS];
    convert(
      to, explore_words(search, state), chunk + (state & (EXPLORE_CHUNK - 1)) * (size_t)words);
  }
  if (!is_moving) return;
  for (uint32_t i = search->first_chunk; i < search->chunk_count; i++) {
    explore_resize(search, EXPLORE_OF_STATES, &search->words[i], bytes_of(EXPLORE_CHUNK, old), 0);
    search->words[i] = to->chunks[i];
  }
}

static void convert_batch(explore *search, repack *to, explore_batch *batch, uint64_t *moved) {
  uint32_t old = search->layout.words, words = to->layout.words;
  uint64_t *target = moved != NULL ? moved : batch->words;
  for (uint32_t i = 0; i < batch->count; i++) {
    convert(to, batch->words + (size_t)i * old, target + (size_t)i * words);
  }
  if (moved == NULL) return;
  explore_resize(search, EXPLORE_OF_STATES, &batch->words, bytes_of(batch->capacity, old), 0);
  batch->words = moved;
}

static void convert_view(explore *search, repack *to, explore_worker *worker, uint64_t *moved) {
  uint32_t old = search->layout.words, words = to->layout.words;
  uint64_t by = worker->view[2 * old];
  uint64_t *target = moved != NULL ? moved : worker->view;
  convert(to, worker->view, target);
  convert(to, worker->view + old, target + words);
  target[2 * words] = by;
  if (moved == NULL) return;
  free(worker->view);
  worker->view = moved;
}

static void convert_all(explore *search, repack *to, bool is_moving) {
  convert_store(search, to, is_moving);
  for (uint32_t i = 0; i < EXPLORE_BATCHES; i++) {
    convert_batch(search, to, &search->batches[i], to->batches[i]);
  }
  for (uint32_t i = 0; i < search->worker_count; i++) {
    convert_view(search, to, &search->workers[i], is_moving ? to->views[i] : NULL);
  }
}

void explore_forget_seen(explore *search) {
  for (uint32_t i = 0; i < search->worker_count; i++) {
    // A value that differs from all hashes with this entry, in their last bits.
    for (uint64_t n = 0; n < EXPLORE_SEEN; n++) search->workers[i].seen[n] = ~n;
  }
}

/// Computes again all that depends on the layout. Returns false without memory.
static bool follow(explore *search) {
  bool is_done = true;
  search->groups.is_current = search->groups.is_sound = false;
  explore_forget_seen(search);
  for (uint32_t i = 0; i < search->leaf_count; i++) {
    is_done = explore_compile(search, &search->leaves[i]) && is_done;
  }
  for (uint32_t i = 0; i < search->worker_count; i++) {
    is_done = explore_compile(search, &search->workers[i].answer) && is_done;
  }
  for (uint32_t i = 0; i < search->trie_count; i++) explore_place_nodes(search, &search->tries[i]);
  // Hashes of canonical states, and those of hash compaction, do not depend on the layout.
  if (search->options.hashes || search->symmetry.count > 0) return is_done;
  for (uint32_t b = 0; b < EXPLORE_BATCHES; b++) {
    explore_batch *batch = &search->batches[b];
    for (uint32_t i = 0; i < batch->count; i++) {
      batch->hashes[i] =
        explore_hash(&search->workers[0], batch->words + (size_t)i * search->layout.words);
    }
  }
  if (search->table.size != 0) explore_fill_table(search);
  return is_done;
}

static explore_status pack(explore *search) {
  repack to = {0};
  explore_status status = EXPLORE_NO_MEMORY;
  if (!explore_layout_make(search, &to.layout)) return status;
  uint32_t old = search->layout.words, words = to.layout.words;
  bool is_moving = words != old;
  to.chunks = calloc(search->chunk_count + 1, sizeof *to.chunks);
  to.views = calloc(search->worker_count, sizeof *to.views);
  to.one = calloc(words, sizeof *to.one);
  bool is_ready = to.chunks != NULL && to.views != NULL && to.one != NULL;
  is_ready = is_ready && list_moves(search, &to);
  if (is_ready && is_moving && !take_blocks(search, &to, words)) {
    resize_all(search, &to, words);
    is_ready = false;
  }
  if (is_ready) {
    convert_all(search, &to, is_moving);
    explore_layout_free(search, &search->layout);
    search->layout = to.layout;
    status = follow(search) ? EXPLORE_OK : EXPLORE_NO_MEMORY;
  } else {
    explore_layout_free(search, &to.layout);
  }
  free(to.chunks);
  free(to.views);
  free(to.one);
  free(to.moves);
  return status;
}

explore_status explore_settle(explore *search) {
  if (!search->is_unsettled) return EXPLORE_OK;
  explore_status status = EXPLORE_OK;
  if (!explore_layout_fits(search)) {
    bool has_memory;
    explore_hold(search);
    if (!explore_layout_extend(search, &has_memory))
      status = has_memory ? pack(search) : EXPLORE_NO_MEMORY;
    explore_release(search);
  }
  if (status == EXPLORE_OK) search->is_unsettled = false;
  return status;
}
