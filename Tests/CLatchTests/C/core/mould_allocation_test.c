/// A mould for which memory runs out anywhere is none, and neither is a VM cast from it; nothing is left
/// behind.

#include "core.h"

static const char FLOW[] =
  "host.declare_state { rows = { { n = 1 }, { n = 2 } } }\n"
  "function host.step(s) s.rows[1].n = s.rows[1].n + 1 end\n"
  "function host.fine(s) return s.rows[1].n == 2 end\n";

static latch_vm *load_noted(void) {
  latch_vm *vm = latch_open_noted(0);
  latch_ref chunk;
  latch_status status =
    vm == NULL ? LATCH_MEMORY
               : latch_load(vm, (const uint8_t *)FLOW, sizeof FLOW - 1, "=[moonlatch]", true, &chunk);
  if (status == LATCH_OK) {
    status = latch_call(vm, chunk, (latch_bytes){0}, (latch_run){LATCH_LOADING, 1000000}, NULL);
  }
  if (status == LATCH_OK) {
    latch_collect_garbage(vm);
    return vm;
  }
  latch_close(vm);
  return NULL;
}

/// The mould of such a VM, where each allocation from `after` on fails, or that one alone.
static latch_template *make(long after, bool is_only) {
  once = is_only;
  hard = true;
  countdown = after;
  latch_vm *vm = load_noted();
  latch_template *vm_template = vm == NULL ? NULL : latch_make_template(vm);
  countdown = -1;
  latch_close(vm);
  return vm_template;
}

static void play(latch_template *vm_template) {
  latch_vm *vm = latch_clone(vm_template);
  if (!CHECK(vm != NULL)) return;
  CHECK(dispatch(vm, "step") == LATCH_OK);
  CHECK(is_true(vm, "fine"));
  latch_close(vm);
}

static void moulds_come_whole_or_not_at_all(void) {
  for (int only = 0; only < 2; only++) {
    latch_template *vm_template = NULL;
    long refused = 0;
    while (refused < 100000) {
      vm_template = make(refused, only);
      if (vm_template != NULL && !only) break;
      if (vm_template != NULL) {
        play(vm_template);
        latch_drop_template(vm_template);
        vm_template = NULL;
        if (refused > 3000) break;
      }
      refused += only ? 7 : 1;
    }
    CHECK(refused > 100);
    if (vm_template != NULL) play(vm_template);
    latch_drop_template(vm_template);
  }
}

static void casts_come_whole_or_not_at_all(void) {
  latch_template *vm_template = make(-1, false);
  if (!CHECK(vm_template != NULL)) return;
  latch_vm *vm = NULL;
  long refused = 0;
  for (; vm == NULL && refused < 100; refused++) {
    countdown = refused;
    once = false;
    vm = latch_clone(vm_template);
    countdown = -1;
  }
  CHECK(refused > 2 && refused < 10);
  CHECK(vm != NULL && dispatch(vm, "step") == LATCH_OK);
  latch_close(vm);
  play(vm_template);
  latch_drop_template(vm_template);
}

int main(void) {
  latch_vm *first = latch_open(0);  // what is tried out once in a process
  latch_close(first);
  RUN(moulds_come_whole_or_not_at_all());
  RUN(casts_come_whole_or_not_at_all());
  return finish("mould allocation");
}
