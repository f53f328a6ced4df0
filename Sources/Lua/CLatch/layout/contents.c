/// Finds the addresses in the blocks that Lua has requested from the allocator.
///
/// Lua passes the type of an object. The use of other blocks follows from the objects that they
/// belong to, and each must have the size that those imply. The rest are stacks, calls and Lua's
/// table of strings.

#include <stdlib.h>

#include "layout/layout.h"

/// Types that exist only inside Lua.
enum { LUA_VARIABLE = LUA_NUMTYPES, LUA_CODE };

enum { LATCH_C_CLOSURE = LUA_TFUNCTION | 2 << 4, LATCH_LINE_START = 8, LATCH_NAME = 16 };

typedef struct {
  latch_held *blocks;
  size_t count;
} latch_all_held;

static int compare(const void *a, const void *b) {
  const latch_held *first = a, *second = b;
  return first->start < second->start ? -1 : first->start > second->start;
}

latch_held *latch_held_at(latch_held *blocks, size_t count, const void *address) {
  const char *wanted = address;
  size_t first = 0, end = count;
  while (first < end) {
    size_t middle = first + (end - first) / 2;
    if (blocks[middle].start <= wanted) first = middle + 1;
    else end = middle;
  }
  if (first == 0 || (size_t)(wanted - blocks[first - 1].start) >= blocks[first - 1].size)
    return NULL;
  return &blocks[first - 1];
}

static bool is_vector(const latch_held *block) { return block->type == 0; }

/// Records the contents of the block that begins there, and has that size, or a multiple of it if
/// `is_multiple`. Returns false if there is no such block.
static bool claim(
  latch_all_held all, const void *start, size_t size, bool is_multiple, latch_contents contents) {
  latch_held *block = latch_held_at(all.blocks, all.count, start);
  if (block == NULL || block->start != start || !is_vector(block)) return false;
  if (is_multiple ? block->size % size != 0 : block->size != size) return false;
  block->contents = contents;
  return true;
}

static bool claim_part(
  latch_all_held all, const void *start, int32_t count, size_t size, latch_contents contents) {
  if (count == 0) return start == NULL;
  return claim(all, start, (size_t)count * size, false, contents);
}

static bool look_into_code(latch_all_held all, const lua_code_part *code) {
  const int32_t *sizes = code->sizes;
  return claim_part(
           all, code->constants, sizes[LATCH_CONSTANTS], sizeof(latch_cell), LATCH_HOLDS_CELLS) &&
         claim_part(all, code->instructions, sizes[LATCH_INSTRUCTIONS], sizeof *code->instructions,
           LATCH_HOLDS_BYTES) &&
         claim_part(
           all, code->functions, sizes[LATCH_FUNCTIONS], sizeof(void *), LATCH_HOLDS_WORDS) &&
         claim_part(all, code->upvalues, sizes[LATCH_UPVALUES], LATCH_NAME, LATCH_HOLDS_NAMES) &&
         claim_part(all, code->line_steps, sizes[LATCH_LINE_STEPS], 1, LATCH_HOLDS_BYTES) &&
         claim_part(
           all, code->line_starts, sizes[LATCH_LINE_STARTS], LATCH_LINE_START, LATCH_HOLDS_BYTES) &&
         claim_part(all, code->locals, sizes[LATCH_LOCALS], LATCH_NAME, LATCH_HOLDS_NAMES);
}

/// True if no key of the table is an address other than a string's, since the address would
/// determine the key's slot.
static bool has_movable_keys(const void *table) {
  for (uint32_t i = 0; i < latch_hash_slots(table); i++) {
    const lua_slot_part *slot = latch_hash_slot(table, i);
    bool is_string = (slot->part.key_type & 15) == LUA_TSTRING;
    bool is_address = (slot->part.key_type & LATCH_CELL_COLLECTED) != 0 && !is_string;
    if (is_address && !latch_is_nil(&slot->cell)) return false;
  }
  return true;
}

static bool look_into_table(latch_all_held all, const lua_table_part *table) {
  if (table->array != NULL &&
      !claim(all, table->array, sizeof(latch_cell), true, LATCH_HOLDS_CELLS)) {
    return false;
  }
  // All tables without a hash share one empty hash.
  bool is_shared = latch_hash_slots(table) == 1 && table->last_free == NULL;
  if (is_shared) return latch_held_at(all.blocks, all.count, table->slots) == NULL;
  size_t size = latch_hash_slots(table) * sizeof(lua_slot_part);
  return claim(all, table->slots, size, false, LATCH_HOLDS_SLOTS) && has_movable_keys(table);
}

/// The stack of a coroutine is the block that contains its top.
static bool look_into_thread(latch_all_held all, const char *block) {
  const lua_thread_part *thread = (const lua_thread_part *)(block + LUA_EXTRASPACE);
  const latch_held *stack = latch_held_at(all.blocks, all.count, thread->top);
  return stack != NULL && claim(all, stack->start, sizeof(latch_cell), true, LATCH_HOLDS_CELLS);
}

bool latch_look_into_blocks(latch_held *blocks, size_t count) {
  latch_all_held all = {blocks, count};
  qsort(blocks, count, sizeof *blocks, compare);
  for (size_t i = 0; i < count; i++) {
    blocks[i].contents = is_vector(&blocks[i]) || blocks[i].type == LUA_TTHREAD
                           ? LATCH_HOLDS_WORDS
                           : LATCH_HOLDS_OBJECT;
  }
  bool fine = true;
  for (size_t i = 0; i < count && fine; i++) {
    const void *start = blocks[i].start;
    switch (blocks[i].type) {
      case 0:
      case LUA_TSTRING:
      case LUA_TFUNCTION:
      case LUA_VARIABLE: break;
      case LUA_TTHREAD: fine = look_into_thread(all, start); break;
      case LUA_TTABLE: fine = look_into_table(all, start); break;
      case LUA_CODE: fine = look_into_code(all, start); break;
      default: fine = false;
    }
  }
  return fine;
}

// MARK: Addresses

typedef struct {
  latch_visit_address *visit;
  void *context;
} latch_visitor;

static void visit_word(latch_visitor visitor, void *word) {
  uintptr_t *address = word;
  visitor.visit(visitor.context, address, *address);
}

static void visit_words(latch_visitor visitor, char *from, const char *end) {
  for (; from < end; from += sizeof(uintptr_t)) visit_word(visitor, from);
}

static void visit_cells(latch_visitor visitor, void *first, size_t count) {
  for (latch_cell *cell = first; count > 0; cell++, count--) {
    if (cell->type & LATCH_CELL_COLLECTED) visit_word(visitor, cell);
  }
}

static void visit_slots(latch_visitor visitor, lua_slot_part *slot, size_t count) {
  for (; count > 0; slot++, count--) {
    if (slot->part.type & LATCH_CELL_COLLECTED) visit_word(visitor, &slot->part.value);
    if (slot->part.key_type & LATCH_CELL_COLLECTED) visit_word(visitor, &slot->part.key);
  }
}

static void visit_object(latch_visitor visitor, const latch_held *block) {
  char *start = block->start, *end = start + block->size;
  visit_word(visitor, start);  // the next object
  switch (block->type) {
    case LUA_TSTRING:
      // Short strings with the same hash are a list.
      if (((lua_string_part *)start)->type == (LATCH_CELL_SHORT_TEXT & ~LATCH_CELL_COLLECTED)) {
        visit_word(visitor, &((lua_string_part *)start)->length);
      }
      break;
    case LUA_TTABLE: {
      lua_table_part *table = (lua_table_part *)start;
      visit_word(visitor, &table->array);
      visitor.visit(visitor.context, (uintptr_t *)&table->last_free, (uintptr_t)table->slots);
      visit_words(visitor, (char *)&table->metatable, end);
      visit_word(visitor, &table->slots);
      break;
    }
    case LUA_TFUNCTION: {
      lua_closure_part *closure = (lua_closure_part *)start;
      if (closure->type != LATCH_C_CLOSURE) {
        visit_words(visitor, (char *)&closure->list, end);
      } else {
        visit_word(visitor, &closure->list);
        visit_cells(visitor, closure->upvalues, closure->count);
      }
      break;
    }
    case LUA_VARIABLE: {
      lua_variable_part *variable = (lua_variable_part *)start;
      bool is_own = variable->value == &variable->own;
      visit_word(visitor, &variable->value);
      if (is_own) visit_cells(visitor, &variable->own, 1);
      else visit_words(visitor, (char *)&variable->own, end);
      break;
    }
    default: visit_words(visitor, (char *)&((lua_code_part *)start)->constants, end);
  }
}

void latch_visit_addresses(const latch_held *block, latch_visit_address *visit, void *context) {
  latch_visitor visitor = {visit, context};
  size_t size = block->size;
  switch (block->contents) {
    case LATCH_HOLDS_WORDS:
      visit_words(
        visitor, block->start, block->start + size / sizeof(uintptr_t) * sizeof(uintptr_t));
      break;
    case LATCH_HOLDS_OBJECT: visit_object(visitor, block); break;
    case LATCH_HOLDS_CELLS: visit_cells(visitor, block->start, size / sizeof(latch_cell)); break;
    case LATCH_HOLDS_SLOTS:
      visit_slots(visitor, (lua_slot_part *)block->start, size / sizeof(lua_slot_part));
      break;
    case LATCH_HOLDS_BYTES: break;
    case LATCH_HOLDS_NAMES:
      for (size_t at = 0; at < size; at += LATCH_NAME) visit_word(visitor, block->start + at);
  }
}
