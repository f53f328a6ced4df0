/// Reads the current instruction, and all instructions of a function.
///
/// Lua has no function for that. A count hook gets the frame, which the public header declares with
/// a pointer to Lua's record of the call. The offsets in that and a few other structures of Lua are
/// defined here, and verified on known code (instruction_check.c).

#include <string.h>

#include "layout/layout.h"
#include "layout/opcodes.h"

/// The first fields of Lua's structures TValue and TString.
typedef struct {
  size_t length;
  char bytes[];
} lua_text_part;

typedef struct {
  const struct lua_text {
    void *next;
    uint8_t type, mark, extra, short_length;
    uint32_t hash;
    lua_text_part text;
  } * text;
  uint8_t type;
} lua_constant_part;

/// The type of a constant that is a long string.
enum { LONG_STRING = LUA_TSTRING | 1 << 4 | 1 << 6 };

/// If a function reaches more functions, it counts as one that stores something.
enum { MOST_VISITS = 100 };

/// The distance of a jump is counted from here, in the bits above the instruction's number.
enum { NO_JUMP = (1 << 24) - 1 };

static latch_text_operand text_in(lua_State *L, lua_Debug *frame, unsigned place) {
  latch_text_operand text = {NULL, 0};
  if (lua_getlocal(L, frame, (int)place + 1) == NULL) return text;
  // The function's frame keeps the string alive.
  if (lua_type(L, -1) == LUA_TSTRING) text.bytes = lua_tolstring(L, -1, &text.length);
  lua_pop(L, 1);
  return text;
}

/// Returns a constant of the function, if it is a long string.
static latch_text_operand long_constant(lua_State *L, lua_Debug *frame, unsigned number) {
  latch_text_operand text = {NULL, 0};
  if (!lua_getinfo(L, "f", frame)) return text;
  const lua_function_part *function = lua_topointer(L, -1);
  lua_pop(L, 1);
  if ((int32_t)number >= function->code->sizes[LATCH_CONSTANTS]) return text;
  const lua_constant_part *constants = function->code->constants;
  const lua_constant_part *constant = constants + number;
  if (constant->type != LONG_STRING) return text;
  return (latch_text_operand){constant->text->text.bytes, constant->text->text.length};
}

latch_instruction latch_read_instruction(lua_State *L, lua_Debug *frame) {
  uint32_t code = ((const lua_running_part *)(const void *)frame->i_ci)->following[-1];
  unsigned a = code >> 7 & 0xff, b = code >> 16 & 0xff, c = code >> 24;
  bool constant = code >> 15 & 1;
  latch_instruction read = {LATCH_OTHER, {NULL, 0}, {NULL, 0}, false, 0};
  switch (code & 0x7f) {
    case EQ:
    case LT:
    case LE:
      read.kind = (code & 0x7f) == EQ ? LATCH_EQUALS : LATCH_ORDERS;
      read.first = text_in(L, frame, a);
      read.second = text_in(L, frame, b);
      break;
    case EQK:
      read.kind = LATCH_EQUALS;
      read.first = text_in(L, frame, a);
      read.second = long_constant(L, frame, b);
      break;
    case SELF:
      read.first = constant ? long_constant(L, frame, c) : text_in(L, frame, c);
      read.kind = LATCH_READS;
      read.table = (int)b + 1;
      break;
    case GETTABLE:
      read.first = text_in(L, frame, c);
      // falls through
    case GETI:
    case GETFIELD:
    case GETTABUP:
      read.kind = LATCH_READS;
      read.in_upvalue = (code & 0x7f) == GETTABUP;
      read.table = (int)b + 1;
      break;
    case SETTABLE:
      read.first = text_in(L, frame, b);
      // falls through
    case SETI:
    case SETFIELD:
    case SETTABUP:
      read.kind = LATCH_WRITES;
      read.in_upvalue = (code & 0x7f) == SETTABUP;
      read.table = (int)a + 1;
      break;
    case FORPREP:
      read.kind = LATCH_COUNTS;
      read.first = text_in(L, frame, a + 1);
      read.second = text_in(L, frame, a + 2);
      break;
    default: break;
  }
  return read;
}

bool latch_is_method_lookup(lua_State *L) {
  lua_Debug frame;
  if (!lua_getstack(L, 1, &frame)) return false;
  const lua_running_part *caller = (const lua_running_part *)(const void *)frame.i_ci;
  return caller->function->type == LATCH_CELL_LUA_FUNCTION &&
         (caller->following[-1] & 0x7f) == SELF;
}

// MARK: Functions that need no hook

/// True if the instruction calls nothing and does not jump backwards.
static bool goes_on(uint32_t code) {
  unsigned number = code & 0x7f;
  return number <= LOADK || (number >= LOADFALSE && number <= LOADNIL) ||
         (number >= GETTABLE && number <= GETFIELD) || (number >= SETTABLE && number <= SETFIELD) ||
         (number >= ADDI && number <= LEN) || (number == JMP && code >> 7 >= NO_JUMP) ||
         (number >= EQ && number <= TESTSET) || (number >= RETURN && number <= RETURN1);
}

bool latch_runs_without_hook(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TFUNCTION || lua_iscfunction(L, index)) return false;
  const lua_code_part *code = ((const lua_function_part *)lua_topointer(L, index))->code;
  int32_t count = code->sizes[LATCH_INSTRUCTIONS];
  if (count > LATCH_MOST_WITHOUT_HOOK) return false;
  for (int32_t i = 0; i < count; i++) {
    if (!goes_on(code->instructions[i])) return false;
  }
  return true;
}

// MARK: Functions that keep an argument to themselves

/// True if the instruction does more with the register than look up a field in it or replace it. An
/// unknown instruction counts as such.
static bool takes_out(uint32_t code, unsigned place) {
  unsigned number = code & 0x7f, a = code >> 7 & 0xff, b = code >> 16 & 0xff, c = code >> 24;
  bool is_a = a == place, is_b = b == place, is_c = c == place && (code >> 15 & 1) == 0;
  if (number >= CALL && number <= SETLIST) {
    if (number == RETURN1) return is_a;
    return number != RETURN0 && a <= place;  // they take a row of registers, from that one on
  }
  switch (number) {
    case MOVE:
    case TESTSET: return is_b;
    case SETUPVAL:
    case TBC: return is_a;
    case GETTABLE: return c == place;
    case SETTABUP: return is_c;
    case SETTABLE: return is_a || is_b || is_c;
    case SETI:
    case SETFIELD: return is_a || is_c;
    case SELF: return is_b || is_c;
    case CONCAT: return a <= place;
    case GETUPVAL:
    case GETTABUP:
    case GETI:
    case GETFIELD:
    case NEWTABLE:
    case CLOSE:
    case JMP:
    case TEST:
    case EXTRAARG: return false;
    default: break;
  }
  if (number <= LOADNIL) return false;
  if (number >= ADDI && number < ADD) return is_b;
  if (number >= ADD && number < MMBIN) return is_b || c == place;
  if (number >= MMBIN && number < UNM) return is_a || is_b;
  if (number >= UNM && number <= LEN) return is_b;
  if (number >= EQ && number < TEST) return is_a || is_b;
  return true;
}

bool latch_only_reads(lua_State *L, int index, int argument) {
  if (lua_type(L, index) != LUA_TFUNCTION || lua_iscfunction(L, index)) return false;
  const lua_code_part *code = ((const lua_function_part *)lua_topointer(L, index))->code;
  if (code->is_vararg) return false;
  if (code->parameters < argument) return true;
  for (int32_t i = 0; i < code->sizes[LATCH_INSTRUCTIONS]; i++) {
    if (takes_out(code->instructions[i], (unsigned)argument - 1)) return false;
  }
  return true;
}

static bool code_assigns_upvalues(const lua_code_part *code) {
  for (int32_t i = 0; i < code->sizes[LATCH_INSTRUCTIONS]; i++) {
    if ((code->instructions[i] & 0x7f) == SETUPVAL) return true;
  }
  const lua_code_part *const *functions = code->functions;
  for (int32_t i = 0; i < code->sizes[LATCH_FUNCTIONS]; i++) {
    if (code_assigns_upvalues(functions[i])) return true;  // nested at most as deep as the source
  }
  return false;
}

bool latch_assigns_upvalues(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TFUNCTION || lua_iscfunction(L, index)) return false;
  return code_assigns_upvalues(((const lua_function_part *)lua_topointer(L, index))->code);
}

/// True if the function may store something outside of itself: it assigns to an upvalue, or writes
/// to a table that it has found in one.
static bool code_keeps(const lua_code_part *code) {
  bool is_outside[256] = {false};
  for (int32_t i = 0; i < code->sizes[LATCH_INSTRUCTIONS]; i++) {
    uint32_t instruction = code->instructions[i];
    unsigned number = instruction & 0x7f, a = instruction >> 7 & 0xff, b = instruction >> 16 & 0xff;
    if (number == SETUPVAL || number == SETTABUP) return true;
    if (number > SETTABUP && number <= SETFIELD && is_outside[a]) return true;
    if (number == GETUPVAL) is_outside[a] = true;
    else if ((number > GETTABUP && number <= GETFIELD) || number == MOVE)
      is_outside[a] = is_outside[b];
    else if (number == GETTABUP || number == NEWTABLE || (number > MOVE && number <= LOADNIL))
      is_outside[a] = false;
    else if (number == CALL) memset(is_outside + a, 0, sizeof is_outside - a);
  }
  const lua_code_part *const *functions = code->functions;
  for (int32_t i = 0; i < code->sizes[LATCH_FUNCTIONS]; i++) {
    if (code_keeps(functions[i])) return true;
  }
  return false;
}

static bool keeps(lua_State *L, int index, int *visits) {
  if (lua_type(L, index) != LUA_TFUNCTION || lua_iscfunction(L, index)) return false;
  if (++*visits > MOST_VISITS || !lua_checkstack(L, 2)) return true;
  if (code_keeps(((const lua_function_part *)lua_topointer(L, index))->code)) return true;
  for (int i = 1; lua_getupvalue(L, index, i) != NULL; i++) {
    bool found = keeps(L, lua_gettop(L), visits);
    lua_pop(L, 1);
    if (found) return true;
  }
  return false;
}

bool latch_may_keep(lua_State *L, int index) {
  int visits = 0;
  return keeps(L, lua_absindex(L, index), &visits);
}

// MARK: Functions that read fields of an argument

/// Adds a field unless it is among them; returns false if there is no room.
static bool add_field(const struct lua_text *name, uint32_t *fields, int *count) {
  uint32_t field = latch_field_of(name->text.bytes, name->short_length);
  for (int i = 0; i < *count; i++) {
    if (fields[i] == field) return true;
  }
  if (*count == LATCH_MOST_FIELDS) return false;
  fields[(*count)++] = field;
  return true;
}

/// True if the function's upvalue of that number, from 0 on, is not a table or another value that
/// might run a script's function.
static bool is_upvalue_scalar(lua_State *L, int index, int number) {
  if (lua_getupvalue(L, index, number + 1) == NULL) return false;
  int type = lua_type(L, -1);
  lua_pop(L, 1);
  return type == LUA_TNIL || type == LUA_TBOOLEAN || type == LUA_TNUMBER || type == LUA_TSTRING;
}

/// True if the instruction compares or calculates with registers other than the first, loads one of
/// them, or jumps forwards.
static bool only_calculates(uint32_t code) {
  unsigned number = code & 0x7f, a = code >> 7 & 0xff, b = code >> 16 & 0xff, c = code >> 24;
  if (number == JMP) return code >> 7 >= NO_JUMP;
  if (number == RETURN0) return true;
  if (a == 0) return false;
  if (number == MOVE || number == TESTSET || number == EQ || number == LT || number == LE ||
      number == MMBIN || (number >= UNM && number < LEN) || (number >= ADDI && number < ADD)) {
    return b != 0;
  }
  if (number >= ADD && number < MMBIN) return b != 0 && c != 0;
  return number <= LOADK || (number >= LOADFALSE && number <= LOADNIL) ||
         (number > MMBIN && number < UNM) || (number >= EQK && number <= TEST) ||
         number == RETURN || number == RETURN1;
}

int latch_fields_read(lua_State *L, int index, uint32_t *fields) {
  if (lua_type(L, index) != LUA_TFUNCTION || lua_iscfunction(L, index)) return -1;
  const lua_code_part *code = ((const lua_function_part *)lua_topointer(L, index))->code;
  if (code->is_vararg || code->parameters > 1) return -1;
  const lua_constant_part *constants = code->constants;
  int count = 0;
  for (int32_t i = 0; i < code->sizes[LATCH_INSTRUCTIONS]; i++) {
    uint32_t each = code->instructions[i];
    unsigned number = each & 0x7f, a = each >> 7 & 0xff, b = each >> 16 & 0xff, c = each >> 24;
    if (number == GETFIELD) {
      if (a == 0 || b != 0 || !add_field(constants[c].text, fields, &count)) return -1;
    } else if (number == GETUPVAL) {
      if (a == 0 || !is_upvalue_scalar(L, index, (int)b)) return -1;
    } else if (!only_calculates(each)) {
      return -1;
    }
  }
  return count;
}

uint32_t latch_field_of(const char *name, size_t length) {
  // Up to 16 bytes, which most names have, all of them count.
  uint64_t first = 0, last = 0;
  if (length >= sizeof first) {
    memcpy(&first, name, sizeof first);
    memcpy(&last, name + length - sizeof last, sizeof last);
  } else {
    uint32_t halves[2] = {0, 0};
    if (length >= sizeof halves[0]) {
      memcpy(&halves[0], name, sizeof halves[0]);
      memcpy(&halves[1], name + length - sizeof halves[1], sizeof halves[1]);
    } else if (length > 0) {
      halves[0] = (uint32_t)(uint8_t)name[0] << 16 | (uint32_t)(uint8_t)name[length / 2] << 8 |
                  (uint8_t)name[length - 1];
    }
    first = (uint64_t)halves[0] << 32 | halves[1];
  }
  uint64_t mixed = (first ^ length) * 0x9e3779b97f4a7c15u;
  mixed = (mixed ^ mixed >> 29 ^ last) * 0xff51afd7ed558ccdu;
  return ((uint32_t)(mixed >> 32) & ~63u) | latch_field_bit(name, length);
}
