/// The layer of layout: the only code that knows liblua's internals.
///
/// Structures for which Lua has no function are described here, and checked on known code before
/// any VM opens (latch_knows_layout): a build of Lua that differs is refused. Nothing here knows of
/// a VM. It may use Lua alone.

#ifndef LATCH_LAYOUT_H
#define LATCH_LAYOUT_H

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout/cells.h"

/// True if this build of Lua is laid out as everything here expects. Checked once in a process.
/// False, too, while there is no memory for the check.
bool latch_knows_layout(void);
/// True if it was tried out and is not.
bool latch_layout_differs(void);

// try_out.c

/// Has a function of Lua compare what is known with what is found: 1 if it gives true, -1 if false,
/// 0 while there is no memory for that.
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

/// A text of the script's, valid while the instruction is under way; NULL for any other value.
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

/// Reads the instruction of the function that `frame` stands for. Call it in a count hook only.
latch_instruction latch_read_instruction(lua_State *L, lua_Debug *frame);

/// More instructions than any function takes that runs without the hook.
enum { LATCH_MOST_WITHOUT_HOOK = 400 };

/// True if the function at `index` ends within LATCH_MOST_WITHOUT_HOOK instructions, whatever state
/// and payload it is called with: each instruction runs at most once, and none calls a function, or
/// makes or reads a value other than the arguments, their contents, and constants. Only a table
/// with a script's metatable could change that.
bool latch_runs_without_hook(lua_State *L, int index);

/// True if the function at `index` only looks for fields in its argument of that number, from 1 on:
/// it never writes to it, hands it on or keeps it.
bool latch_only_reads(lua_State *L, int index, int argument);

/// True if the function at `index`, or one that it makes, assigns to an upvalue.
bool latch_assigns_upvalues(lua_State *L, int index);

/// The most fields that are reported.
enum { LATCH_MOST_FIELDS = 6 };

/// How many fields the function at `index` reads, if all that it does is to compare and calculate
/// with what fields of its only argument hold, and with constants: then `fields` has them. -1 for
/// any other function.
int latch_fields_read(lua_State *L, int index, uint32_t *fields);

/// Returns a hash of a field's name; few names share one. The remainder by 64 is its bit.
uint32_t latch_field_of(const char *name, size_t length);

/// Returns that bit alone, which takes no time.
static inline uint32_t latch_field_bit(const char *name, size_t length) {
  if (length == 0) return 0;
  return ((uint8_t)name[0] + 5u * (uint8_t)name[length - 1] + 11u * (uint32_t)length) % 64;
}

/// For latch_knows_layout: 1 for yes, -1 for no, 0 where memory ran out (instruction_check.c).
int latch_check_instructions(void);

// frame.c: the function that runs on a thread

typedef struct {
  uint32_t code;                      ///< of a function of Lua's: the instruction under way
  const latch_cell *registers;        ///< its registers, or the arguments of a function of C
  size_t count;                       ///< how many values stand there, as far as Lua tells
  const lua_function_part *function;  ///< NULL: it is one of C
} latch_frame;

/// Only while the thread runs. Lua's stack must not be about to move.
latch_frame latch_running_frame(lua_State *L);
/// The upvalue of that number, from 0 on, of a function of Lua's.
const latch_cell *latch_frame_variable(const latch_frame *frame, unsigned number);

/// The table that the table's metatable has under the name `event`, one of Lua's short strings; or
/// NULL.
const void *latch_next_table(const void *table, const void *event);
/// How many tables stand behind the table so, and `most` at most.
size_t latch_links(const void *table, const void *event, size_t most);

/// The table that the instruction assigns to, or the last of those that stand behind it by
/// `newindex`; NULL for any other instruction.
const void *latch_assigned_table(const latch_frame *frame, const void *newindex);
/// How many slots Lua looks at in vain for the number that the instruction looks up, in all tables
/// that stand behind each other by `index`, or `newindex`.
size_t latch_frame_probes(const latch_frame *frame, const void *index, const void *newindex);

/// The slots of the thread's stack, and how many of them hold something.
size_t latch_stack_slots(lua_State *L);
size_t latch_stack_use(lua_State *L);
/// How many instructions the thread begins until its count hook comes by.
int latch_count_left(lua_State *L);
/// Changes that, also from another thread than the one on which Lua runs.
void latch_set_count_left(lua_State *L, int left);
/// Has the hook that the thread has come by after so many instructions, each time. (lua_sethook
/// would go through all calls that are under way.)
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
  LATCH_IS_CALLED = LATCH_EVENTS,  ///< no metamethod: the value itself is called
  LATCH_IN_C,                      ///< it is given to a function of C, which may call it
};
extern const char *const latch_event_names[LATCH_EVENTS];

/// Told of a value that is called with so many arguments, or of one whose metamethod is.
typedef void latch_visit_callee(
  void *context, const latch_cell *value, int event, size_t arguments);
void latch_visit_callees(const latch_frame *frame, latch_visit_callee *visit, void *context);
/// How many values the instruction moves, where that is not written in it.
size_t latch_moved_values(const latch_frame *frame);

// liveness.c: which registers of a function still matter

/// A set of registers.
typedef struct {
  uint64_t words[4];
} latch_registers;

bool latch_is_live(const latch_registers *set, unsigned number);
/// Finds the registers that may be read from each instruction on, that instruction included, before
/// they are written; `before` has a set for each instruction of the function. Returns false for a
/// function that takes `...`, makes functions, which may hold on to registers, or has variables
/// that are to be closed.
bool latch_find_live(const lua_code_part *code, latch_registers *before);
/// The same after the instruction of that number, from 0 on.
latch_registers latch_live_after(
  const lua_code_part *code, const latch_registers *before, int32_t at);

// probes.c

/// How many slots of a table's hash Lua looks at in vain to find a number; 0 for other keys.
size_t latch_probes(const void *table, const latch_cell *key);
/// How many slots it would look at in vain, about, to insert all numbers of a table's hash into one
/// of so many slots.
uint64_t latch_insertion_probes(const void *table, uint32_t slots);

/// As latch_check_instructions.
int latch_check_probes(void);

// slots.c

/// The slots that Lua keeps for the table, used or not.
size_t latch_slots(const void *table);

/// As latch_check_instructions.
int latch_check_slots(void);

// blocks.c: what the allocator is asked for

/// The first word of a block, which is the extra space where the block is a coroutine's.
uintptr_t latch_first_word(const void *block);

/// As latch_check_instructions.
int latch_check_blocks(void);

// contents.c: what those blocks hold

typedef enum {
  LATCH_HOLDS_WORDS,   ///< any word may be an address: nothing of a script's stands there
  LATCH_HOLDS_OBJECT,  ///< that which its type says
  LATCH_HOLDS_CELLS,
  LATCH_HOLDS_SLOTS,
  LATCH_HOLDS_BYTES,  ///< of a function's code: no address
  LATCH_HOLDS_NAMES,  ///< of its locals or upvalues: each of two words, the first an address
} latch_contents;

/// A block that Lua has asked for, with the type that it told.
typedef struct {
  char *start;
  size_t size;
  int type;
  latch_contents contents;
} latch_held;

/// Finds out what each of a state's blocks holds. They are put in the order of their addresses.
/// False: they are not laid out as this floor takes them to be, or they hold what cannot be moved.
bool latch_look_into_blocks(latch_held *blocks, size_t count);

/// The block that the address lies in, or NULL.
latch_held *latch_held_at(latch_held *blocks, size_t count, const void *address);

/// Told of a word that holds an address, or might; `inside` lies in the block that it leads to, if
/// that is one of the state's.
typedef void latch_visit_address(void *context, uintptr_t *word, uintptr_t inside);

/// Visits the addresses in a block.
void latch_visit_addresses(const latch_held *block, latch_visit_address *visit, void *context);

// weak.c

/// Makes `__mode` a field like any other. `block` is what Lua allocated first; what stands for
/// "__mode" from now on is kept in the registry under `key`. False: this build of Lua is laid out
/// differently.
bool latch_forget_weak_tables(lua_State *L, int key, char *block, size_t size);

#endif
