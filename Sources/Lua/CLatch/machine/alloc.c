/// The memory of a VM: counted, limited, and never failing when a block shrinks.
///
/// An allocation over the limit is refused; Lua then collects garbage and tries again, and raises
/// "not enough memory" if that is refused too. A script that stays at its limit would collect at
/// every allocation, so too many refusals in one run end it.

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "machine/machine.h"

enum { LATCH_MOST_REFUSALS = 16 };

/// The memory of a small function's call, and a depth that no script reaches by chance: if such
/// calls fill a quarter of the memory, it is a stack overflow that ends the run.
enum { LATCH_BYTES_PER_CALL = 100, LATCH_DEEP = 1000 };

/// The size from which a vector is examined: it may be a stack that grows, or a large array.
enum { LATCH_LARGE_VECTOR = 10 << 10 };

/// Larger blocks are charged: making and filling one takes time that no instruction accounts for
/// (`s .. s` is one).
enum { LATCH_CHARGED_BLOCK = 4096, LATCH_BYTES_PER_INSTRUCTION = 64 };

static void charge(latch_vm *vm, size_t size) {
  if (vm->run.thread == NULL || size < LATCH_CHARGED_BLOCK) return;
  latch_spend(vm, (int64_t)(size / LATCH_BYTES_PER_INSTRUCTION));
  // Nothing can be raised here: the next instruction is the last.
  if (vm->budget.left < 0) latch_kill(vm, vm->run.current, LATCH_OUT_OF_INSTRUCTIONS);
}

/// No block is that large: C raises "not enough memory" by requesting one (no function of Lua does
/// so).
static const size_t LATCH_TOO_LARGE = SIZE_MAX / 4;

int latch_raise_no_memory(lua_State *L) {
  lua_newuserdatauv(L, LATCH_TOO_LARGE, 0);
  return 0;
}

/// Ends a script that stays at its limit.
void *latch_refuse_memory(latch_vm *vm) {
  vm->memory.refused++;
  if (vm->run.thread == NULL) return NULL;
  lua_Debug frame;
  size_t depth = vm->memory.limit / LATCH_BYTES_PER_CALL / 4;
  if (depth > LATCH_DEEP && lua_getstack(vm->run.current, (int)depth, &frame))
    vm->memory.deep = true;
  if (++vm->memory.refusals > LATCH_MOST_REFUSALS && vm->run.end == LATCH_ALIVE) {
    latch_kill(vm, vm->run.current, LATCH_OUT_OF_MEMORY);
  }
  return NULL;
}

bool latch_is_over_limit(const latch_vm *vm, size_t more) {
  if (vm->memory.limit == 0 || vm->unlimited > 0) return false;
  size_t used = vm->memory.used + vm->aside, limit = vm->memory.limit;
  return more > limit - (used < limit ? used : limit);
}

void latch_make_room(lua_State *L, size_t size) {
  latch_vm *vm = latch_of(L);
  if (size <= LUAL_BUFFERSIZE) return;  // it stays on the C stack
  size += size / 2;                     // the growth of such a buffer
  if (!latch_is_over_limit(vm, size)) return;
  latch_refuse_memory(vm);
  lua_gc(L, LUA_GCCOLLECT, 0);
  if (latch_is_over_limit(vm, size)) latch_raise_no_memory(L);
}

/// The block may be that of a coroutine: the first word of no other block looks like its extra
/// space (an object begins with an aligned pointer, and no script knows the VM's address).
static void forget_coroutine(latch_vm *vm, const void *block) {
  uintptr_t word = latch_first_word(block);
  if ((word & ~(uintptr_t)LATCH_THREAD_MARKS) != (uintptr_t)vm) return;
  // True for a script's coroutine that has not ended.
  if ((word & LATCH_THREAD_MARKS) == LATCH_THREAD_SCRIPTS) vm->coroutines--;
  latch_await_watch(vm);
}

static void *resize(latch_vm *vm, void *block, size_t held, size_t size) {
  return held == 0 ? latch_block(&vm->memory.blocks, size)
                   : latch_resize_block(&vm->memory.blocks, block, held, size);
}

/// If a called value is not a function, Lua looks for one in its `__call`, and in the `__call` of
/// that. No hook runs in that search, each step of it moves all arguments, and in a cycle it never
/// ends. But its stack grows. Nothing else makes a stack grow three times without an instruction
/// that the hook sees (a C function may, and then one that takes thousands of values as `...`).
__attribute__((noinline)) static bool has_lost_itself(latch_vm *vm, void *block, size_t size) {
  if (vm->run.thread == NULL || vm->unlimited > 0) return false;
  lua_State *L = vm->run.current;
  size_t slots = latch_stack_slots(L);
  bool is_stack =
    size >= 2 * slots * sizeof(latch_cell) && (block == NULL || latch_is_stack(L, block));
  if (vm->memory.grown_from == 0 || vm->memory.grown != L) {
    vm->memory.grown_from = slots;
    vm->memory.grown = L;
    vm->memory.has_grown = false;
    latch_look_at_next(L);
  } else if (is_stack && slots >= 2 * vm->memory.grown_from) {
    if (vm->memory.has_grown) {
      latch_kill(vm, L, LATCH_OUT_OF_CALLS);
      return true;
    }
    vm->memory.grown_from = slots;
    vm->memory.has_grown = true;
  }
  return false;
}

/// Charges for the work that goes with a new block. Returns false if that cannot be paid for; the
/// work is then not begun.
static inline bool charge_kind(latch_vm *vm, size_t type, size_t size) {
  if (type == LUA_TFUNCTION) latch_charge_closure(vm, size);
  return type != 0 || !vm->memory.has_large_vectors || latch_charge_rehash(vm, size);
}

void *latch_allocate(void *opaque, void *block, size_t old_size, size_t new_size) {
  latch_vm *vm = opaque;
  size_t held = block == NULL ? 0 : old_size;  // for a new block Lua passes a type, not a size
  if (new_size == 0) {
    if (held > sizeof(uintptr_t)) forget_coroutine(vm, block);
    latch_forget_string(vm, block, held);
    if (held > 0) latch_free_block(&vm->memory.blocks, block, held);
    vm->memory.used -= held;
    return NULL;
  }
  if (new_size >= LATCH_TOO_LARGE) return NULL;
  if (new_size >= LATCH_LARGE_VECTOR) {
    bool is_vector = block != NULL || old_size == 0;  // an object has a type
    if (is_vector && new_size > held) {
      vm->memory.has_large_vectors = true;
      if (has_lost_itself(vm, block, new_size)) return NULL;
    }
  }
  if (block == NULL && !charge_kind(vm, old_size, new_size)) return NULL;
  if (new_size > held && latch_is_over_limit(vm, new_size - held)) return latch_refuse_memory(vm);
  void *moved = resize(vm, block, held, new_size);
  if (moved == NULL && vm->unlimited > 0) {
    size_t most = vm->memory.blocks.most;
    vm->memory.blocks.most = 0;
    moved = resize(vm, block, held, new_size);
    vm->memory.blocks.most = most;
  }
  if (moved == NULL) return latch_refuse_memory(vm);
  if (new_size > held) charge(vm, new_size);
  if (block == NULL && old_size == LUA_TSTRING) latch_note_string(vm, moved, new_size);
  if (new_size > held) vm->memory.allocated += new_size - held;
  vm->memory.used += new_size - held;
  if (vm->memory.used > vm->memory.peak) vm->memory.peak = vm->memory.used;
  return moved;
}

/// glibc does so by itself until the first of these blocks is freed. From then on it takes blocks
/// of that size from its heap, where those that stay keep the ones before them: strings of 16 MB in
/// the state took 262 MiB, and take 215 MiB this way.
void latch_give_back_large_blocks(void) {
#ifdef M_MMAP_THRESHOLD
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
#endif
}
