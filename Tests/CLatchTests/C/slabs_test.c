/// Blocks keep what is written to them through every change of size, do not overlap, and are all
/// given back.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"

enum { BLOCKS = 500, STEPS = 200000 };

typedef struct {
  unsigned char *bytes;
  size_t size;
  unsigned char mark;
} block;

static int checks, faults;

static void check(bool fine, const char *what, int line) {
  checks++;
  if (fine) return;
  faults++;
  fprintf(stderr, "slabs_test.c:%d: %s\n", line, what);
}
#define CHECK(condition) check(condition, #condition, __LINE__)

static uint64_t seed = 1;
static size_t chance(size_t below) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (size_t)(seed >> 33) % below;
}

static size_t any_size(void) {
  switch (chance(4)) {
    case 0: return 1 + chance(5000);
    case 1: return 500 + chance(30);  // about the border between small and large
    default: return 1 + chance(200);
  }
}

static bool holds_mark(const block *it, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (it->bytes[i] != it->mark) return false;
  }
  return true;
}

static void step(latch_blocks *blocks, block *it) {
  if (it->bytes == NULL) {
    it->size = any_size();
    it->bytes = latch_block(blocks, it->size);
  } else if (chance(2) == 0) {
    CHECK(holds_mark(it, it->size));
    latch_free_block(blocks, it->bytes, it->size);
    it->bytes = NULL;
    return;
  } else {
    size_t size = any_size();
    it->bytes = latch_resize_block(blocks, it->bytes, it->size, size);
    CHECK(it->bytes != NULL && holds_mark(it, size < it->size ? size : it->size));
    it->size = size;
  }
  CHECK(it->bytes != NULL && (uintptr_t)it->bytes % LATCH_GRAIN == 0);
  it->mark = (unsigned char)chance(256);
  memset(it->bytes, it->mark, it->size);
}

static void keeps_what_is_written(void) {
  static block all[BLOCKS];
  latch_blocks blocks = {0};
  for (int i = 0; i < STEPS; i++) step(&blocks, &all[chance(BLOCKS)]);
  for (int i = 0; i < BLOCKS; i++) {
    if (all[i].bytes != NULL) CHECK(holds_mark(&all[i], all[i].size));
  }
  latch_free_blocks(&blocks);
  CHECK(blocks.slabs == NULL && blocks.large == NULL && blocks.slab_bytes == 0);
}

static void uses_freed_blocks_again(void) {
  latch_blocks blocks = {0};
  for (int i = 0; i < 100000; i++) latch_free_block(&blocks, latch_block(&blocks, 100), 100);
  CHECK(blocks.slab_bytes <= 8 << 10);
  latch_free_blocks(&blocks);
}

static void takes_no_more_than_it_may(void) {
  latch_blocks blocks = {.most = 100 << 10};
  void *last = NULL;
  for (int i = 0; i < 100000; i++) {
    void *next = latch_block(&blocks, 64);
    if (next == NULL) break;
    last = next;
  }
  CHECK(blocks.slab_bytes <= blocks.most);
#ifndef LATCH_PLAIN_BLOCKS
  CHECK(latch_block(&blocks, 64) == NULL);
  CHECK(latch_resize_block(&blocks, last, 64, 128) == NULL);
  CHECK(latch_resize_block(&blocks, last, 64, 20) != NULL);  // shrinking never fails
#endif
  (void)last;
  latch_free_blocks(&blocks);
}

/// Whatever happens to the blocks of an image, going back gives them what they held.
static void goes_back_to_an_image(void) {
  static block all[BLOCKS], later[BLOCKS], kept[BLOCKS];
  latch_blocks blocks = {0};
  latch_blocks_image image;
  memset(all, 0, sizeof all);
  for (int i = 0; i < STEPS / 10; i++) step(&blocks, &all[chance(BLOCKS)]);
  CHECK(latch_keep_blocks(&blocks, &image));
  memcpy(kept, all, sizeof all);
  size_t bytes = blocks.slab_bytes;
  for (int round = 0; round < 20; round++) {
    memset(later, 0, sizeof later);
    for (int i = 0; i < STEPS / 10; i++) {
      step(&blocks, chance(2) == 0 ? &all[chance(BLOCKS)] : &later[chance(BLOCKS)]);
    }
    latch_restore_blocks(&blocks, &image);
    memcpy(all, kept, sizeof all);
    for (int i = 0; i < BLOCKS; i++) {
      if (all[i].bytes != NULL) CHECK(holds_mark(&all[i], all[i].size));
    }
    CHECK(blocks.slab_bytes == bytes);
  }
  free(image.bytes);
  latch_free_blocks(&blocks);
}

int main(void) {
  goes_back_to_an_image();
  keeps_what_is_written();
  uses_freed_blocks_again();
  takes_no_more_than_it_may();
  printf("slabs: %d checks, %d failed\n", checks, faults);
  return faults > 0;
}
