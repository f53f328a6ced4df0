/// Arrays in C memory that scripts can make grow, and indices of them: they count as the VM's
/// memory.

#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"

enum { LATCH_FIRST_ITEMS = 8 };

/// Changes the size of a block outside of Lua's memory. Returns false if there is no room for it.
static bool resize_aside(latch_vm *vm, void **block, size_t held, size_t size) {
  if (size > held && latch_is_over_limit(vm, size - held)) return false;
  void *moved = realloc(*block, size);
  if (moved == NULL) return false;
  *block = moved;
  vm->aside += size - held;
  return true;
}

static void grow_aside(lua_State *L, void **block, size_t held, size_t size) {
  latch_vm *vm = latch_of(L);
  if (resize_aside(vm, block, held, size)) return;
  latch_refuse_memory(vm);
  lua_gc(L, LUA_GCCOLLECT, 0);
  if (!resize_aside(vm, block, held, size)) latch_raise_no_memory(L);
}

void latch_array_grow(lua_State *L, latch_array *array, size_t width) {
  uint32_t capacity = array->capacity == 0 ? LATCH_FIRST_ITEMS : 2 * array->capacity;
  if (capacity < array->capacity) latch_raise_no_memory(L);
  grow_aside(L, &array->items, array->capacity * width, capacity * width);
  array->capacity = capacity;
}

void latch_array_free(latch_vm *vm, latch_array *array, size_t width) {
  vm->aside -= array->capacity * width;
  free(array->items);
  *array = (latch_array){0};
}

void latch_index_clear(lua_State *L, latch_index *index, uint32_t count) {
  uint32_t slots = 8 * LATCH_FIRST_ITEMS;
  while (slots / 4 < count) slots *= 4;
  if (slots > index->capacity) {
    void *block = index->slots;
    grow_aside(L, &block, index->capacity * sizeof *index->slots, slots * sizeof *index->slots);
    index->slots = block;
    index->capacity = slots;
  }
  memset(index->slots, 0, slots * sizeof *index->slots);
  index->mask = slots - 1;
}

void latch_index_free(latch_vm *vm, latch_index *index) {
  vm->aside -= index->capacity * sizeof *index->slots;
  free(index->slots);
  *index = (latch_index){0};
}
