/// Growing buffers of bytes, in C memory: they survive whatever happens to Lua.

#include <stdlib.h>

#include "machine/machine.h"

void latch_list_buffers(latch_vm *vm, latch_buffer *buffers[LATCH_BUFFERS]) {
  latch_buffer *all[LATCH_BUFFERS] = {
    &vm->out,
    &vm->reply,
    &vm->arguments,
    &vm->reason,
    &vm->scratch,
    &vm->patch,
    &vm->payload,
    &vm->log.paths,
    &vm->log.pieces,
    &vm->log.fillings,
    &vm->failure.message,
    &vm->failure.chunk,
    &vm->failure.traceback,
    &vm->failure.value,
  };
  __builtin_memcpy(buffers, all, sizeof all);
}

void latch_buffer_clear(latch_buffer *buffer) {
  buffer->length = 0;
  buffer->failed = false;
}

void latch_buffer_free(latch_buffer *buffer) {
  free(buffer->bytes);
  *buffer = (latch_buffer){0};
}

bool latch_buffer_grow(latch_buffer *buffer, size_t length) {
  if (buffer->most > 0 && length > buffer->most - buffer->length) buffer->failed = true;
  if (buffer->failed) return false;
  if (length <= buffer->capacity - buffer->length) return true;
  size_t capacity = buffer->capacity < 64 ? 64 : buffer->capacity;
  while (capacity - buffer->length < length) capacity *= 2;
  uint8_t *moved = realloc(buffer->bytes, capacity);
  if (moved == NULL) {
    buffer->failed = true;
    return false;
  }
  buffer->bytes = moved;
  buffer->capacity = capacity;
  return true;
}

void latch_buffer_add_start(latch_buffer *buffer, const char *text, size_t length) {
  bool whole = length <= LATCH_LONGEST_MESSAGE;
  size_t start = whole ? length : LATCH_LONGEST_MESSAGE;
  while (!whole && start > 0 && ((unsigned char)text[start] & 0xc0) == 0x80)
    start--;  // no half character
  latch_buffer_add(buffer, text, start);
  if (!whole) latch_buffer_text(buffer, "...");
}

void latch_buffer_text(latch_buffer *buffer, const char *text) {
  latch_buffer_add(buffer, text, __builtin_strlen(text));
}
