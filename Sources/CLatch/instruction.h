/// The instruction that a Lua function is about to run, as the count hook finds it.

#ifndef LATCH_INSTRUCTION_H
#define LATCH_INSTRUCTION_H

#include "latch.h"

/// What an instruction does that may take long.
typedef enum {
  LATCH_OTHER,
  LATCH_EQUALS,  ///< compares `first` and `second`
  LATCH_ORDERS,  ///< the same with `<` or `<=`
  LATCH_READS,   ///< looks the key `first` up in a table
  LATCH_WRITES,  ///< the same to assign to it
  LATCH_COUNTS,  ///< reads `first`, the limit of a `for`, as a number
} latch_work;

/// A text of the script's, valid while the instruction is under way; NULL for any other value.
typedef struct {
  const char *bytes;
  size_t length;
} latch_text_operand;

typedef struct {
  latch_work work;
  latch_text_operand first, second;
  bool in_upvalue;  ///< the table is an upvalue, not a local
  int table;        ///< the number of that upvalue or local
} latch_instruction;

/// Reads the instruction of the function that `frame` stands for. Call it in a count hook only.
latch_instruction latch_read_instruction(lua_State *L, lua_Debug *frame);

/// More instructions than any brief function has.
enum { LATCH_BRIEF = 200 };

/// Whether the function at `index` ends within LATCH_BRIEF instructions, whatever state and payload it is
/// called with: each of them runs once at most, and none calls a function or makes or reads a value but the
/// arguments, what they hold, and constants. Only a table with a script's metatable could change that.
bool latch_is_brief(lua_State *L, int index);

/// Whether this build of Lua is laid out as both take it to be. It is tried out
/// once in a process. False, too, while there is no memory for that.
bool latch_can_read_instructions(void);

#endif
