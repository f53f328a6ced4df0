/// Whether Lua is laid out as this floor takes it to be.

#include <stdatomic.h>

#include "layout/layout.h"

bool latch_knows_layout(void) {
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
  return answer > 0;
}
