/// Finds the registers of a function that are still needed at an instruction: those that may be
/// read before they are written.
///
/// The usual analysis, backwards until nothing changes. Reporting too many registers is safe, too
/// few is not: an instruction that is not known to leave a register alone reads it, and only an
/// instruction that always writes it counts as a write.

#include <string.h>

#include "layout/layout.h"
#include "layout/opcodes.h"

typedef struct {
  uint32_t code;
  unsigned number, a, b, c;
  bool k;
} instruction;

static instruction read(uint32_t code) {
  return (instruction){
    code, code & 0x7f, code >> 7 & 0xff, code >> 16 & 0xff, code >> 24, code >> 15 & 1};
}

/// True for an arithmetic operation, which another instruction follows that calls a metamethod if
/// the operands are not numbers.
static bool is_operation(instruction i) { return i.number >= ADDI && i.number < MMBIN; }

static void add(latch_registers *set, unsigned number) {
  set->words[number >> 6 & 3] |= (uint64_t)1 << (number & 63);
}

static void add_row(latch_registers *set, unsigned from, unsigned end) {
  for (unsigned i = from; i < end && i < 256; i++) add(set, i);
}

static void drop_row(latch_registers *set, unsigned from, unsigned end) {
  for (unsigned i = from; i < end && i < 256; i++) set->words[i >> 6] &= ~((uint64_t)1 << (i & 63));
}

bool latch_is_live(const latch_registers *set, unsigned number) {
  return set->words[number >> 6 & 3] >> (number & 63) & 1;
}

/// Removes the registers that the instruction always writes. A call with any number of results is
/// followed by an instruction that takes as many.
static void drop_written(latch_registers *set, instruction i, unsigned stack) {
  if (i.number <= LOADTRUE ||
      (i.number >= GETUPVAL && i.number <= GETFIELD && i.number != SETUPVAL) ||
      i.number == NEWTABLE || (i.number >= UNM && i.number <= LEN))
    drop_row(set, i.a, i.a + 1);
  else if (i.number == LOADNIL) drop_row(set, i.a, i.a + i.b + 1);
  else if (i.number == SELF) drop_row(set, i.a, i.a + 2);
  else if (i.number == CALL) drop_row(set, i.a, i.c > 0 ? i.a + i.c - 1 : stack);
  else if (i.number == TFORCALL) drop_row(set, i.a + 4, i.a + 4 + i.c);
}

/// Adds the registers that the instruction may read; `stack` is the number of registers of the
/// function.
static void add_read(latch_registers *set, instruction i, unsigned stack) {
  switch (i.number) {
    case MOVE:
    case GETI:
    case GETFIELD:
    case UNM:
    case BNOT:
    case NOT:
    case LEN:
    case TESTSET: add(set, i.b); return;
    case GETTABLE:
      add(set, i.b);
      add(set, i.c);
      return;
    case SELF:
      add(set, i.b);
      if (!i.k) add(set, i.c);
      return;
    case SETTABUP:
      if (!i.k) add(set, i.c);
      return;
    case SETTABLE: add(set, i.b);  // falls through
    case SETI:
    case SETFIELD:
      add(set, i.a);
      if (!i.k) add(set, i.c);
      return;
    case MMBIN:
    case EQ:
    case LT:
    case LE: add(set, i.b);  // falls through
    case SETUPVAL:
    case MMBINI:
    case MMBINK:
    case EQK:
    case EQI:
    case LTI:
    case LEI:
    case GTI:
    case GEI:
    case TEST:
    case RETURN1: add(set, i.a); return;
    case CONCAT: add_row(set, i.a, i.a + i.b); return;
    // The only to-be-closed variable is that of a loop, and no function shares one.
    case CLOSE: add_row(set, i.a, i.a + 4); return;
    case CALL:
    case TAILCALL: add_row(set, i.a, i.b > 0 ? i.a + i.b : stack); return;
    case RETURN: add_row(set, i.a, i.b > 0 ? i.a + i.b - 1 : stack); return;
    case SETLIST: add_row(set, i.a, i.b > 0 ? i.a + i.b + 1 : stack); return;
    case FORLOOP: add_row(set, i.a, i.a + 3); return;
    case FORPREP: add_row(set, i.a, i.a + 3); return;
    case TFORPREP:
    case TFORCALL: add_row(set, i.a, i.a + 4); return;
    case TFORLOOP:
      add_row(set, i.a, i.a + 2);
      add_row(set, i.a + 3, i.a + 5);
      return;
    default: break;
  }
  if (is_operation(i)) add(set, i.b);
  if (i.number >= ADD && i.number < MMBIN) add(set, i.c);
}

/// The instructions that may follow: their number, at most 2. 0 if the function ends.
static int find_next(instruction i, int32_t at, int32_t *next) {
  int32_t far = (int32_t)(i.code >> 15);
  next[0] = at + 1;
  switch (i.number) {
    case RETURN:
    case RETURN0:
    case RETURN1: return 0;
    case JMP: next[0] = at + 1 + ((int32_t)(i.code >> 7) - ((1 << 24) - 1)); return 1;
    case LFALSESKIP:
    case LOADKX: next[0] = at + 2; return 1;
    case TFORPREP: next[0] = at + 1 + far; return 1;
    case FORLOOP:
    case TFORLOOP: next[1] = at + 1 - far; return 2;
    case FORPREP: next[1] = at + 2 + far; return 2;
    default: break;
  }
  // An operation is followed by the call of a metamethod in its place, a comparison by a jump.
  bool may_skip = is_operation(i) || (i.number >= EQ && i.number <= TESTSET);
  next[1] = at + 2;
  return may_skip ? 2 : 1;
}

static bool is_known(const lua_code_part *code) {
  if (code->is_vararg || code->sizes[LATCH_FUNCTIONS] > 0) return false;
  for (int32_t i = 0; i < code->sizes[LATCH_INSTRUCTIONS]; i++) {
    unsigned number = code->instructions[i] & 0x7f;
    if (number == TBC || number == CLOSURE || number == VARARG || number == VARARGPREP ||
        number > EXTRAARG)
      return false;
  }
  return true;
}

bool latch_find_live(const lua_code_part *code, latch_registers *before) {
  int32_t count = code->sizes[LATCH_INSTRUCTIONS];
  if (!is_known(code)) return false;
  memset(before, 0, (size_t)count * sizeof *before);
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (int32_t at = count - 1; at >= 0; at--) {
      instruction i = read(code->instructions[at]);
      latch_registers live = latch_live_after(code, before, at);
      drop_written(&live, i, code->stack);
      // The result of a metamethod goes where the operation before it would have put its own.
      if (i.number >= MMBIN && i.number <= MMBINK && at > 0) {
        unsigned result = read(code->instructions[at - 1]).a;
        drop_row(&live, result, result + 1);
      }
      add_read(&live, i, code->stack);
      if (memcmp(&live, &before[at], sizeof live) == 0) continue;
      before[at] = live;
      is_changed = true;
    }
  }
  return true;
}

latch_registers latch_live_after(
  const lua_code_part *code, const latch_registers *before, int32_t at) {
  instruction this = read(code->instructions[at]);
  int32_t next[2], count = find_next(this, at, next);
  // A numeric loop writes its variable when it continues, an operation its result when it needs no
  // metamethod.
  int32_t written = this.number == FORPREP ? next[0] : this.number == FORLOOP ? next[1] : -1;
  unsigned place = this.a + 3;
  if (is_operation(this)) {
    written = next[1];
    place = this.a;
  }
  latch_registers live = {{0}};
  for (int i = 0; i < count; i++) {
    if (next[i] < 0 || next[i] >= code->sizes[LATCH_INSTRUCTIONS]) continue;
    latch_registers there = before[next[i]];
    if (next[i] == written) drop_row(&there, place, place + 1);
    for (int word = 0; word < 4; word++) live.words[word] |= there.words[word];
  }
  return live;
}
