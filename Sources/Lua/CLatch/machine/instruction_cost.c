/// Charges single instructions that may take long.
///
/// Comparing two strings of megabytes is one instruction, and so is a look-up that goes through a
/// chain of two thousand tables. The hook charges such an instruction for a whole period, as if all
/// were like it (period.c), so that on average the charge equals the work. If the period is one,
/// the charge is exact and comes before the work. COSTS.md lists each such instruction.

#include <string.h>

#include "machine/machine.h"

/// Lua has shorter strings only once, and compares their addresses.
enum { LATCH_LONGEST_SHORT = 40 };

/// The length of two strings that is compared for one unit, and the cost of following a chain by
/// one table.
enum { LATCH_COMPARED_BYTES = 4, LATCH_LINK_UNITS = 16 };

/// Chains up to the first length cost nothing extra; Lua itself rejects chains longer than the
/// second.
enum { LATCH_FEW_LINKS = 4, LATCH_MOST_LINKS = 2000 };

/// If the hook is called at every instruction, it follows chains at one in so many.
enum { LATCH_CHAINS_SEEN = 61 };

// MARK: Units

/// The length up to which two strings are equal, which is what a comparison reads.
static size_t common_length(latch_text_operand a, latch_text_operand b) {
  size_t least = a.length < b.length ? a.length : b.length, at = 0;
  enum { STRIDE = 256 };
  while (at + STRIDE <= least && memcmp(a.bytes + at, b.bytes + at, STRIDE) == 0) at += STRIDE;
  while (at < least && a.bytes[at] == b.bytes[at]) at++;
  return at;
}

uint64_t latch_comparison_units(latch_text_operand a, latch_text_operand b, bool same_length) {
  if (a.length <= LATCH_LONGEST_SHORT || b.length <= LATCH_LONGEST_SHORT) return 0;
  if (same_length && (a.length != b.length || a.bytes == b.bytes)) return 0;
  return common_length(a, b) / LATCH_COMPARED_BYTES;
}

/// The length of the chain of tables of the one on top of the stack, which is popped.
static int links(lua_State *L, int event) {
  int count = 0;
  while (count < LATCH_MOST_LINKS && lua_getmetatable(L, -1)) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, event);
    lua_rawget(L, -2);
    lua_replace(L, -3);
    lua_pop(L, 1);
    if (!lua_istable(L, -1)) break;
    count++;
  }
  lua_pop(L, 1);
  return count;
}

uint64_t latch_link_units(lua_State *L, int event) {
  int count = links(L, event);
  return count > LATCH_FEW_LINKS ? (uint64_t)count * LATCH_LINK_UNITS : 0;
}

static bool push_table(lua_State *L, lua_Debug *frame, latch_instruction read) {
  if (!read.in_upvalue) return lua_getlocal(L, frame, read.table) != NULL;
  if (!lua_getinfo(L, "f", frame)) return false;
  bool found = lua_getupvalue(L, -1, read.table) != NULL;
  lua_remove(L, found ? -2 : -1);
  return found;
}

/// The cost of probing other numbers than the one that is looked up.
static uint64_t probes(latch_vm *vm, const latch_frame *running) {
  size_t count = latch_frame_probes(running, vm->index_name, vm->newindex_name);
  latch_note_probes(vm, count);
  return count <= LATCH_FEW_PROBES ? 0 : count;
}

static uint64_t look_up(lua_State *L, lua_Debug *frame, latch_instruction read, int64_t period,
  const latch_frame *running) {
  latch_vm *vm = latch_of(L);
  size_t length = read.first.length <= LATCH_LONGEST_SHORT ? 0 : read.first.length;
  uint64_t times = 1;
  if (length == 0) {
    if (period == 1) {
      if (latch_hash((uint64_t)vm->budget.left) % LATCH_CHAINS_SEEN != 0) return 0;
      times = LATCH_CHAINS_SEEN;
    }
    uint64_t units = probes(vm, running);
    if (units > 0) return times * units;
  }
  if (!push_table(L, frame, read)) return length;
  int count = links(L, read.kind == LATCH_READS ? LATCH_R_STRING_INDEX : LATCH_R_STRING_NEWINDEX);
  if (length == 0 && count <= LATCH_FEW_LINKS) return 0;
  return times * (length + (uint64_t)count * (length + LATCH_LINK_UNITS));
}

uint64_t latch_instruction_units(lua_State *L, lua_Debug *frame, int64_t period) {
  latch_frame running = latch_running_frame(L);
  uint64_t units = latch_call_units(latch_of(L), &running);
  if (units > 0) return units;
  latch_instruction read = latch_read_instruction(L, frame);
  switch (read.kind) {
    case LATCH_EQUALS: return latch_comparison_units(read.first, read.second, true);
    case LATCH_ORDERS: return latch_comparison_units(read.first, read.second, false);
    case LATCH_READS:
    case LATCH_WRITES: return look_up(L, frame, read, period, &running);
    case LATCH_COUNTS: return read.first.length + read.second.length;
    default: return 0;
  }
}
