/// How often the hook is called.
///
/// It charges the instruction that it finds for a whole period, as if all were like it. To find
/// each instruction of a loop in its turn, whatever the loop's length, the periods are primes, and
/// now and then one is cut short at a place that only a calculation predicts. The hook is called
/// the more often, the longer a single instruction may take: the longer the strings of the VM are,
/// and the larger the stack on which a chain of `__call` or a row of values may grow.

#include "machine/machine.h"

enum { LATCH_PERIODS_ALIKE = 16 };

/// The number of slots of a stack on which a chain of `__call` takes as long as some thousand
/// instructions, and as long as a million; and on which a row of values takes as long as some
/// thousand.
enum { LATCH_SMALL_STACK = 640, LATCH_LARGE_STACK = 2560, LATCH_HUGE_STACK = 64 << 10 };

int latch_period_on(const latch_vm *vm, lua_State *L) {
  int period = vm->hook.period;
  size_t slots = latch_stack_slots(L);
  if (slots <= LATCH_SMALL_STACK) return period;
  if (vm->hook.has_metatables && slots > LATCH_LARGE_STACK) return 1;
  bool is_short = vm->hook.has_metatables || slots > LATCH_HUGE_STACK;
  return is_short && period > LATCH_SHORT_PERIOD ? LATCH_SHORT_PERIOD : period;
}

/// Every few periods one is cut short, and so is one that was shorter before: a script must not be
/// able to decide which instruction is found next.
int latch_next_period(latch_vm *vm, lua_State *L, int64_t before) {
  int period = latch_period_on(vm, L);
  bool is_longer = period > before && !vm->hook.is_cut;
  vm->hook.is_cut = period > 1 && (++vm->hook.looks % LATCH_PERIODS_ALIKE == 0 || is_longer);
  return vm->hook.is_cut ? 1 + (int)(latch_hash(vm->hook.looks) % (uint32_t)period) : period;
}

// MARK: Stacks that are too large

static int fail(lua_State *L) {
  lua_pushnil(L);
  return lua_error(L);
}

/// Lua makes a stack smaller when it collects garbage, and after an error.
void latch_shrink_stack(lua_State *L) {
  size_t slots = latch_stack_slots(L);
  if (slots <= LATCH_SMALL_STACK || slots <= 4 * latch_stack_use(L)) return;
  lua_pushcfunction(L, fail);
  lua_pcall(L, 0, 0, 0);
  lua_pop(L, 1);
}
