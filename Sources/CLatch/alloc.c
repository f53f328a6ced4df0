/// The memory of a VM: counted, limited, and never failing when a block shrinks.
///
/// Over the limit an allocation is refused; Lua then collects garbage and tries again, and raises
/// "not enough memory" if that is refused too. A script that stays at its limit would collect at
/// every allocation, so too many refusals in one run end it.

#include <stdlib.h>

#include "vm.h"

enum { LATCH_MOST_REFUSALS = 16 };

/// What a call of a small function takes, and how many are no accident: where calls fill a quarter of
/// the memory, it is a stack overflow that ends the run.
enum { LATCH_BYTES_PER_CALL = 100, LATCH_DEEP = 1000 };

/// From which size on a stack that grows is looked at.
enum { LATCH_LARGE_STACK = 16 << 10 };

/// Blocks from here on are charged: to make one, and to fill it, takes time that no instruction
/// stands for (`s .. s` is one).
enum { LATCH_CHARGED_BLOCK = 4096, LATCH_BYTES_PER_INSTRUCTION = 64 };

static void charge(latch_vm *vm, size_t size) {
  if (vm->running == NULL || size < LATCH_CHARGED_BLOCK) return;
  latch_spend(vm, (int64_t)(size / LATCH_BYTES_PER_INSTRUCTION));
  // Nothing can be raised here: the next instruction is the last.
  if (vm->budget < 0) latch_kill(vm, vm->current, LATCH_OUT_OF_INSTRUCTIONS);
}

/// No block is that large: asking for one is how C raises "not enough memory" (no function of
/// Lua's does so).
static const size_t LATCH_TOO_LARGE = SIZE_MAX / 4;

int latch_raise_no_memory(lua_State *L) {
  lua_newuserdatauv(L, LATCH_TOO_LARGE, 0);
  return 0;
}

/// A script that stays at its limit is ended.
static void *refuse(latch_vm *vm) {
  vm->refused++;
  if (vm->running == NULL) return NULL;
  lua_Debug frame;
  size_t depth = vm->limit / LATCH_BYTES_PER_CALL / 4;
  if (depth > LATCH_DEEP && lua_getstack(vm->current, (int)depth, &frame)) vm->deep = true;
  if (++vm->refusals > LATCH_MOST_REFUSALS && vm->end == LATCH_ALIVE) {
    latch_kill(vm, vm->current, LATCH_OUT_OF_MEMORY);
  }
  return NULL;
}

static bool is_over_limit(const latch_vm *vm, size_t more) {
  if (vm->limit == 0 || vm->unlimited > 0) return false;
  return more > vm->limit - (vm->used < vm->limit ? vm->used : vm->limit);
}

static void *resize(latch_vm *vm, void *block, size_t held, size_t size) {
  return held == 0 ? latch_block(&vm->blocks, size)
                   : latch_resize_block(&vm->blocks, block, held, size);
}

/// True for the block of a script's coroutine that has not come to its end: it begins with its extra
/// space, which no other block's first word looks like (an object begins with an aligned pointer, and
/// no script knows the VM's address).
static bool is_live_coroutine(const latch_vm *vm, const void *block) {
  uintptr_t word;
  __builtin_memcpy(&word, block, sizeof word);
  return word == ((uintptr_t)vm | LATCH_THREAD_SCRIPTS);
}

/// A stack grows to twice its size, the spare slots at its end not counted, in a block of its own or in that which
/// it had; before Lua 5.4.3 they were counted. Nothing else that Lua makes grows so while
/// a script runs: the arrays of tables have powers of two, and their other parts are made anew.
static bool is_growing_stack(size_t before, size_t held, size_t size) {
  enum { SLOT = 16, SPARE_SLOTS = 5 };
  if (held != 0 && held != before) return false;
  if (size + SPARE_SLOTS * SLOT == 2 * before) return true;
  return held != 0 && size == 2 * before && (before & (before - 1)) != 0;
}

/// Where a value that is called is none to be called, Lua looks for one behind its `__call`, and behind that
/// one's: no hook runs in that search, each step of which moves all arguments, and it never ends where they
/// lead in a circle. Its stack grows, though: to four times its size without an instruction that the hook sees
/// nothing else makes a stack grow (to twice a function does that takes thousands of values as `...`).
__attribute__((noinline)) static bool has_lost_itself(latch_vm *vm, size_t held, size_t size) {
  if (vm->running == NULL || vm->unlimited > 0 || size <= held) return false;
  size_t before = vm->grown_stack;
  bool grows = before > 0 && is_growing_stack(before, held, size);
  if (grows && vm->stack_has_grown) {
    latch_kill(vm, vm->current, LATCH_OUT_OF_CALLS);
    return true;
  }
  vm->stack_has_grown = grows;
  vm->grown_stack = size;
  latch_look_at_next(vm->current);
  return false;
}

void *latch_allocate(void *opaque, void *block, size_t old_size, size_t new_size) {
  latch_vm *vm = opaque;
  size_t held = block == NULL ? 0 : old_size;  // for a new block Lua passes a type, not a size
  if (new_size == 0) {
    if (held > sizeof(uintptr_t) && is_live_coroutine(vm, block)) vm->coroutines--;
    latch_forget_string(vm, block, held);
    if (held > 0) latch_free_block(&vm->blocks, block, held);
    vm->used -= held;
    return NULL;
  }
  if (new_size >= LATCH_TOO_LARGE) return NULL;
  if (new_size >= LATCH_LARGE_STACK) {
    bool is_vector = block != NULL || old_size == 0;  // an object has a type
    if (is_vector && has_lost_itself(vm, held, new_size)) return NULL;
  }
  if (new_size > held && is_over_limit(vm, new_size - held)) return refuse(vm);
  void *moved = resize(vm, block, held, new_size);
  if (moved == NULL && vm->unlimited > 0) {
    size_t most = vm->blocks.most;
    vm->blocks.most = 0;
    moved = resize(vm, block, held, new_size);
    vm->blocks.most = most;
  }
  if (moved == NULL) return refuse(vm);
  if (new_size > held) charge(vm, new_size);
  if (block == NULL && old_size == LUA_TSTRING) latch_note_string(vm, moved, new_size);
  if (new_size > held) vm->allocated += new_size - held;
  vm->used += new_size - held;
  if (vm->used > vm->peak) vm->peak = vm->used;
  return moved;
}

void latch_buffer_clear(latch_buffer *buffer) {
  buffer->length = 0;
  buffer->failed = false;
}

void latch_buffer_free(latch_buffer *buffer) {
  free(buffer->bytes);
  *buffer = (latch_buffer){0};
}

void latch_buffer_add(latch_buffer *buffer, const void *bytes, size_t length) {
  if (buffer->most > 0 && length > buffer->most - buffer->length) buffer->failed = true;
  if (buffer->failed) return;
  if (length > buffer->capacity - buffer->length) {
    size_t capacity = buffer->capacity < 64 ? 64 : buffer->capacity;
    while (capacity - buffer->length < length) capacity *= 2;
    uint8_t *moved = realloc(buffer->bytes, capacity);
    if (moved == NULL) {
      buffer->failed = true;
      return;
    }
    buffer->bytes = moved;
    buffer->capacity = capacity;
  }
  if (length > 0) __builtin_memcpy(buffer->bytes + buffer->length, bytes, length);
  buffer->length += length;
}

void latch_buffer_add_start(latch_buffer *buffer, const char *text, size_t length) {
  bool whole = length <= LATCH_LONGEST_MESSAGE;
  latch_buffer_add(buffer, text, whole ? length : LATCH_LONGEST_MESSAGE);
  if (!whole) latch_buffer_text(buffer, "...");
}

void latch_buffer_text(latch_buffer *buffer, const char *text) {
  latch_buffer_add(buffer, text, __builtin_strlen(text));
}
