/// Slabs: the source of the blocks of a VM.
///
/// A VM makes many small blocks, most of them of a few sizes, and when it closes they all go at
/// once. So blocks of up to LATCH_SMALL bytes are cut from slabs; freed ones wait in a list for the
/// next of their size. Larger ones come from the system one by one. Lua passes the size of a block
/// that it frees, so a block needs no header, and closing a VM releases a handful of slabs. A few
/// of those are kept for the next VM: the system would take the pages away and clear new ones each
/// time. The first slabs of a VM are short, since many hosts are small and idle; a VM that grows
/// gets long ones.

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"

enum {
  LATCH_SMALL = LATCH_SIZE_CLASSES * LATCH_GRAIN,
  LATCH_SHORT_SLAB = 2 << 10,
  LATCH_LONG_SLAB = 8 << 10,
  LATCH_SHORT_SLABS = 32 << 10,  // the bytes of a VM's slabs that are short ones
  LATCH_SPARE_BYTES = 1 << 20,
  LATCH_ROOMY_SLAB = 32 << 10,
};

struct latch_slab {
  latch_slab *next;
  size_t size;
};

struct latch_large {
  latch_large *next, *previous;
  size_t size;
  bool is_kept;  // an image has its contents: it stays where it is
};

typedef struct latch_free {
  struct latch_free *next;
} latch_free;

static bool is_small(size_t size) {
#ifdef LATCH_PLAIN_BLOCKS
  (void)size;
  return false;
#else
  return size <= LATCH_SMALL;
#endif
}

static size_t class_of(size_t size) { return (size - 1) / LATCH_GRAIN; }

// MARK: Large blocks

static void *take_large(latch_blocks *blocks, latch_large *held, size_t size) {
  latch_large *moved = realloc(held, sizeof *moved + size);
  if (moved == NULL) return NULL;
  moved->size = size;
  if (held == NULL) {
    moved->is_kept = false;
    moved->previous = NULL;
    moved->next = blocks->large;
    blocks->large = moved;
  }
  if (moved->next != NULL) moved->next->previous = moved;
  if (moved->previous != NULL) moved->previous->next = moved;
  else blocks->large = moved;
  return moved + 1;
}

static bool is_kept(const void *block) { return ((const latch_large *)block - 1)->is_kept; }

/// True if the block is part of a clone's single block: it has no header and must not be freed.
static bool is_clone(const latch_blocks *blocks, const void *block) {
  return (size_t)((const char *)block - blocks->cast) < blocks->cast_size;
}

/// True if the block is the template's, which nobody frees as long as there is a VM.
static bool is_shared(const latch_blocks *blocks, const void *block) {
  return (size_t)((const char *)block - blocks->shared) < blocks->shared_size;
}

static void free_large(latch_blocks *blocks, latch_large *block) {
  if (block->is_kept) return;
  if (block->next != NULL) block->next->previous = block->previous;
  if (block->previous != NULL) block->previous->next = block->next;
  else blocks->large = block->next;
  free(block);
}

// MARK: Small blocks

static void keep_free(latch_blocks *blocks, void *block, size_t class) {
  latch_free *freed = block;
  freed->next = blocks->free[class];
  blocks->free[class] = freed;
}

/// Makes blocks come from the rest that begins there.
static void keep_rest(latch_blocks *blocks, char *at, const char *end) {
  while (end - at >= LATCH_GRAIN) {
    size_t left = (size_t)(end - at);
    size_t used = left > LATCH_SMALL ? LATCH_SMALL : left / LATCH_GRAIN * LATCH_GRAIN;
    keep_free(blocks, at, class_of(used));
    at += used;
  }
}

static struct {
  pthread_mutex_t lock;
  latch_slab *short_slabs, *long_slabs;
  size_t bytes;
} spare = {PTHREAD_MUTEX_INITIALIZER, NULL, NULL, 0};

static latch_slab **spare_of(size_t size) {
  return size == LATCH_LONG_SLAB ? &spare.long_slabs : &spare.short_slabs;
}

static latch_slab *take_spare_slab(size_t size) {
  pthread_mutex_lock(&spare.lock);
  latch_slab **first = spare_of(size), *slab = *first;
  if (slab != NULL) {
    *first = slab->next;
    spare.bytes -= size;
  }
  pthread_mutex_unlock(&spare.lock);
  return slab;
}

/// A large slab is never spare.
static latch_slab *take_slab(size_t size) {
  latch_slab *slab = size == LATCH_ROOMY_SLAB ? NULL : take_spare_slab(size);
  if (slab == NULL) slab = malloc(size);
  if (slab != NULL) slab->size = size;
  return slab;
}

static void give_slabs_back(latch_slab *slabs) {
  pthread_mutex_lock(&spare.lock);
  while (slabs != NULL && spare.bytes < LATCH_SPARE_BYTES) {
    latch_slab *slab = slabs, **first = spare_of(slab->size);
    slabs = slab->next;
    if (slab->size != LATCH_SHORT_SLAB && slab->size != LATCH_LONG_SLAB) {
      free(slab);
      continue;
    }
    slab->next = *first;
    *first = slab;
    spare.bytes += slab->size;
  }
  pthread_mutex_unlock(&spare.lock);
  while (slabs != NULL) {
    latch_slab *slab = slabs;
    slabs = slab->next;
    free(slab);
  }
}

static bool add_slab(latch_blocks *blocks, size_t size) {
  size_t used = blocks->slab_bytes - blocks->cast_size;  // most of it was once large blocks
  if (blocks->most > 0 && (used > blocks->most || size > blocks->most - used)) return false;
  latch_slab *slab = take_slab(size);
  if (slab == NULL) return false;
  keep_rest(blocks, blocks->at, blocks->end);  // of the slab before
  slab->next = blocks->slabs;
  blocks->slabs = slab;
  blocks->slab_bytes += size;
  blocks->at = (char *)(slab + 1);
  blocks->end = (char *)slab + size;
  return true;
}

static void *take_free(latch_blocks *blocks, size_t class) {
  latch_free *freed = blocks->free[class];
  if (freed != NULL) blocks->free[class] = freed->next;
  return freed;
}

/// Reuses a part of a larger block that was freed.
static void *split_free(latch_blocks *blocks, size_t class) {
  size_t length = (class + 1) * LATCH_GRAIN;
  for (size_t larger = class + 1; larger < LATCH_SIZE_CLASSES; larger++) {
    char *block = take_free(blocks, larger);
    if (block == NULL) continue;
    keep_rest(blocks, block + length, block + (larger + 1) * LATCH_GRAIN);
    return block;
  }
  return NULL;
}

static void *take_small(latch_blocks *blocks, size_t size) {
  size_t class = class_of(size);
  void *freed = take_free(blocks, class);
  if (freed != NULL) return freed;
  size_t length = (class + 1) * LATCH_GRAIN;
  if ((size_t)(blocks->end - blocks->at) < length) {
    freed = split_free(blocks, class);
    if (freed != NULL) return freed;
    bool has_short = blocks->slab_bytes - blocks->cast_size >= LATCH_SHORT_SLABS;
    if (!add_slab(blocks, has_short ? LATCH_LONG_SLAB : LATCH_SHORT_SLAB)) return NULL;
  }
  void *block = blocks->at;
  blocks->at += length;
  return block;
}

// MARK: What the allocator calls

void *latch_block(latch_blocks *blocks, size_t size) {
  return is_small(size) ? take_small(blocks, size) : take_large(blocks, NULL, size);
}

void latch_free_block(latch_blocks *blocks, void *block, size_t size) {
  if (is_clone(blocks, block)) keep_rest(blocks, block, (char *)block + size);
  else if (is_shared(blocks, block)) return;
  else if (is_small(size)) keep_free(blocks, block, class_of(size));
  else free_large(blocks, (latch_large *)block - 1);
}

void *latch_resize_block(latch_blocks *blocks, void *block, size_t old_size, size_t new_size) {
  bool is_own = !is_clone(blocks, block) && !is_shared(blocks, block);
  if (is_own && !is_small(old_size) && !is_small(new_size) && !is_kept(block)) {
    void *moved = take_large(blocks, (latch_large *)block - 1, new_size);
    return moved == NULL && new_size <= old_size ? block : moved;
  }
  if (is_own && is_small(old_size) && is_small(new_size) &&
      class_of(old_size) == class_of(new_size)) {
    return block;
  }
  void *moved = latch_block(blocks, new_size);
  // A block that cannot shrink stays where it is. If it is later freed as a small one, it is reused
  // as such; if it was a large one, closing the VM releases it all the same.
  if (moved == NULL) return new_size <= old_size ? block : NULL;
  memcpy(moved, block, old_size < new_size ? old_size : new_size);
  latch_free_block(blocks, block, old_size);
  return moved;
}

void latch_free_blocks(latch_blocks *blocks) {
  if (blocks->slabs != NULL) give_slabs_back(blocks->slabs);
  while (blocks->large != NULL) {
    latch_large *block = blocks->large;
    blocks->large = block->next;
    free(block);
  }
  *blocks = (latch_blocks){0};
}

// MARK: Casts

size_t latch_slab_header(void) { return sizeof(latch_slab); }

char *latch_clone_block(latch_blocks *blocks, size_t size, size_t room) {
  latch_slab *slab = malloc(size + room);
  if (slab == NULL) return NULL;
  char *bytes = (char *)slab;
  *slab = (latch_slab){NULL, size + room};
  blocks->slabs = slab;
  blocks->slab_bytes = slab->size;
  blocks->cast = bytes;
  blocks->cast_size = size;
  blocks->at = bytes + size;
  blocks->end = bytes + slab->size;
  return bytes;
}

// MARK: Images

void latch_free_later(
  latch_slab *slabs, latch_slab *last_slab, latch_large *large, latch_large *last_large) {
  latch_slab *later = NULL;
  while (slabs != last_slab) {
    latch_slab *slab = slabs;
    slabs = slab->next;
    slab->next = later;
    later = slab;
  }
  if (later != NULL) give_slabs_back(later);
  while (large != last_large) {
    latch_large *block = large;
    large = block->next;
    free(block);
  }
}

size_t latch_later_bytes(const latch_blocks *now, const latch_blocks *then) {
  size_t bytes = 0;
  for (latch_slab *slab = now->slabs; slab != then->slabs; slab = slab->next) bytes += slab->size;
  for (latch_large *block = now->large; block != then->large; block = block->next) {
    bytes += sizeof *block + block->size;
  }
  return bytes;
}

bool latch_make_block_room(latch_blocks *blocks) { return add_slab(blocks, LATCH_ROOMY_SLAB); }

/// The part of a slab from which blocks were cut since: the newest is not used up.
static size_t used_of(const latch_slab *slab, const latch_blocks *blocks) {
  return slab == blocks->slabs ? (size_t)(blocks->at - (const char *)slab) : slab->size;
}

/// The class, counted from 1, of the freed block that ends at each grain of the large slab.
typedef struct {
  uint8_t ends[LATCH_ROOMY_SLAB / LATCH_GRAIN + 1];
} latch_freed_blocks;

/// Gives freed blocks that came later than the image the contents of the image there.
static void clear_freed(
  latch_blocks *blocks, const latch_blocks_image *image, latch_freed_blocks *freed) {
  const char *slab = (const char *)image->blocks.slabs;
  for (size_t class = 0; class < LATCH_SIZE_CLASSES; class ++) {
    size_t length = (class + 1) * LATCH_GRAIN;
    for (latch_free *block = blocks->free[class]; block != NULL; block = block->next) {
      const char *start = (const char *)block;
      if (start < image->blocks.at || start >= blocks->end) continue;
      size_t place = (size_t)(start - slab);
      memcpy(block + 1, image->bytes + place + sizeof *block, length - sizeof *block);
      freed->ends[(place + length) / LATCH_GRAIN] = (uint8_t)(class + 1);
    }
  }
}

/// Forgets the freed blocks from `at` on.
static void forget_freed(latch_blocks *blocks, const char *at) {
  for (size_t class = 0; class < LATCH_SIZE_CLASSES; class ++) {
    latch_free **link = &blocks->free[class];
    while (*link != NULL) {
      const char *start = (const char *)*link;
      if (start >= at && start < blocks->end) *link = (*link)->next;
      else link = &(*link)->next;
    }
  }
}

void latch_tidy_blocks(latch_blocks *blocks, const latch_blocks_image *image) {
  const latch_slab *slab = image->blocks.slabs;
  if (slab == NULL || blocks->slabs != slab || slab->size != LATCH_ROOMY_SLAB) return;
  latch_freed_blocks freed = {{0}};
  clear_freed(blocks, image, &freed);
  size_t end = (size_t)(blocks->at - (const char *)slab), at = end;
  while (freed.ends[at / LATCH_GRAIN] > 0) at -= freed.ends[at / LATCH_GRAIN] * (size_t)LATCH_GRAIN;
  if (at == end) return;
  forget_freed(blocks, (const char *)slab + at);
  blocks->at = (char *)slab + at;
  memcpy(blocks->at, image->bytes + at, end - at);
}

void latch_walk_blocks(const latch_blocks *now, const latch_blocks_image *image, void *context,
  latch_visit_block *visit) {
  const char *then = image->bytes;
  for (latch_slab *slab = image->blocks.slabs; slab != NULL; slab = slab->next) {
    visit(context, slab, then, now == NULL ? slab->size : used_of(slab, now));
    then += slab->size;
  }
  for (latch_large *block = image->blocks.large; block != NULL; block = block->next) {
    size_t size = sizeof *block + block->size;
    visit(context, block, then, size);
    then += size;
  }
}

bool latch_keep_blocks(latch_blocks *blocks, latch_blocks_image *image) {
  image->size = 0;
  for (latch_slab *slab = blocks->slabs; slab != NULL; slab = slab->next) image->size += slab->size;
  for (latch_large *block = blocks->large; block != NULL; block = block->next) {
    image->size += sizeof *block + block->size;
  }
  image->bytes = malloc(image->size);
  if (image->bytes == NULL) return false;
  image->blocks = *blocks;
  char *at = image->bytes;
  for (latch_slab *slab = blocks->slabs; slab != NULL; slab = slab->next) {
    memcpy(at, slab, slab->size);
    at += slab->size;
  }
  for (latch_large *block = blocks->large; block != NULL; block = block->next) {
    block->is_kept = true;
    memcpy(at, block, sizeof *block + block->size);
    at += sizeof *block + block->size;
  }
  return true;
}

// Blocks that came later precede those that the image knows: lists grow at their heads.
void latch_restore_blocks(latch_blocks *blocks, const latch_blocks_image *image) {
  latch_blocks before = *blocks;
  latch_free_later(before.slabs, image->blocks.slabs, before.large, image->blocks.large);
  *blocks = image->blocks;
  const char *at = image->bytes;
  for (latch_slab *slab = blocks->slabs; slab != NULL; slab = slab->next) {
    memcpy(slab, at, used_of(slab, &before));
    at += slab->size;
  }
  for (latch_large *block = blocks->large; block != NULL; block = block->next) {
    size_t size = sizeof *block + block->size;
    memcpy(block, at, size);
    at += size;
  }
}
