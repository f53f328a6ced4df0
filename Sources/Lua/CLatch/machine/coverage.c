/// Records which lines of the scripts have run, by a line hook, and only in a VM in which that is
/// turned on.
///
/// A file is identified by its chunk's name. Each of its lines has two bits: the line has run, and
/// a function that begins there was called. The bits grow as needed. An image of the
/// VM has a copy of them. Files are never removed, so that a return to an image allocates nothing.

#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"

struct latch_covered_file {
  latch_covered_file *next;
  char *name;
  uint8_t *bits;
  size_t size;  ///< in bytes
};

static latch_covered_file *find_file(latch_covered_file *files, const char *name) {
  latch_covered_file *file = files;
  while (file != NULL && strcmp(file->name, name) != 0) file = file->next;
  return file;
}

/// Adds a file without lines; NULL if there is no memory.
static latch_covered_file *add_file(latch_covered_file **files, const char *name) {
  latch_covered_file *file = calloc(1, sizeof *file);
  if (file == NULL) return NULL;
  size_t length = strlen(name) + 1;
  file->name = malloc(length);
  if (file->name == NULL) {
    free(file);
    return NULL;
  }
  memcpy(file->name, name, length);
  file->next = *files;
  *files = file;
  return file;
}

static latch_covered_file *file_named(latch_vm *vm, const char *name) {
  latch_covered_file *file = find_file(vm->covered, name);
  return file != NULL ? file : add_file(&vm->covered, name);
}

static bool make_room(latch_covered_file *file, size_t size) {
  if (size <= file->size) return true;
  size_t new_size = size * 2 + 64;
  uint8_t *bits = realloc(file->bits, new_size);
  if (bits == NULL) return false;
  memset(bits + file->size, 0, new_size - file->size);
  file->bits = bits;
  file->size = new_size;
  return true;
}

/// Without memory the line counts as not run: nothing else depends on it.
static void note(latch_covered_file *file, size_t bit) {
  if (file == NULL || !make_room(file, bit / 8 + 1)) return;
  file->bits[bit / 8] |= (uint8_t)(1u << bit % 8);
}

void latch_note_line(latch_vm *vm, lua_State *L, lua_Debug *frame) {
  lua_getinfo(L, "Sl", frame);
  if (frame->currentline < 1 || strcmp(frame->source, LATCH_PRELUDE_CHUNK) == 0) return;
  latch_covered_file *file = file_named(vm, latch_chunk_name(frame->source));
  note(file, 2 * (size_t)frame->currentline);
  if (frame->linedefined > 0) note(file, 2 * (size_t)frame->linedefined + 1);
}

void latch_cover_lines(latch_vm *vm) { vm->covers = true; }

bool latch_covered(const latch_vm *vm, size_t index, const char **name, latch_bytes *bits) {
  const latch_covered_file *file = vm->covered;
  while (file != NULL && index-- > 0) file = file->next;
  if (file == NULL) return false;
  *name = file->name;
  *bits = (latch_bytes){file->bits, file->size};
  return true;
}

void latch_free_covered(latch_covered_file **files) {
  while (*files != NULL) {
    latch_covered_file *file = *files;
    *files = file->next;
    free(file->name);
    free(file->bits);
    free(file);
  }
}

// MARK: Images

bool latch_copy_covered(const latch_covered_file *files, latch_covered_file **copy) {
  for (const latch_covered_file *file = files; file != NULL; file = file->next) {
    latch_covered_file *copied = add_file(copy, file->name);
    if (copied == NULL || !make_room(copied, file->size)) return false;
    if (file->size > 0) memcpy(copied->bits, file->bits, file->size);
  }
  return true;
}

void latch_restore_covered(latch_vm *vm, latch_covered_file *files) {
  for (latch_covered_file *file = vm->covered; file != NULL; file = file->next) {
    if (file->size == 0) continue;
    memset(file->bits, 0, file->size);
    const latch_covered_file *then = find_file(files, file->name);
    if (then == NULL || then->size == 0) continue;
    memcpy(file->bits, then->bits, then->size < file->size ? then->size : file->size);
  }
}
