/// Deltas: the changes of a VM since its image was stored, taken away so that the VM can be used
/// for another case meanwhile.
///
/// The cases of one flow differ little from its image, and from each other. Changed bytes are
/// copied, and blocks that came later are taken out as they are, so that every address is still
/// right when they are put back.

#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"

struct latch_delta {
  latch_slab *slabs, *last_slab;  ///< those before the last one came later than the image
  latch_large *large, *last_large;
  void **huge;
  size_t huge_count;
  latch_reader *readers;  ///< those that the image does not have
  int32_t reader_count;
  size_t size;
  char bytes[];  ///< pieces, each with its header
};

/// A piece of memory that differs from the image: its offset in the image, and its length.
typedef struct {
  uint32_t place, length;
} latch_piece;

enum { LATCH_WORD = 8, LATCH_STRIDE = 256, LATCH_LARGEST = 1 << 30 };

/// A piece that was found, with its present content and that of the image.
typedef struct {
  latch_piece piece;
  char *now;
  const char *then;
} latch_found;

/// A walk over the image's memory, which visits each block: `now` is its present content, `then`
/// its old one.
typedef struct latch_walk {
  void (*visit)(struct latch_walk *walk, char *now, const char *then, size_t length);
  const char *start;  ///< of the image
  size_t place;       ///< of the block in it
  const char *in;     ///< the pieces that are put back
  latch_found *found;
  size_t count, capacity;
  size_t size;  ///< of the pieces that were found, with their headers
  bool failed;  ///< there was no memory to record them all
} latch_walk;

static void visit(void *context, void *now, const void *then, size_t length) {
  latch_walk *walk = context;
  walk->place = (size_t)((const char *)then - walk->start);
  walk->visit(walk, now, then, length);
}

/// Fields and readers follow the blocks.
static void visit_other(latch_walk *walk, void *now, const void *then, size_t length) {
  walk->visit(walk, now, then, length);
  walk->place += length;
}

/// `cut`: the part of the slabs in use; NULL if that is about to become known.
static void walk_over(latch_vm *vm, const latch_blocks *cut, latch_walk *walk) {
  const latch_image *image = vm->image;
  walk->start = image->blocks.bytes;
  latch_walk_blocks(cut, &image->blocks, walk, visit);
  walk->place = image->blocks.size;
  size_t fields = sizeof image->fields / LATCH_WORD * LATCH_WORD;
  visit_other(walk, vm, image->fields, fields);
  visit_other(walk, (char *)vm + fields, image->fields + fields, sizeof image->fields - fields);
  if (image->readers != NULL) {
    size_t size = (size_t)image->reader_count * sizeof *image->readers;
    visit_other(walk, vm->readers, image->readers, size);
  }
}

static uint64_t word_at(const char *bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
  return word;
}

static bool differs(const char *now, const char *then, size_t at, size_t length) {
  if (length - at >= LATCH_WORD) return word_at(now + at) != word_at(then + at);
  return memcmp(now + at, then + at, length - at) != 0;
}

/// Returns the first word from a position on that differs; the end if there is none. Most of a VM
/// never changes, and is passed in long strides.
static size_t skip_same(const char *now, const char *then, size_t at, size_t length) {
  while (length - at >= LATCH_STRIDE && memcmp(now + at, then + at, LATCH_STRIDE) == 0)
    at += LATCH_STRIDE;
  while (at < length && !differs(now, then, at, length)) at += LATCH_WORD;
  return at;
}

/// Returns the next piece of a block from a position on; its length is 0 if there is none. An equal
/// word between two different ones belongs to the piece: a separate header takes as much.
static latch_piece next_piece(const char *now, const char *then, size_t at, size_t length) {
  at = skip_same(now, then, at, length);
  size_t end = at;
  for (size_t next = at; next < length && next <= end + LATCH_WORD; next += LATCH_WORD) {
    if (differs(now, then, next, length)) end = next + LATCH_WORD;
  }
  if (end > length) end = length;
  return (latch_piece){(uint32_t)at, (uint32_t)(at < end ? end - at : 0)};
}

static void note(latch_walk *walk, latch_found found) {
  if (walk->count == walk->capacity) {
    size_t capacity = walk->capacity == 0 ? 64 : 2 * walk->capacity;
    latch_found *grown = realloc(walk->found, capacity * sizeof *grown);
    if (grown == NULL) {
      walk->failed = true;
      return;
    }
    walk->found = grown;
    walk->capacity = capacity;
  }
  walk->found[walk->count++] = found;
}

static void find(latch_walk *walk, char *now, const char *then, size_t length) {
  latch_piece piece = next_piece(now, then, 0, length);
  while (piece.length > 0) {
    size_t at = piece.place, end = at + piece.length;
    walk->size += sizeof piece + piece.length;
    piece.place += (uint32_t)walk->place;
    note(walk, (latch_found){piece, now + at, then + at});
    piece = next_piece(now, then, end, length);
  }
}

static latch_walk find_pieces(latch_vm *vm) {
  latch_walk walk = {.visit = find};
  walk_over(vm, &vm->memory.blocks, &walk);
  return walk;
}

static const latch_piece NOWHERE = {UINT32_MAX, 0};

/// Writes the pieces, and restores the content of the image in their places.
static void take(const latch_walk *walk, char *out) {
  for (size_t i = 0; i < walk->count; i++) {
    const latch_found *found = &walk->found[i];
    memcpy(out, &found->piece, sizeof found->piece);
    memcpy(out + sizeof found->piece, found->now, found->piece.length);
    memcpy(found->now, found->then, found->piece.length);
    out += sizeof found->piece + found->piece.length;
  }
  memcpy(out, &NOWHERE, sizeof NOWHERE);
}

/// Puts the pieces back that begin in the block: they are in the order of the walk, and a last one
/// that begins nowhere ends them.
static void put_back(latch_walk *walk, char *now, const char *then, size_t length) {
  (void)then;
  latch_piece piece;
  for (;;) {
    memcpy(&piece, walk->in, sizeof piece);
    if (piece.place >= walk->place + length) return;
    memcpy(now + (piece.place - walk->place), walk->in + sizeof piece, piece.length);
    walk->in += sizeof piece + piece.length;
  }
}

// MARK: What Swift calls

bool latch_prepare_delta(latch_vm *vm) { return latch_make_block_room(&vm->memory.blocks); }

size_t latch_changed_bytes(latch_vm *vm) {
  if (vm->image == NULL) return 0;
  latch_tidy_blocks(&vm->memory.blocks, &vm->image->blocks);
  latch_walk walk = find_pieces(vm);
  free(walk.found);
  return walk.size + latch_later_bytes(&vm->memory.blocks, &vm->image->blocks.blocks);
}

/// Readers are only ever added.
static bool take_readers(latch_vm *vm, latch_delta *delta) {
  int32_t known = vm->image->reader_count;
  delta->reader_count = vm->reader_count - known;
  if (delta->reader_count == 0) return true;
  size_t size = (size_t)delta->reader_count * sizeof *delta->readers;
  delta->readers = malloc(size);
  if (delta->readers == NULL) return false;
  memcpy(delta->readers, vm->readers + known, size);
  return true;
}

/// Makes a delta with room for the pieces and the readers; NULL without memory, or for more than
/// `most`.
static latch_delta *new_delta(latch_vm *vm, const latch_walk *walk, size_t most) {
  size_t length = walk->size + sizeof NOWHERE;
  size_t later = latch_later_bytes(&vm->memory.blocks, &vm->image->blocks.blocks);
  if (walk->failed || length + later > most) return NULL;
  latch_delta *delta = calloc(1, sizeof *delta + length);
  if (delta == NULL || !take_readers(vm, delta)) {
    free(delta);
    return NULL;
  }
  delta->size = sizeof *delta + length + later;
  return delta;
}

latch_delta *latch_save_delta(latch_vm *vm, size_t most) {
  const latch_image *image = vm->image;
  if (image == NULL || image->before != NULL || latch_is_at_work(vm) ||
      image->blocks.size > LATCH_LARGEST) {
    return NULL;
  }
  latch_await_watch(vm);
  latch_walk walk = find_pieces(vm);
  latch_delta *delta = new_delta(vm, &walk, most);
  if (delta == NULL) {
    free(walk.found);
    return NULL;
  }
  delta->slabs = vm->memory.blocks.slabs;
  delta->large = vm->memory.blocks.large;
  delta->last_slab = image->blocks.blocks.slabs;
  delta->last_large = image->blocks.blocks.large;
  delta->huge = vm->huge;
  delta->huge_count = vm->huge_count;
  take(&walk, delta->bytes);
  free(walk.found);
  vm->huge = NULL;
  vm->huge_count = vm->huge_capacity = 0;
  latch_forget_call(vm);
  return delta;
}

size_t latch_delta_size(const latch_delta *delta) { return delta->size; }

void latch_take_up(latch_vm *vm, latch_delta *delta) {
  latch_await_watch(vm);
  latch_walk walk = {.visit = put_back, .in = delta->bytes};
  walk_over(vm, NULL, &walk);
  if (delta->reader_count > 0) {
    memcpy(vm->readers + vm->image->reader_count, delta->readers,
      (size_t)delta->reader_count * sizeof *delta->readers);
  }
  free(vm->huge);
  vm->huge = delta->huge;
  vm->huge_count = vm->huge_capacity = delta->huge_count;
  latch_forget_call(vm);
  free(delta->readers);
  free(delta);
}

void latch_drop_delta(latch_delta *delta) {
  latch_free_later(delta->slabs, delta->last_slab, delta->large, delta->last_large);
  free(delta->huge);
  free(delta->readers);
  free(delta);
}
