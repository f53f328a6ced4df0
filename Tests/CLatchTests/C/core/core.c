#include "core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// MARK: Allocations that fail

latch_vm *victim;
long countdown = -1;
bool once, hard;

void *__real_malloc(size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_calloc(size_t count, size_t size);

static bool fails(void) {
  if (countdown < 0) return false;
  if (!hard && victim != NULL && victim->unlimited > 0) return false;
  if (countdown > 0) {
    countdown--;
    return false;
  }
  if (once) countdown = -1;
  return true;
}

void *__wrap_malloc(size_t size) { return fails() ? NULL : __real_malloc(size); }
void *__wrap_realloc(void *block, size_t size) { return fails() ? NULL : __real_realloc(block, size); }
void *__wrap_calloc(size_t count, size_t size) {
  return fails() ? NULL : __real_calloc(count, size);
}

// MARK: Checks

const char *current = "";
static int checks, faults;

bool check(bool fine, const char *what, const char *file, int line) {
  checks++;
  if (!fine) {
    faults++;
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, current, what);
  }
  return fine;
}

int finish(const char *name) {
  printf("%s: %d checks, %d failed\n", name, checks, faults);
  return faults == 0 ? 0 : 1;
}

// MARK: A flow

const latch_run REDUCER = {LATCH_REDUCER, 1000000};
const latch_run RULE = {LATCH_RULE, 1000000};

latch_vm *open_flow(const char *source, size_t limit) {
  latch_vm *vm = latch_open(limit);
  if (vm == NULL) return NULL;
  latch_ref chunk;
  latch_bytes none = {0};
  latch_status status =
    latch_load(vm, (const uint8_t *)source, strlen(source), "=[moonlatch]", true, &chunk);
  if (status == LATCH_OK) {
    status = latch_call(vm, chunk, none, (latch_run){LATCH_LOADING, 1000000}, NULL);
  }
  if (status == LATCH_OK) return vm;
  latch_failure failure = latch_last_failure(vm);
  if (countdown < 0 && limit == 0) {
    fprintf(stderr, "%s: %.*s\n", current, (int)failure.message.length,
            (const char *)failure.message.bytes);
  }
  latch_close(vm);
  return NULL;
}

latch_ref function(latch_vm *vm, const char *name) {
  latch_ref reference = LATCH_NO_REF;
  latch_prelude_function(vm, name, &reference);
  return reference;
}

latch_status dispatch(latch_vm *vm, const char *name) {
  latch_ref reducer = function(vm, name);
  if (reducer == LATCH_NO_REF) return latch_last_failure(vm).status;
  latch_bytes patch;
  latch_begin(vm);
  latch_status status = latch_call_reducer(vm, reducer, REDUCER);
  if (status == LATCH_OK) status = latch_promote(vm);
  if (status == LATCH_OK) status = latch_end_transaction(vm, &patch);
  if (status != LATCH_OK) latch_rollback(vm);
  latch_release(vm, reducer);
  return status;
}

latch_bytes state(latch_vm *vm) {
  latch_bytes value = {0};
  if (latch_state_get(vm, &value) != LATCH_OK) return (latch_bytes){0};
  uint8_t *copy = malloc(value.length);
  memcpy(copy, value.bytes, value.length);
  return (latch_bytes){copy, value.length};
}

bool same(latch_bytes a, latch_bytes b) {
  return a.length == b.length && a.length > 0 && memcmp(a.bytes, b.bytes, a.length) == 0;
}

bool failed_with(latch_vm *vm, const char *part) {
  latch_bytes message = latch_last_failure(vm).message;
  char text[2048];
  snprintf(text, sizeof text, "%.*s", (int)message.length, (const char *)message.bytes);
  if (strstr(text, part) != NULL) return true;
  fprintf(stderr, "  the message is: %s\n", text);
  return false;
}

bool is_true(latch_vm *vm, const char *name) {
  latch_ref rule = function(vm, name);
  bool passed = latch_call_rule(vm, rule, LATCH_NO_REF, RULE) == LATCH_RULE_PASSED;
  latch_release(vm, rule);
  return passed;
}
