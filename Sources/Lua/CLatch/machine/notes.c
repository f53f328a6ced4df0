/// Records all blocks of a VM that is to become a template.

#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"

/// A VM with more blocks takes more memory than a template is worth.
enum { LATCH_MOST_NOTED = 64 << 10 };

typedef struct {
  const char *start;
  size_t number;
} latch_event;

static int compare(const void *a, const void *b) {
  const latch_event *first = a, *second = b;
  if (first->start != second->start) return first->start < second->start ? -1 : 1;
  return first->number < second->number ? -1 : first->number > second->number;
}

bool latch_keep_latest(latch_notes *notes) {
  if (notes->count == 0) return !notes->failed;
  latch_event *events = malloc(notes->count * sizeof *events);
  latch_held *latest = malloc(notes->count * sizeof *latest);
  size_t count = 0;
  for (size_t i = 0; events != NULL && i < notes->count; i++) {
    events[i] = (latch_event){notes->blocks[i].start, i};
  }
  bool fine = events != NULL && latest != NULL && !notes->failed;
  if (fine) qsort(events, notes->count, sizeof *events, compare);
  for (size_t i = 0; fine && i < notes->count; i++) {
    bool is_last = i + 1 == notes->count || events[i + 1].start != events[i].start;
    const latch_held *block = &notes->blocks[events[i].number];
    if (is_last && block->size > 0) latest[count++] = *block;
  }
  free(events);
  free(notes->blocks);
  notes->blocks = latest;
  notes->count = notes->capacity = count;
  return fine && count <= LATCH_MOST_NOTED;
}

// MARK: Noting

enum { LATCH_FIRST_NOTES = 1024 };

/// Removes outdated notes, and makes room for as many again.
static bool make_room(latch_notes *notes) {
  if (!latch_keep_latest(notes)) return false;
  size_t capacity = 2 * notes->count + LATCH_FIRST_NOTES;
  latch_held *moved = realloc(notes->blocks, capacity * sizeof *moved);
  if (moved == NULL) return false;
  notes->blocks = moved;
  notes->capacity = capacity;
  return true;
}

static void note(latch_notes *notes, void *block, size_t size, int type) {
  if (notes->failed) return;
  notes->failed = notes->count == notes->capacity && !make_room(notes);
  if (notes->failed) return;
  notes->blocks[notes->count++] = (latch_held){block, size, type, LATCH_HOLDS_WORDS};
}

void *latch_allocate_noted(void *opaque, void *block, size_t old_size, size_t new_size) {
  latch_vm *vm = opaque;
  void *moved = latch_allocate(vm, block, old_size, new_size);
  if (new_size > 0 && moved == NULL) return NULL;
  // Old contents could look like an address where Lua leaves a gap, so they are cleared.
  size_t held = block == NULL ? 0 : old_size;
  if (new_size > held) memset((char *)moved + held, 0, new_size - held);
  if (block != NULL) note(vm->notes, block, 0, 0);
  // For a new object Lua passes its type; for a block that grows it passes the old size.
  if (new_size > 0) note(vm->notes, moved, new_size, block == NULL ? (int)old_size : 0);
  return moved;
}

latch_notes *latch_open_notes(void) { return calloc(1, sizeof(latch_notes)); }

void latch_close_notes(latch_notes *notes) {
  if (notes != NULL) free(notes->blocks);
  free(notes);
}
