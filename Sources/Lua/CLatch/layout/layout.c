/// Checks that Lua's memory has the layout that this layer expects.

#include <stdatomic.h>

#include "layout/layout.h"

/// 1: it is as expected; -1: it differs; 0: there was no memory for the check.
static int layout_answer(void) {
  static atomic_int known = 0;
  int answer = atomic_load(&known);
  if (answer == 0) {
    const int answers[] = {latch_check_instructions(), latch_check_slots(), latch_check_blocks(),
      latch_check_cells(), latch_check_frames(), latch_check_probes()};
    answer = 1;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
      if (answers[i] < answer) answer = answers[i];
    }
    atomic_store(&known, answer);
  }
  return answer;
}

bool latch_knows_layout(void) { return layout_answer() > 0; }
bool latch_layout_differs(void) { return layout_answer() < 0; }
