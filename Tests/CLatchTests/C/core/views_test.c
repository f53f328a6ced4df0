/// Random changes of a nested state (views.lua): the stored value of each view is the one that it would have
/// if it ran now.

#include "core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VIEWS = 28, STEPS = 120, SEEDS = 4 };

static const latch_run VIEW_RUN = {LATCH_VIEW, 10000000};

static char *read_flow(int seed) {
  enum { MOST = 1 << 16 };
  char *text = malloc(MOST);
  int length = snprintf(text, MOST, "local SEED = %d\n", seed);
  FILE *file = fopen("core/views.lua", "r");
  CHECK(file != NULL);
  if (file == NULL) exit(1);
  length += (int)fread(text + length, 1, (size_t)(MOST - length - 1), file);
  text[length] = 0;
  fclose(file);
  return text;
}

static latch_status value_of(latch_vm *vm, int32_t reader, latch_bytes *value) {
  latch_bytes bytes;
  latch_status status = latch_view_value(vm, reader, VIEW_RUN.budget, &bytes);
  *value = (latch_bytes){NULL, 0};
  if (status != LATCH_OK) return status;
  uint8_t *copy = malloc(bytes.length);
  memcpy(copy, bytes.bytes, bytes.length);
  *value = (latch_bytes){copy, bytes.length};
  return status;
}

/// Compares the view's value with that of a reader that has never run.
static void compare(latch_vm *vm, latch_ref view, int32_t reader) {
  int32_t fresh;
  latch_bytes stored, now;
  latch_status status = value_of(vm, reader, &stored);
  CHECK(latch_reader_add(vm, view, &fresh) == LATCH_OK);
  CHECK(value_of(vm, fresh, &now) == status);
  CHECK(status != LATCH_OK || same(stored, now));
  CHECK(vm->recorded.count == 0);
  free((void *)(uintptr_t)stored.bytes);
  free((void *)(uintptr_t)now.bytes);
}

static void views_have_the_values_of_now(int seed, bool traces) {
  char *text = read_flow(seed);
  latch_vm *vm = open_flow(text, 0);
  latch_ref views[VIEWS], change = function(vm, "change");
  int32_t readers[VIEWS];
  latch_bytes patch, value;
  if (traces) CHECK(latch_trace_open(vm) == LATCH_OK);
  for (int i = 0; i < VIEWS; i++) {
    char name[16];
    snprintf(name, sizeof name, "view%d", i + 1);
    views[i] = function(vm, name);
    CHECK(latch_reader_add(vm, views[i], &readers[i]) == LATCH_OK);
  }
  for (int step = 0; step < STEPS; step++) {
    latch_begin(vm);
    latch_status status = latch_call_reducer(vm, change, REDUCER);
    if (status == LATCH_OK) status = latch_promote(vm);
    // Some views run between two reducers of a transaction, as a rule may ask for them.
    for (int i = step % 3; status == LATCH_OK && i < VIEWS; i += 3) {
      latch_view_value(vm, readers[i], VIEW_RUN.budget, &value);
    }
    if (status == LATCH_OK && step % 5 == 0) status = latch_call_reducer(vm, change, REDUCER);
    if (status == LATCH_OK && step % 5 == 0) status = latch_promote(vm);
    bool stays = status == LATCH_OK && step % 7 != 0;
    if (!stays || latch_end_transaction(vm, &patch) != LATCH_OK) latch_rollback(vm);
    for (int i = step % 2; i < VIEWS; i += 2) compare(vm, views[i], readers[i]);
  }
  int64_t runs = 0;
  for (int i = 0; i < VIEWS; i++) runs += latch_reader_runs(vm, readers[i]);
  CHECK(runs > STEPS && runs < VIEWS * STEPS);  // some changes touch a view, and some do not
  latch_close(vm);
  free(text);
}

int main(void) {
  for (int seed = 1; seed <= SEEDS; seed++) {
    RUN(views_have_the_values_of_now(seed, false));
    RUN(views_have_the_values_of_now(seed, true));
  }
  return finish("views");
}
