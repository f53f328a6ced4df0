/// A VM template: the contents of a loaded VM, from which others are cloned.
///
/// A VM in which a flow is loaded looks the same each time, except for the addresses in it. So one
/// VM is made in which each block is known, and a copy of all its blocks that records the positions
/// of addresses. Cloning copies that and relocates the addresses. A clone is one block without
/// gaps, so it is smaller than a VM that grew piece by piece.
///
/// Immutable parts are not copied: the instructions of functions, their lines and the names of
/// their locals stay in the template, which exists as long as the VMs cloned from it.

#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"

enum { LATCH_WORD = sizeof(uintptr_t) };

/// After the copy there is room for a little more, which a host adds when it begins.
enum { LATCH_CLONE_RESERVE = 512 };

/// The colour of objects that the collector has visited: it asks nothing more of them.
enum { LATCH_BLACK = 1 << 5 };

/// The origin to which an address in the copy is relative.
typedef enum { LATCH_FROM_BYTES, LATCH_FROM_VM, LATCH_ORIGINS } latch_origin;

typedef struct {
  uint32_t *words;  ///< the words that hold one
  size_t count, capacity;
} latch_addresses;

struct latch_template {
  atomic_size_t users;  ///< its VMs, and its owner
  char *bytes;          ///< the contents of the blocks, preceded by a slab's header
  size_t size;
  char *shared;  ///< the memory that the VMs share
  size_t shared_size;
  char fields[offsetof(latch_vm, image)];
  latch_addresses in_bytes[LATCH_ORIGINS], in_fields[LATCH_ORIGINS];
  latch_reader *readers;
  int32_t reader_count;
  size_t memory_limit;
};

// MARK: Making one

/// The position of a block in the copy, or in the memory that the VMs share.
typedef struct {
  size_t place;
  bool is_shared;
  bool is_name;       ///< a string that names a local or an upvalue, of which there is one more
                      ///< copy
  size_t name_place;  ///< in the shared memory
} latch_place_of;

typedef struct {
  const latch_vm *vm;
  latch_template *vm_template;
  latch_held *blocks;
  latch_place_of *places;  ///< of each block
  size_t count;
  bool failed;
  // The block that is being copied: its first word, and that of its copy.
  const char *from;
  char *to;
  latch_addresses *addresses;
  size_t first;  ///< the number of that word
} latch_template_builder;

static void add_word(latch_template_builder *builder, latch_addresses *addresses, size_t word) {
  if (addresses->count == addresses->capacity) {
    size_t capacity = addresses->capacity == 0 ? 256 : 2 * addresses->capacity;
    uint32_t *moved = realloc(addresses->words, capacity * sizeof *moved);
    builder->failed = builder->failed || moved == NULL;
    if (moved == NULL) return;
    addresses->words = moved;
    addresses->capacity = capacity;
  }
  addresses->words[addresses->count++] = (uint32_t)word;
}

static latch_place_of *place_of(const latch_template_builder *builder, uintptr_t address) {
  const latch_held *block = latch_held_at(builder->blocks, builder->count, (const void *)address);
  return block == NULL ? NULL : &builder->places[block - builder->blocks];
}

/// Writes an address into the copy: an address in the shared memory as it is, others relative to
/// their origin.
static void copy_address(void *context, uintptr_t *word, uintptr_t inside) {
  latch_template_builder *builder = context;
  size_t at = (size_t)((const char *)word - builder->from);
  uintptr_t *copy = (uintptr_t *)(builder->to + at);
  uintptr_t of_vm = *word - (uintptr_t)builder->vm;
  const latch_held *block = latch_held_at(builder->blocks, builder->count, (const void *)inside);
  if (*word == 0 || (block == NULL && of_vm > LATCH_THREAD_MARKS)) return;
  latch_origin origin = block == NULL ? LATCH_FROM_VM : LATCH_FROM_BYTES;
  if (block == NULL) {
    *copy = of_vm;
  } else {
    const latch_place_of *place = &builder->places[block - builder->blocks];
    *copy = place->place + (*word - (uintptr_t)block->start);
    if (place->is_shared) {
      *copy += (uintptr_t)builder->vm_template->shared;
      return;
    }
  }
  add_word(builder, &builder->addresses[origin], builder->first + at / LATCH_WORD);
}

static bool is_shared(const latch_held *block) {
  return block->contents == LATCH_HOLDS_BYTES || block->contents == LATCH_HOLDS_NAMES;
}

static size_t round_up(size_t size) { return (size + LATCH_WORD - 1) / LATCH_WORD * LATCH_WORD; }

/// A string is needed that is in the shared memory.
static void note_name(void *context, uintptr_t *word, uintptr_t inside) {
  (void)inside;
  latch_place_of *place = place_of(context, *word);
  if (place != NULL) place->is_name = true;
}

static void copy_name(void *context, uintptr_t *word, uintptr_t inside) {
  (void)inside;
  const latch_template_builder *builder = context;
  const latch_place_of *place = place_of(builder, *word);
  if (place == NULL) return;
  uintptr_t name = (uintptr_t)(builder->vm_template->shared + place->name_place);
  memcpy(builder->to + ((const char *)word - builder->from), &name, sizeof name);
}

/// Gives every block its position.
static void find_places(latch_template_builder *builder) {
  latch_template *vm_template = builder->vm_template;
  for (size_t i = 0; i < builder->count; i++) {
    const latch_held *block = &builder->blocks[i];
    bool shared = is_shared(block);
    size_t *size = shared ? &vm_template->shared_size : &vm_template->size;
    builder->places[i].place = *size;
    builder->places[i].is_shared = shared;
    *size += round_up(block->size);
    if (shared) latch_visit_addresses(block, note_name, builder);
  }
  for (size_t i = 0; i < builder->count; i++) {
    if (!builder->places[i].is_name) continue;
    builder->places[i].name_place = vm_template->shared_size;
    vm_template->shared_size += round_up(builder->blocks[i].size);
  }
}

/// Copies the shared memory. A name is in no list of a collector, and is compared only by its text.
static void copy_shared(latch_template_builder *builder, const latch_held *block, char *to) {
  builder->to = to;
  memcpy(to, block->start, block->size);
  latch_visit_addresses(block, copy_name, builder);
}

static void share_name(const latch_held *block, char *to) {
  memcpy(to, block->start, block->size);
  lua_string_part *name = (lua_string_part *)to;
  name->next = NULL;
  name->mark = LATCH_BLACK;
}

static void copy_blocks(latch_template_builder *builder) {
  latch_template *vm_template = builder->vm_template;
  for (size_t i = 0; i < builder->count && !builder->failed; i++) {
    const latch_held *block = &builder->blocks[i];
    const latch_place_of *place = &builder->places[i];
    builder->from = block->start;
    if (place->is_name) share_name(block, vm_template->shared + place->name_place);
    if (place->is_shared) {
      copy_shared(builder, block, vm_template->shared + place->place);
      continue;
    }
    builder->to = vm_template->bytes + place->place;
    builder->addresses = vm_template->in_bytes;
    builder->first = place->place / LATCH_WORD;
    memcpy(builder->to, block->start, block->size);
    latch_visit_addresses(block, copy_address, builder);
  }
}

/// The VM's fields hold addresses too: of Lua's objects, and of its own.
static void copy_fields(latch_template_builder *builder) {
  latch_template *vm_template = builder->vm_template;
  latch_held fields = {
    (char *)(uintptr_t)builder->vm, sizeof vm_template->fields, 0, LATCH_HOLDS_WORDS};
  builder->from = fields.start;
  builder->to = vm_template->fields;
  builder->addresses = vm_template->in_fields;
  builder->first = 0;
  memcpy(vm_template->fields, fields.start, sizeof vm_template->fields);
  latch_visit_addresses(&fields, copy_address, builder);
  // A word of these parts, which scripts influence, is not an address.
  static const struct {
    size_t start, size;
  } bits[] = {
    {offsetof(latch_vm, without_hook), sizeof builder->vm->without_hook},
    {offsetof(latch_vm, reads_payload), sizeof builder->vm->reads_payload},
    {offsetof(latch_vm, machine_fields), sizeof builder->vm->machine_fields},
    {offsetof(latch_vm, read_places), sizeof builder->vm->read_places},
    {offsetof(latch_vm, conditions), sizeof builder->vm->conditions},
  };
  const latch_addresses *found = &vm_template->in_fields[LATCH_FROM_BYTES];
  for (size_t i = 0; i < found->count; i++) {
    for (size_t j = 0; j < sizeof bits / sizeof *bits; j++) {
      size_t at = found->words[i] * (size_t)LATCH_WORD - bits[j].start;
      if (at < bits[j].size) builder->failed = true;
    }
  }
}

static bool keep_readers(latch_template *vm_template, const latch_vm *vm) {
  size_t size = (size_t)vm->reader_count * sizeof *vm_template->readers;
  if (size == 0) return true;
  vm_template->readers = malloc(size);
  if (vm_template->readers == NULL) return false;
  memcpy(vm_template->readers, vm->readers, size);
  vm_template->reader_count = vm->reader_count;
  return true;
}

static bool make(latch_vm *vm, latch_template *vm_template) {
  latch_notes *notes = vm->notes;
  if (!latch_keep_latest(notes) || !latch_look_into_blocks(notes->blocks, notes->count))
    return false;
  latch_template_builder builder = {.vm = vm, .vm_template = vm_template, .blocks = notes->blocks};
  builder.count = notes->count;
  builder.places = calloc(notes->count, sizeof *builder.places);
  if (builder.places == NULL) return false;
  vm_template->size = latch_slab_header();
  find_places(&builder);
  vm_template->bytes = calloc(1, vm_template->size);
  vm_template->shared = calloc(1, vm_template->shared_size + 1);
  bool fine =
    vm_template->bytes != NULL && vm_template->shared != NULL && vm_template->size < UINT32_MAX;
  if (fine) {
    copy_blocks(&builder);
    copy_fields(&builder);
  }
  free(builder.places);
  if (!fine || builder.failed) return false;
  if (!keep_readers(vm_template, vm)) return false;
  vm_template->memory_limit = vm->memory.limit;
  return true;
}

latch_template *latch_make_template(latch_vm *vm) {
  // Nothing may run, and everything that is not copied must be empty.
  bool is_at_rest = vm->notes != NULL && vm->image == NULL && !latch_is_at_work(vm) &&
                    !vm->in_transaction && vm->recording < 0 && !vm->covers &&
                    vm->huge_count == 0 && vm->coroutines == 0;
  if (!is_at_rest) return NULL;
  latch_template *vm_template = calloc(1, sizeof *vm_template);
  if (vm_template == NULL) return NULL;
  atomic_init(&vm_template->users, 1);
  lua_setallocf(vm->L, latch_allocate, vm);  // of the cloned ones
  if (make(vm, vm_template)) return vm_template;
  latch_drop_template(vm_template);
  return NULL;
}

void latch_drop_template(latch_template *vm_template) {
  if (vm_template == NULL || atomic_fetch_sub(&vm_template->users, 1) > 1) return;
  for (int origin = 0; origin < LATCH_ORIGINS; origin++) {
    free(vm_template->in_bytes[origin].words);
    free(vm_template->in_fields[origin].words);
  }
  free(vm_template->bytes);
  free(vm_template->shared);
  free(vm_template->readers);
  free(vm_template);
}

// MARK: Casting

static void move(void *copy, const latch_addresses *addresses, const void *origin) {
  uintptr_t *words = copy;
  for (size_t i = 0; i < addresses->count; i++) words[addresses->words[i]] += (uintptr_t)origin;
}

static void move_all(
  void *copy, const latch_addresses addresses[LATCH_ORIGINS], const char *bytes, latch_vm *vm) {
  move(copy, &addresses[LATCH_FROM_BYTES], bytes);
  move(copy, &addresses[LATCH_FROM_VM], vm);
}

latch_vm *latch_clone(latch_template *vm_template) {
  latch_vm *vm = calloc(1, sizeof *vm);
  size_t readers_size = (size_t)vm_template->reader_count * sizeof *vm_template->readers;
  latch_reader *readers = readers_size > 0 ? malloc(readers_size) : NULL;
  latch_blocks blocks = {0};
  char *bytes = latch_clone_block(&blocks, vm_template->size, LATCH_CLONE_RESERVE);
  if (vm == NULL || (readers == NULL && readers_size > 0) || bytes == NULL) {
    free(vm);
    free(readers);
    latch_free_blocks(&blocks);
    return NULL;
  }
  size_t header = latch_slab_header();
  memcpy(bytes + header, vm_template->bytes + header, vm_template->size - header);
  memcpy(vm, vm_template->fields, sizeof vm_template->fields);
  move_all(bytes, vm_template->in_bytes, bytes, vm);
  move_all(vm, vm_template->in_fields, bytes, vm);
  blocks.shared = vm_template->shared;
  blocks.shared_size = vm_template->shared_size;
  blocks.most = vm->memory.blocks.most;
  vm->memory.blocks = blocks;
  if (readers_size > 0) memcpy(readers, vm_template->readers, readers_size);
  vm->readers = readers;
  vm->reader_capacity = vm_template->reader_count;
  vm->vm_template = vm_template;
  vm->budget.total = 0;
  atomic_fetch_add(&vm_template->users, 1);
  latch_set_memory_limit(vm, vm_template->memory_limit);
  latch_watch(vm);
  return vm;
}
