/// What one instruction may do that takes long, and how often the hook looks for it.
///
/// To compare two texts of megabytes is one instruction, and so is a look-up that goes through a chain
/// of two thousand tables. The hook charges such an instruction for a whole period of its like: the
/// period is a prime, so that each instruction of a loop is looked at in its turn, and on the average
/// what is charged is what was done. The longer the texts are that a VM holds, the shorter is the
/// period; from LATCH_HUGE_STRING on it is one, and the charge is exact and comes before the work.

#include <stdlib.h>
#include <string.h>

#include "instruction.h"
#include "vm.h"

/// Primes, see above.
enum { PERIOD = 997, PERIOD_WITH_LONG_STRINGS = 31 };

/// From these lengths on a string has the hook come more often.
enum { LATCH_LONG_STRING = 4 << 10, LATCH_HUGE_STRING = 256 << 10 };

/// Lua keeps shorter strings once, and compares their addresses.
enum { LATCH_LONGEST_SHORT = 40 };

/// So much of two strings is compared for one unit, and what following a chain by a table costs.
enum { LATCH_COMPARED_BYTES = 4, LATCH_LINK_UNITS = 16 };

/// So many tables behind a table cost nothing extra; longer chains than the other Lua refuses itself.
enum { LATCH_FEW_LINKS = 4, LATCH_MOST_LINKS = 2000 };

/// Where the hook comes at every instruction, it follows chains at some of them.
enum { LATCH_CHAINS_SEEN = 61 };

// MARK: Long strings

void latch_note_string(latch_vm *vm, void *block, size_t size) {
  if (size < LATCH_LONG_STRING) return;
  vm->has_long_strings = true;
  if (size >= LATCH_HUGE_STRING) {
    if (vm->huge_count == vm->huge_capacity) {
      size_t capacity = vm->huge_capacity == 0 ? 16 : 2 * vm->huge_capacity;
      void **moved = realloc(vm->huge, capacity * sizeof *moved);
      if (moved == NULL) {
        vm->huge_uncounted = true;
      } else {
        vm->huge = moved;
        vm->huge_capacity = capacity;
      }
    }
    if (vm->huge_count < vm->huge_capacity) vm->huge[vm->huge_count++] = block;
  }
  if (vm->running != NULL) latch_shorten_period(vm, vm->current);
}

void latch_forget_string(latch_vm *vm, const void *block, size_t size) {
  if (size < LATCH_HUGE_STRING) return;
  for (size_t i = 0; i < vm->huge_count; i++) {
    if (vm->huge[i] != block) continue;
    vm->huge[i] = vm->huge[--vm->huge_count];
    return;
  }
}

int latch_longest_period(const latch_vm *vm) {
  if (vm->huge_count > 0 || vm->huge_uncounted) return 1;
  return vm->has_long_strings ? PERIOD_WITH_LONG_STRINGS : PERIOD;
}

// MARK: Units

/// How far two texts are the same: what a comparison of them looks at.
static size_t common_length(latch_text_operand a, latch_text_operand b) {
  size_t least = a.length < b.length ? a.length : b.length, at = 0;
  enum { STRIDE = 256 };
  while (at + STRIDE <= least && memcmp(a.bytes + at, b.bytes + at, STRIDE) == 0) at += STRIDE;
  while (at < least && a.bytes[at] == b.bytes[at]) at++;
  return at;
}

static uint64_t comparison(latch_text_operand a, latch_text_operand b, bool same_length) {
  if (a.length <= LATCH_LONGEST_SHORT || b.length <= LATCH_LONGEST_SHORT) return 0;
  if (same_length && (a.length != b.length || a.bytes == b.bytes)) return 0;
  return common_length(a, b) / LATCH_COMPARED_BYTES;
}

/// How many tables stand behind the one on top of the stack, which is popped.
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

static bool push_table(lua_State *L, lua_Debug *frame, latch_instruction read) {
  if (!read.in_upvalue) return lua_getlocal(L, frame, read.table) != NULL;
  if (!lua_getinfo(L, "f", frame)) return false;
  bool found = lua_getupvalue(L, -1, read.table) != NULL;
  lua_remove(L, found ? -2 : -1);
  return found;
}

static uint64_t look_up(lua_State *L, lua_Debug *frame, latch_instruction read, int64_t period) {
  size_t length = read.first.length <= LATCH_LONGEST_SHORT ? 0 : read.first.length;
  uint64_t times = 1;
  if (length == 0 && period == 1) {
    if (latch_of(L)->budget % LATCH_CHAINS_SEEN != 0) return 0;
    times = LATCH_CHAINS_SEEN;
  }
  if (!push_table(L, frame, read)) return length;
  int count = links(L, read.work == LATCH_READS ? LATCH_R_STRING_INDEX : LATCH_R_STRING_NEWINDEX);
  if (length == 0 && count <= LATCH_FEW_LINKS) return 0;
  return times * (length + (uint64_t)count * (length + LATCH_LINK_UNITS));
}

uint64_t latch_instruction_units(lua_State *L, lua_Debug *frame, int64_t period) {
  latch_instruction read = latch_read_instruction(L, frame);
  switch (read.work) {
    case LATCH_EQUALS: return comparison(read.first, read.second, true);
    case LATCH_ORDERS: return comparison(read.first, read.second, false);
    case LATCH_READS:
    case LATCH_WRITES: return look_up(L, frame, read, period);
    case LATCH_COUNTS: return read.first.length + read.second.length;
    default: return 0;
  }
}

void latch_charge_links(lua_State *L, int index, latch_access access) {
  if (!lua_getmetatable(L, index)) return;
  lua_pop(L, 1);
  if (latch_kind(L, index) != LATCH_PLAIN) return;  // ours lead to no further
  latch_check_stack(L, 4, NULL);
  lua_pushvalue(L, index);
  int count =
    links(L, access == LATCH_ELEMENT_READ ? LATCH_R_STRING_INDEX : LATCH_R_STRING_NEWINDEX);
  if (count > LATCH_FEW_LINKS) latch_charge(L, (size_t)count * LATCH_LINK_UNITS);
}

void latch_charge_comparison(lua_State *L, int a, int b) {
  if (lua_type(L, a) != LUA_TSTRING || lua_type(L, b) != LUA_TSTRING) return;
  latch_text_operand first, second;
  first.bytes = lua_tolstring(L, a, &first.length);
  second.bytes = lua_tolstring(L, b, &second.length);
  latch_charge(L, (size_t)comparison(first, second, true));
}
