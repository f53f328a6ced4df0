/// The callee of an instruction: the value itself, or a metamethod of one of its operands.

#include "layout/layout.h"
#include "layout/opcodes.h"

const char *const latch_event_names[LATCH_EVENTS] = {"__index", "__newindex", "__gc", "__mode",
  "__len", "__eq", "__add", "__sub", "__mul", "__mod", "__pow", "__div", "__idiv", "__band",
  "__bor", "__bxor", "__shl", "__shr", "__unm", "__bnot", "__lt", "__le", "__concat", "__call",
  "__close"};

typedef struct {
  latch_visit_callee *visit;
  void *context;
} latch_callee_visitor;

static void visit_operand(latch_callee_visitor visitor, const latch_cell *value, int event) {
  enum { MOST_ARGUMENTS = 3 };
  visitor.visit(visitor.context, value, event, MOST_ARGUMENTS);
}

/// A function of C may call its first arguments.
static void visit_called(latch_callee_visitor visitor, const latch_cell *callee, size_t arguments) {
  enum { LIKELY = 2 };
  if (callee->type == LATCH_CELL_LUA_FUNCTION) return;
  if (callee->type == LATCH_CELL_TABLE) {
    visitor.visit(visitor.context, callee, LATCH_IS_CALLED, arguments);
    return;
  }
  for (size_t i = 1; i <= LIKELY && i <= arguments; i++) {
    visitor.visit(visitor.context, callee + i, LATCH_IN_C, arguments - i);
  }
}

/// The values from a register on, to the last one.
static size_t open_count(const latch_frame *frame, unsigned first) {
  return frame->count > first ? frame->count - first : 0;
}

void latch_visit_callees(const latch_frame *frame, latch_visit_callee *visit, void *context) {
  latch_callee_visitor visitor = {visit, context};
  unsigned number = frame->code & 0x7f, a = frame->code >> 7 & 0xff, b = frame->code >> 16 & 0xff,
           c = frame->code >> 24;
  const latch_cell *registers = frame->registers;
  switch (number) {
    case MMBIN:
      if (c >= LATCH_EVENTS) return;
      visit_operand(visitor, &registers[b], (int)c);
      visit_operand(visitor, &registers[a], (int)c);
      return;
    case MMBINI:
    case MMBINK:
      if (c < LATCH_EVENTS) visit_operand(visitor, &registers[a], (int)c);
      return;
    case UNM: visit_operand(visitor, &registers[b], LATCH_EVENT_UNM); return;
    case BNOT: visit_operand(visitor, &registers[b], LATCH_EVENT_BNOT); return;
    case LEN: visit_operand(visitor, &registers[b], LATCH_EVENT_LEN); return;
    case CONCAT:
      for (unsigned i = 0; i < b; i++)
        visit_operand(visitor, &registers[a + i], LATCH_EVENT_CONCAT);
      return;
    case TBC: visit_operand(visitor, &registers[a], LATCH_EVENT_CLOSE); return;
    case EQ:
    case LT:
    case LE: {
      int event = number == EQ ? LATCH_EVENT_EQ : number == LT ? LATCH_EVENT_LT : LATCH_EVENT_LE;
      visit_operand(visitor, &registers[a], event);
      visit_operand(visitor, &registers[b], event);
      return;
    }
    case LTI:
    case GTI: visit_operand(visitor, &registers[a], LATCH_EVENT_LT); return;
    case LEI:
    case GEI: visit_operand(visitor, &registers[a], LATCH_EVENT_LE); return;
    case CALL:
    case TAILCALL:
      visit_called(visitor, &registers[a], b > 0 ? b - 1 : open_count(frame, a + 1));
      return;
    case TFORPREP:
    case TFORCALL: visit_called(visitor, &registers[a], 2); return;
    default: return;
  }
}

size_t latch_moved_values(const latch_frame *frame) {
  unsigned number = frame->code & 0x7f, a = frame->code >> 7 & 0xff, b = frame->code >> 16 & 0xff;
  bool moves = number == TAILCALL || number == RETURN || number == SETLIST;
  return moves && b == 0 ? open_count(frame, a) : 0;
}
