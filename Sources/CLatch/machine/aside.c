/// What a VM has become since its image was kept, put aside so that the VM can be something else
/// for a while.
///
/// Many lives of one flow differ from its image, and from each other, in little: those bytes are
/// copied, and the blocks that came later are taken out as they are, so that every address means
/// what it meant when they are put back.

#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"

struct latch_aside {
  latch_slab *slabs, *last_slab;  ///< those before the last one came later than the image
  latch_large *large, *last_large;
  void **huge;
  size_t huge_count;
  latch_reader *readers;  ///< those that the image does not have
  int32_t reader_count;
  size_t size;
  char bytes[];  ///< pieces, each with its header
};

/// A piece of memory that differs from the image: where in the image, and how long.
typedef struct {
  uint32_t place, length;
} latch_piece;

enum { LATCH_WORD = 8, LATCH_LARGEST = 1 << 30 };

/// What a walk over the image's memory does with each block of it: `now` is what it holds, `then`
/// what it held.
typedef struct latch_walk {
  void (*visit)(struct latch_walk *walk, char *now, const char *then, size_t length);
  const char *start;  ///< of the image
  size_t place;       ///< of the block in it
  size_t size;        ///< of the pieces so far
  char *out;          ///< where they are written
} latch_walk;

static void visit(void *context, void *now, const void *then, size_t length) {
  latch_walk *walk = context;
  walk->place = (size_t)((const char *)then - walk->start);
  walk->visit(walk, now, then, length);
}

/// Fields and readers stand behind the blocks.
static void visit_other(latch_walk *walk, void *now, const void *then, size_t length) {
  walk->visit(walk, now, then, length);
  walk->place += length;
}

/// `cut`: what is cut from the slabs; NULL where that is about to become known.
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

static bool differs(const char *now, const char *then, size_t at, size_t length) {
  size_t rest = length - at;
  if (rest < LATCH_WORD) return memcmp(now + at, then + at, rest) != 0;
  return memcmp(now + at, then + at, LATCH_WORD) != 0;
}

/// The next piece of a block from a place on; its length is 0 where there is none. A word that is
/// the same between two that are not belongs to the piece: a header of its own takes as much.
static latch_piece next_piece(const char *now, const char *then, size_t at, size_t length) {
  while (at < length && !differs(now, then, at, length)) at += LATCH_WORD;
  size_t end = at;
  for (size_t next = at; next < length && next <= end + LATCH_WORD; next += LATCH_WORD) {
    if (differs(now, then, next, length)) end = next + LATCH_WORD;
  }
  if (end > length) end = length;
  return (latch_piece){(uint32_t)at, (uint32_t)(at < end ? end - at : 0)};
}

static void measure(latch_walk *walk, char *now, const char *then, size_t length) {
  latch_piece piece = next_piece(now, then, 0, length);
  while (piece.length > 0) {
    walk->size += sizeof piece + piece.length;
    piece = next_piece(now, then, (size_t)piece.place + piece.length, length);
  }
}

/// Writes the pieces, and puts what the image holds in their place.
static void take(latch_walk *walk, char *now, const char *then, size_t length) {
  latch_piece piece = next_piece(now, then, 0, length);
  while (piece.length > 0) {
    latch_piece header = {(uint32_t)walk->place + piece.place, piece.length};
    memcpy(walk->out, &header, sizeof header);
    memcpy(walk->out + sizeof header, now + piece.place, piece.length);
    memcpy(now + piece.place, then + piece.place, piece.length);
    walk->out += sizeof header + piece.length;
    piece = next_piece(now, then, (size_t)piece.place + piece.length, length);
  }
}

/// Puts the pieces back that begin in the block: they stand in the order of the walk, and the last
/// one is followed by one that begins nowhere.
static void put_back(latch_walk *walk, char *now, const char *then, size_t length) {
  (void)then;
  latch_piece piece;
  for (;;) {
    memcpy(&piece, walk->out, sizeof piece);
    if (piece.place >= walk->place + length) return;
    memcpy(now + (piece.place - walk->place), walk->out + sizeof piece, piece.length);
    walk->out += sizeof piece + piece.length;
  }
}

static const latch_piece NOWHERE = {UINT32_MAX, 0};

// MARK: What Swift calls

bool latch_make_room_aside(latch_vm *vm) { return latch_make_block_room(&vm->memory.blocks); }

size_t latch_changed_bytes(latch_vm *vm) {
  if (vm->image == NULL) return 0;
  latch_tidy_blocks(&vm->memory.blocks, &vm->image->blocks);
  latch_walk walk = {measure, NULL, 0, 0, NULL};
  walk_over(vm, &vm->memory.blocks, &walk);
  return walk.size + latch_later_bytes(&vm->memory.blocks, &vm->image->blocks.blocks);
}

/// Readers are only ever added.
static bool take_readers(latch_vm *vm, latch_aside *aside) {
  int32_t known = vm->image->reader_count;
  aside->reader_count = vm->reader_count - known;
  if (aside->reader_count == 0) return true;
  size_t size = (size_t)aside->reader_count * sizeof *aside->readers;
  aside->readers = malloc(size);
  if (aside->readers == NULL) return false;
  memcpy(aside->readers, vm->readers + known, size);
  return true;
}

latch_aside *latch_put_aside(latch_vm *vm, size_t most) {
  const latch_image *image = vm->image;
  if (image == NULL || latch_is_at_work(vm) || image->blocks.size > LATCH_LARGEST) return NULL;
  latch_walk walk = {measure, NULL, 0, 0, NULL};
  walk_over(vm, &vm->memory.blocks, &walk);
  size_t length = walk.size + sizeof NOWHERE;
  size_t later = latch_later_bytes(&vm->memory.blocks, &image->blocks.blocks);
  if (length + later > most) return NULL;
  latch_aside *aside = calloc(1, sizeof *aside + length);
  if (aside == NULL || !take_readers(vm, aside)) {
    free(aside);
    return NULL;
  }
  aside->size = sizeof *aside + length + later;
  aside->slabs = vm->memory.blocks.slabs;
  aside->large = vm->memory.blocks.large;
  aside->last_slab = image->blocks.blocks.slabs;
  aside->last_large = image->blocks.blocks.large;
  aside->huge = vm->huge;
  aside->huge_count = vm->huge_count;
  vm->huge = NULL;
  vm->huge_count = vm->huge_capacity = 0;
  walk = (latch_walk){take, NULL, 0, 0, aside->bytes};
  walk_over(vm, &vm->memory.blocks, &walk);
  memcpy(walk.out, &NOWHERE, sizeof NOWHERE);
  latch_forget_call(vm);
  return aside;
}

size_t latch_aside_size(const latch_aside *aside) { return aside->size; }

void latch_take_up(latch_vm *vm, latch_aside *aside) {
  latch_walk walk = {put_back, NULL, 0, 0, aside->bytes};
  walk_over(vm, NULL, &walk);
  if (aside->reader_count > 0) {
    memcpy(vm->readers + vm->image->reader_count, aside->readers,
      (size_t)aside->reader_count * sizeof *aside->readers);
  }
  free(vm->huge);
  vm->huge = aside->huge;
  vm->huge_count = vm->huge_capacity = aside->huge_count;
  latch_forget_call(vm);
  free(aside->readers);
  free(aside);
}

void latch_drop_aside(latch_aside *aside) {
  latch_free_later(aside->slabs, aside->last_slab, aside->large, aside->last_large);
  free(aside->huge);
  free(aside->readers);
  free(aside);
}
