/// An image of a VM: everything that it holds at one moment, to go back to.
///
/// A VM in which a flow is loaded looks the same each time, and to fill its memory with what it
/// held takes a small part of the time that making another one takes. Going back puts every byte in
/// its place again, Lua's own state among them: of what ran in between nothing is left, wherever it
/// was.

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

bool latch_keep_image(latch_vm *vm) {
  // Nothing may be under way, and what is not copied has to be empty.
  if (vm->image != NULL || latch_is_at_work(vm) || vm->in_transition || vm->recording >= 0)
    return false;
  if (vm->covers || vm->huge_count > 0) return false;
  vm->image = calloc(1, sizeof *vm->image);
  if (vm->image == NULL) return false;
  memcpy(vm->image->fields, vm, sizeof vm->image->fields);
  if (keep_readers(vm->image, vm) && latch_keep_blocks(&vm->memory.blocks, &vm->image->blocks))
    return true;
  latch_drop_image(vm);
  return false;
}

void latch_drop_image(latch_vm *vm) {
  if (vm->image == NULL) return;
  free(vm->image->blocks.bytes);
  free(vm->image->readers);
  free(vm->image);
  vm->image = NULL;
}

/// One that a large value has filled is not kept for what comes later.
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
  latch_restore_blocks(&vm->memory.blocks, &image->blocks);
  memcpy(vm, image->fields, sizeof image->fields);
  vm->huge_count = 0;
  size_t count = (size_t)vm->reader_count;  // readers are only ever added
  if (count > 0) memcpy(vm->readers, image->readers, count * sizeof *image->readers);
  latch_forget_call(vm);
  return true;
}
