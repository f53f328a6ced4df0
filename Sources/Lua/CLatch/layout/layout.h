/// The layer of layout: the only code that knows liblua's internals.
///
/// Structures for which Lua has no function are described here, and verified on known code before
/// any VM opens (latch_knows_layout): a build of Lua that differs is rejected. Nothing here knows
/// of a VM. It may use only Lua.

#ifndef LATCH_LAYOUT_H
#define LATCH_LAYOUT_H

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout/cells.h"

/// True if this build of Lua has the layout that everything here expects. Checked once per process.
/// Also false as long as there is no memory for the check.
bool latch_knows_layout(void);
/// True if the check has failed.
bool latch_layout_differs(void);

// try_out.c

/// Runs a Lua function that compares expected and actual values: 1 if it returns true, -1 if false,
/// 0 as long as there is no memory for that.
int latch_try_out(lua_CFunction compare);

// instruction.c: the instruction that a Lua function is about to run, as the count hook finds it

/// The kind of an instruction that may take long.
typedef enum {
  LATCH_OTHER,
  LATCH_EQUALS,  ///< compares `first` and `second`
  LATCH_ORDERS,  ///< the same with `<` or `<=`
  LATCH_READS,   ///< looks the key `first` up in a table
  LATCH_WRITES,  ///< the same to assign to it
  LATCH_COUNTS,  ///< reads `first`, the limit of a `for`, as a number
} latch_instruction_kind;

/// A string of the script, valid during the instruction; NULL for any other value.
typedef struct {
  const char *bytes;
  size_t length;
} latch_text_operand;

typedef struct {
  latch_instruction_kind kind;
  latch_text_operand first, second;
  bool in_upvalue;  ///< the table is an upvalue, not a local
  int table;        ///< the number of that upvalue or local
} latch_instruction;

/// Reads the instruction of the function of `frame`. Call it only in a count hook.
latch_instruction latch_read_instruction(lua_State *L, lua_Debug *frame);

/// True if a Lua function has called the running function of C, a metamethod, to look up a method:
/// `t:name()`.
bool latch_is_method_lookup(lua_State *L);

/// More instructions than any function takes that runs without the hook.
enum { LATCH_MOST_WITHOUT_HOOK = 400 };

/// True if the function at `index` ends within LATCH_MOST_WITHOUT_HOOK instructions, whatever the
/// state and payload with which it is called: each instruction runs at most once, and none calls a
/// function, or makes or reads a value other than the arguments, their contents, and constants.
/// Only a table with a script's metatable could change that.
bool latch_runs_without_hook(lua_State *L, int index);

/// True if the function at `index` only looks up fields in its argument of that number, from 1 on:
/// it never writes to it, passes it on or stores it.
bool latch_only_reads(lua_State *L, int index, int argument);

/// True if the function at `index`, or one that it makes, assigns to an upvalue.
bool latch_assigns_upvalues(lua_State *L, int index);

/// True if the function at `index`, or one that it reaches by upvalues, may store a value outside
/// of itself: in an upvalue, or in a table of one. Calls of the library are not looked at.
bool latch_may_keep(lua_State *L, int index);

/// The greatest number of fields that are reported.
enum { LATCH_MOST_FIELDS = 6 };

/// Returns the number of fields that the function at `index` reads, if it only compares and
/// calculates with fields of its only argument and with constants: then `fields` has them. -1 for
/// any other function.
int latch_fields_read(lua_State *L, int index, uint32_t *fields);

/// Returns a hash of a field's name; few names share one. The remainder by 64 is its bit.
uint32_t latch_field_of(const char *name, size_t length);

/// Returns only that bit, which takes no time.
static inline uint32_t latch_field_bit(const char *name, size_t length) {
  if (length == 0) return 0;
  return ((uint8_t)name[0] + 5u * (uint8_t)name[length - 1] + 11u * (uint32_t)length) % 64;
}

/// For latch_knows_layout: 1 for yes, -1 for no, 0 if memory ran out (instruction_check.c).
int latch_check_instructions(void);

// frame.c: the function that runs on a thread

typedef struct {
  uint32_t code;                      ///< of a Lua function: the current instruction
  const latch_cell *registers;        ///< its registers, or the arguments of a C function
  size_t count;                       ///< the number of values there, as far as Lua tells
  const lua_function_part *function;  ///< NULL for a C function
} latch_frame;

/// Valid only while the thread runs, and if Lua's stack is not about to move.
latch_frame latch_running_frame(lua_State *L);
/// The upvalue of that number, from 0 on, of a Lua function.
const latch_cell *latch_frame_variable(const latch_frame *frame, unsigned number);

/// The table that the table's metatable has under the name `event`, one of Lua's short strings; or
/// NULL.
const void *latch_next_table(const void *table, const void *event);
/// The length of the chain of such tables, at most `most`.
size_t latch_links(const void *table, const void *event, size_t most);

/// The table that the instruction assigns to, or the last one of its chain by `newindex`; NULL for
/// any other instruction.
const void *latch_assigned_table(const latch_frame *frame, const void *newindex);
/// The number of slots that Lua probes in vain for the number that the instruction looks up, in all
/// tables of the chain by `index` or `newindex`.
size_t latch_frame_probes(const latch_frame *frame, const void *index, const void *newindex);

/// The slots of the thread's stack, and the number of those in use.
size_t latch_stack_slots(lua_State *L);
size_t latch_stack_use(lua_State *L);
/// The number of instructions until the thread's count hook is called.
int latch_count_left(lua_State *L);
/// Changes that number, also from another thread than the one on which Lua runs.
void latch_set_count_left(lua_State *L, int left);
/// Sets the number of instructions after which the thread's hook is called, each time. (lua_sethook
/// would go through all current calls.)
void latch_set_count(lua_State *L, int count);
/// True if the stack is that block.
bool latch_is_stack(lua_State *L, const void *block);

/// As latch_check_instructions.
int latch_check_frames(void);

// callees.c: what an instruction calls

/// Lua's names of metamethods, in its order, each by its number there.
enum {
  LATCH_EVENT_LEN = 4,
  LATCH_EVENT_EQ,
  LATCH_EVENT_UNM = 18,
  LATCH_EVENT_BNOT,
  LATCH_EVENT_LT,
  LATCH_EVENT_LE,
  LATCH_EVENT_CONCAT,
  LATCH_EVENT_CALL,
  LATCH_EVENT_CLOSE,
  LATCH_EVENTS,
  LATCH_IS_CALLED = LATCH_EVENTS,  ///< not a metamethod: the value itself is called
  LATCH_IN_C,                      ///< it is an argument of a C function, which may call it
};
extern const char *const latch_event_names[LATCH_EVENTS];

/// Called for a value that is called with so many arguments, or whose metamethod is.
typedef void latch_visit_callee(
  void *context, const latch_cell *value, int event, size_t arguments);
void latch_visit_callees(const latch_frame *frame, latch_visit_callee *visit, void *context);
/// The number of values that the instruction moves, if it is not part of the instruction.
size_t latch_moved_values(const latch_frame *frame);

// liveness.c: which registers of a function are still needed

/// A set of registers.
typedef struct {
  uint64_t words[4];
} latch_registers;

bool latch_is_live(const latch_registers *set, unsigned number);
/// Finds the registers that may be read from each instruction on, including that instruction,
/// before they are written; `before` has a set for each instruction of the function. Returns false
/// for a function that takes `...`, makes functions, which may keep registers alive, or has
/// to-be-closed variables.
bool latch_find_live(const lua_code_part *code, latch_registers *before);
/// The same after the instruction of that number, from 0 on.
latch_registers latch_live_after(
  const lua_code_part *code, const latch_registers *before, int32_t at);

// probes.c

/// The number of slots of a table's hash that Lua probes in vain to find a number; 0 for other
/// keys.
size_t latch_probes(const void *table, const latch_cell *key);
/// The approximate number of slots that it would probe in vain to insert all numbers of a table's
/// hash into a hash of so many slots.
uint64_t latch_insertion_probes(const void *table, uint32_t slots);

/// As latch_check_instructions.
int latch_check_probes(void);

// slots.c

/// The number of slots of the table's array and hash, used or not.
size_t latch_slots(const void *table);

/// As latch_check_instructions.
int latch_check_slots(void);

// blocks.c: the purpose of an allocation

/// The first word of a block, which is the extra space if the block is a coroutine's.
uintptr_t latch_first_word(const void *block);

/// As latch_check_instructions.
int latch_check_blocks(void);

// contents.c: the contents of those blocks

typedef enum {
  LATCH_HOLDS_WORDS,   ///< any word may be an address: the block has no data of scripts
  LATCH_HOLDS_OBJECT,  ///< an object of its type
  LATCH_HOLDS_CELLS,
  LATCH_HOLDS_SLOTS,
  LATCH_HOLDS_BYTES,  ///< of a function's code: no address
  LATCH_HOLDS_NAMES,  ///< of its locals or upvalues: two words each, the first an address
} latch_contents;

/// A block that Lua has requested, with the type that it passed.
typedef struct {
  char *start;
  size_t size;
  int type;
  latch_contents contents;
} latch_held;

/// Determines the contents of each of a state's blocks, and sorts them by address. Returns false if
/// they have another layout than this layer assumes, or contain something that cannot be moved.
bool latch_look_into_blocks(latch_held *blocks, size_t count);

/// The block that contains the address, or NULL.
latch_held *latch_held_at(latch_held *blocks, size_t count, const void *address);

/// Called for a word that holds an address, or might; `inside` is in the block that it leads to, if
/// that is one of the state's.
typedef void latch_visit_address(void *context, uintptr_t *word, uintptr_t inside);

/// Visits the addresses in a block.
void latch_visit_addresses(const latch_held *block, latch_visit_address *visit, void *context);

// weak.c

/// Makes `__mode` a field like any other. `block` is what Lua allocated first; the replacement for
/// "__mode" is stored in the registry under `key`. Returns false if this build of Lua has another
/// layout.
bool latch_forget_weak_tables(lua_State *L, int key, char *block, size_t size);

#endif
