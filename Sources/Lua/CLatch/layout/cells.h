/// Direct access to values in Lua's memory: in the cells of a table, and among the arguments of a C
/// function.
///
/// Lua's API copies a value to the stack and back, and checks its type each time: with it, a write
/// to the state would take five times as long.

#ifndef LATCH_CELLS_H
#define LATCH_CELLS_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The type of a cell's value, as in Lua: the variant of the type, and a bit if it is collected.
typedef enum {
  LATCH_CELL_NIL = LUA_TNIL,
  LATCH_CELL_FALSE = LUA_TBOOLEAN,
  LATCH_CELL_TRUE = LUA_TBOOLEAN | 1 << 4,
  LATCH_CELL_INTEGER = LUA_TNUMBER,
  LATCH_CELL_FLOAT = LUA_TNUMBER | 1 << 4,
  LATCH_CELL_SHORT_TEXT = LUA_TSTRING | 1 << 6,
  LATCH_CELL_LONG_TEXT = LUA_TSTRING | 1 << 4 | 1 << 6,
  LATCH_CELL_TABLE = LUA_TTABLE | 1 << 6,
  LATCH_CELL_POINTER = LUA_TLIGHTUSERDATA,
  LATCH_CELL_FUNCTION = LUA_TFUNCTION | 1 << 4,  ///< a function of C, without upvalues
  LATCH_CELL_LUA_FUNCTION = LUA_TFUNCTION | 1 << 6,
  LATCH_CELL_CLOSURE = LUA_TFUNCTION | 2 << 4 | 1 << 6,  ///< a function of C, with upvalues
  LATCH_CELL_COLLECTED = 1 << 6,                         ///< this bit marks an address
} latch_cell_type;

typedef struct {
  union {
    lua_Integer integer;
    lua_Number number;
    void *object;
    lua_CFunction function;
  };
  uint8_t type;
} latch_cell;

/// The first fields of Lua's structures for a table, a slot of its hash, a string, a call, a
/// coroutine.
typedef struct {
  void *next;
  uint8_t type, mark, flags, slots_log2;
  uint32_t array_limit;
  latch_cell *array;
  void *slots, *last_free;
  const void *metatable;
} lua_table_part;

typedef union {
  latch_cell cell;
  struct {  // its padding is in use
    uint64_t value;
    uint8_t type, key_type;
    int32_t next;
    void *key;
  } part;
} lua_slot_part;

typedef struct {
  void *next;
  uint8_t type, mark, extra, short_length;
  uint32_t hash;
  size_t length;
  char bytes[];
} lua_string_part;

typedef struct {
  void *next;
  uint8_t type, mark, count;
  void *list;
  lua_CFunction function;
  latch_cell upvalues[];
} lua_closure_part;

/// A compiled function, and a Lua function.
typedef struct {
  void *next;
  uint8_t type, mark, parameters, is_vararg, stack;
  int32_t sizes[7], lines[2];  ///< the sizes that latch_code_size uses
  const void *constants;
  const uint32_t *instructions;
  void *functions;
  const void *upvalues, *line_steps, *line_starts, *locals;
  void *source, *list;
} lua_code_part;

typedef enum {
  LATCH_UPVALUES,
  LATCH_CONSTANTS,
  LATCH_INSTRUCTIONS,
  LATCH_LINE_STEPS,
  LATCH_FUNCTIONS,
  LATCH_LOCALS,
  LATCH_LINE_STARTS,
} latch_code_size;

/// A variable that functions share: after it has left the stack, it holds its own value.
typedef struct {
  void *next;
  uint8_t type, mark;
  latch_cell *value, own;
} lua_variable_part;

typedef struct {
  void *next;
  uint8_t type, mark, upvalues;
  void *list;
  const lua_code_part *code;
  const lua_variable_part *variables[];
} lua_function_part;

typedef struct {
  latch_cell *function, *top;
  void *previous, *next;
  const uint32_t *following;  ///< of a Lua function: the instruction after the current one
} lua_running_part;

typedef struct {
  void *next;
  uint8_t type, mark, status, allows_hook;
  uint16_t calls;
  latch_cell *top;
  void *global;
  const lua_running_part *running;
#if LUA_VERSION_RELEASE_NUM == LUA_VERSION_NUM * 100
  void *last_instruction;
#endif
  latch_cell *stack_end, *stack;
} lua_thread_part;

/// The arguments of the running C function: the first one is at 0. They move when the stack grows.
static inline latch_cell *latch_argument_cells(lua_State *L) {
  return ((lua_thread_part *)L)->running->function + 1;
}

/// The upvalues of the running C function, which must have some: the first one is at 0.
static inline const latch_cell *latch_upvalue_cells(lua_State *L) {
  return ((const lua_closure_part *)(latch_argument_cells(L) - 1)->object)->upvalues;
}

/// The value at an index of the stack, which must be valid.
static inline const latch_cell *latch_cell_on_stack(lua_State *L, int index) {
  return index > 0 ? latch_argument_cells(L) + index - 1 : ((lua_thread_part *)L)->top + index;
}

/// Makes room for so few values on top of the stack of a C function that its stack has it in any
/// case; the caller fills the cells before it calls Lua.
static inline latch_cell *latch_push_cells(lua_State *L, int count) {
  latch_cell *cells = ((lua_thread_part *)L)->top;
  ((lua_thread_part *)L)->top += count;
  return cells;
}

/// The last `count` values on top of the stack.
static inline latch_cell *latch_top_cells(lua_State *L, int count) {
  return ((lua_thread_part *)L)->top - count;
}

static inline const void *latch_metatable_of(const void *table) {
  return ((const lua_table_part *)table)->metatable;
}

/// The cell of an element, if Lua has it in the table's array; else NULL.
static inline latch_cell *latch_element_cell(const void *table, lua_Integer index) {
  const lua_table_part *part = table;
  if ((lua_Unsigned)index - 1 >= part->array_limit) return NULL;
  return &part->array[index - 1];
}

/// The cell of the field named by this short string object; NULL if there is none.
static inline latch_cell *latch_field_cell(const void *table, const void *name) {
  const lua_table_part *part = table;
  uint32_t place = ((const lua_string_part *)name)->hash & (((uint32_t)1 << part->slots_log2) - 1);
  lua_slot_part *slot = (lua_slot_part *)part->slots + place;
  for (;; slot += slot->part.next) {
    if (slot->part.key_type == LATCH_CELL_SHORT_TEXT && slot->part.key == name) return &slot->cell;
    if (slot->part.next == 0) return NULL;
  }
}

/// The number of elements from 1 on that have cells in the table's array; only Lua knows if others
/// have.
static inline uint32_t latch_array_limit(const void *table) {
  return ((const lua_table_part *)table)->array_limit;
}

/// Moves the elements `first` to `last` one place up or down within the table's array. Returns
/// false, and does nothing, if the array does not reach that far. The contents of the table stay
/// the same, so the collector need not be told.
bool latch_slide_elements(const void *table, lua_Integer first, lua_Integer last, int by);

/// The number of slots of the table's hash, used or not, and each of them.
static inline uint32_t latch_hash_slots(const void *table) {
  return (uint32_t)1 << ((const lua_table_part *)table)->slots_log2;
}
static inline const lua_slot_part *latch_hash_slot(const void *table, uint32_t number) {
  return (const lua_slot_part *)((const lua_table_part *)table)->slots + number;
}

static inline bool latch_is_nil(const latch_cell *cell) { return (cell->type & 15) == LUA_TNIL; }

/// Writes a value that is not collected into a cell that holds such a value. (A cell is never
/// copied as a whole: other data may follow its type.)
static inline void latch_put_in_cell(latch_cell *cell, const latch_cell *value) {
  cell->integer = value->integer;
  cell->type = value->type;
}

/// The text of a string, and its length.
static inline const char *latch_text_of(const latch_cell *cell, size_t *length) {
  const lua_string_part *text = cell->object;
  *length = cell->type == LATCH_CELL_SHORT_TEXT ? text->short_length : text->length;
  return text->bytes;
}

/// The string that contains this text.
static inline const void *latch_string_of(const char *text) {
  return text - offsetof(lua_string_part, bytes);
}

/// Pushes a table that Lua has, by its address.
static inline void latch_push_table(lua_State *L, const void *table) {
  lua_pushnil(L);
  latch_cell *top = latch_top_cells(L, 1);
  top->object = (void *)(uintptr_t)table;
  top->type = LATCH_CELL_TABLE;
}

/// The same for a string.
static inline void latch_push_string(lua_State *L, const void *string, bool is_long) {
  lua_pushnil(L);
  latch_cell *top = latch_top_cells(L, 1);
  top->object = (void *)(uintptr_t)string;
  top->type = is_long ? LATCH_CELL_LONG_TEXT : LATCH_CELL_SHORT_TEXT;
}

/// Pushes the contents of the cell.
static inline void latch_push_cell(lua_State *L, const latch_cell *cell) {
  lua_pushnil(L);
  latch_put_in_cell(latch_top_cells(L, 1), cell);
}

/// For latch_knows_layout: 1 for yes, -1 for no, 0 if memory ran out.
int latch_check_cells(void);

#endif
