/// Images of a VM: everything that it holds at one moment, to restore it later.
///
/// A VM in which a flow is loaded looks the same each time, and restoring its memory takes a small
/// part of the time that making another VM takes. Restoring puts every byte in its place again,
/// including Lua's own state: nothing of what ran in between is left. A VM may have a further image
/// before the first one for a while, if its present contents are to be restored repeatedly.

#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"

static bool keep_readers(latch_image *image, const latch_vm *vm) {
  size_t count = (size_t)vm->reader_count;
  if (count == 0) return true;
  image->readers = malloc(count * sizeof *image->readers);
  if (image->readers == NULL) return false;
  memcpy(image->readers, vm->readers, count * sizeof *image->readers);
  image->reader_count = vm->reader_count;
  return true;
}

/// The newest image, made while nothing runs and everything that is not copied is empty. The image
/// before stays as it is: blocks that came later precede its own, as they do without this one.
static bool add_image(latch_vm *vm) {
  if (latch_is_at_work(vm) || vm->in_transaction || vm->recording >= 0) return false;
  if (vm->huge_count > 0) return false;
  latch_image *image = calloc(1, sizeof *image);
  if (image == NULL) return false;
  memcpy(image->fields, vm, sizeof image->fields);
  image->before = vm->image;
  vm->image = image;
  if (keep_readers(image, vm) && latch_copy_covered(vm->covered, &image->covered) &&
      latch_keep_blocks(&vm->memory.blocks, &image->blocks)) {
    return true;
  }
  latch_drop_image(vm);
  return false;
}

bool latch_keep_image(latch_vm *vm) { return vm->image == NULL && add_image(vm); }

bool latch_keep_further_image(latch_vm *vm) { return vm->image != NULL && add_image(vm); }

void latch_drop_image(latch_vm *vm) {
  latch_image *image = vm->image;
  if (image == NULL) return;
  vm->image = image->before;
  free(image->blocks.bytes);
  free(image->readers);
  latch_free_covered(&image->covered);
  free(image);
}

void latch_drop_further_image(latch_vm *vm) {
  if (vm->image != NULL && vm->image->before != NULL) latch_drop_image(vm);
}

/// A buffer that a large value has filled is not kept.
enum { LATCH_SPARE_BUFFER = 64 << 10 };

static void clear_buffer(latch_buffer *buffer) {
  latch_buffer_clear(buffer);
  if (buffer->capacity <= LATCH_SPARE_BUFFER) return;
  free(buffer->bytes);
  buffer->bytes = NULL;
  buffer->capacity = 0;
}

void latch_forget_call(latch_vm *vm) {
  latch_buffer *buffers[LATCH_BUFFERS];
  latch_list_buffers(vm, buffers);
  for (int i = 0; i < LATCH_BUFFERS; i++) clear_buffer(buffers[i]);
  vm->failure.status = LATCH_OK;
  vm->failure.line = 0;
  vm->failure.incomplete = false;
  vm->payload_is_known = false;
  latch_mark_progress(vm, false);
}

bool latch_go_back(latch_vm *vm) {
  const latch_image *image = vm->image;
  if (image == NULL || latch_is_at_work(vm)) return false;
  latch_await_watch(vm);
  latch_restore_blocks(&vm->memory.blocks, &image->blocks);
  memcpy(vm, image->fields, sizeof image->fields);
  vm->huge_count = 0;
  size_t count = (size_t)vm->reader_count;  // readers are only ever added
  if (count > 0) memcpy(vm->readers, image->readers, count * sizeof *image->readers);
  latch_restore_covered(vm, image->covered);
  latch_forget_call(vm);
  return true;
}
