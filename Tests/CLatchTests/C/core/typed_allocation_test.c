/// A state with types: memory that runs out at every single allocation, while types are made, while a
/// VM takes them up, and in transitions that put, complete, move and refuse.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

#define TEXT(bytes) ((latch_bytes){(const uint8_t *)(bytes), sizeof(bytes) - 1})

enum { ROOT = 1, ITEMS, ITEM, NAME, COUNT, STATUS, BY_NAME, CODE, TYPES };

static const uint8_t EMPTY_LIST[] = {LATCH_TAG_LIST, 0};
static const uint8_t EMPTY_MAP[] = {LATCH_TAG_OPEN, 0};
static const uint8_t ZERO[] = {LATCH_TAG_INTEGER, 0, 0, 0, 0, 0, 0, 0, 0};
static const uint8_t NEW[] = {LATCH_TAG_STRING, 3, 'n', 'e', 'w'};
static const uint8_t SENT[] = {LATCH_TAG_STRING, 4, 's', 'e', 'n', 't'};
static const uint8_t A1[] = {LATCH_TAG_STRING, 2, 'A', '1'};
#define ENCODED(bytes) ((latch_bytes){bytes, sizeof bytes})

/// Gives NULL where there is no memory.
static latch_types *make_types(void) {
  latch_types *types = latch_types_new(TYPES);
  if (types == NULL) return NULL;
  const latch_field_spec root[] = {
    {TEXT("by_name"), BY_NAME, false, false}, {TEXT("code"), CODE, false, false},
    {TEXT("items"), ITEMS, false, false},     {TEXT("last"), ITEM, true, false},
    {TEXT("total"), COUNT, false, false},     {TEXT("x"), 0, false, false},
  };
  const latch_field_spec item[] = {
    {TEXT("count"), COUNT, false, false},
    {TEXT("name"), NAME, false, false},
    {TEXT("note"), NAME, true, false},
    {TEXT("status"), STATUS, false, false},
  };
  const latch_bytes choices[] = {ENCODED(NEW), ENCODED(SENT)};
  latch_type_spec specs[TYPES] = {
    [ROOT] = {.kind = LATCH_TYPE_RECORD, .is_place = true, .fields = root, .field_count = 6},
    [ITEMS] = {.kind = LATCH_TYPE_LIST, .max_length = 5, .element = ITEM,
      .begins = ENCODED(EMPTY_LIST)},
    [ITEM] = {.kind = LATCH_TYPE_RECORD, .fields = item, .field_count = 4},
    [NAME] = {.kind = LATCH_TYPE_STRING, .max_length = 100},
    [COUNT] = {.kind = LATCH_TYPE_INTEGER, .min = ENCODED(ZERO), .begins = ENCODED(ZERO)},
    [STATUS] = {.kind = LATCH_TYPE_ONE_OF, .choices = choices, .choice_count = 2,
      .begins = ENCODED(NEW)},
    [BY_NAME] = {.kind = LATCH_TYPE_MAP, .max_length = UINT32_MAX, .element = ITEM, .key = NAME,
      .begins = ENCODED(EMPTY_MAP)},
    [CODE] = {.kind = LATCH_TYPE_STRING, .max_length = 10, .pattern = TEXT("^%u%d+$"),
      .begins = ENCODED(A1)},
  };
  for (uint32_t number = 1; number < TYPES; number++) {
    if (latch_types_set(types, number, &specs[number])) continue;
    latch_types_free(types);
    return NULL;
  }
  return types;
}

static const char FLOW[] =
  "host.declare_state { x = 0 }\n"
  "function host.step(s)\n"
  "  s.x = s.x + 1\n"
  "  s.total = s.total + 1.0\n"
  "  s.code = 'B' .. s.x\n"
  "  table.insert(s.items, { name = 'a' .. s.x })\n"
  "  s.items[#s.items + 1] = { name = 'b', count = 2.0, note = 'n' }\n"
  "  s.by_name['k' .. s.x] = table.remove(s.items, 1)\n"
  "  s.by_name['k' .. s.x].status = 'sent'\n"
  "  local late = { name = 'late' }\n"
  "  s.last = late\n"
  "  late.note = 'filled on'\n"
  "  s.items[1].name = s.items[1].name .. ('x'):rep(50)\n"
  "  for i = 1, 20 do s.by_name['m' .. i] = { name = 'm' .. i } end\n"
  "  s.items = { s.items[1], { name = 'c' } }\n"
  "  while #s.items > 2 do table.remove(s.items) end\n"
  "end\n"
  "function host.late(s) host.step(s) s.last = { count = 1 } end\n"
  "function host.long(s) host.step(s) for i = 1, 9 do table.insert(s.items, { name = 'd' }) end end\n"
  "function host.wrong(s) host.step(s) s.items[1].status = 'snet' end\n"
  "function host.caught(s)\n"
  "  host.step(s)\n"
  "  pcall(function() s.total = 'many' end) pcall(function() s.other = 1 end)\n"
  "  pcall(function() s.by_name[('k'):rep(200)] = { name = '' } end)\n"
  "end\n"
  "function host.view(s) local t = {} for k, e in pairs(s.by_name) do t[k] = e.status end return t end\n";

static latch_vm *open_typed(const latch_types *types) {
  latch_vm *vm = latch_open(0);
  if (vm == NULL) return NULL;
  latch_set_types(vm, types, ROOT);
  latch_ref chunk;
  latch_status status = latch_load(
    vm, (const uint8_t *)FLOW, strlen(FLOW), "=[moonlatch]", true, &chunk);
  if (status == LATCH_OK) {
    status = latch_call(vm, chunk, (latch_bytes){0}, (latch_run){LATCH_LOADING, 1000000}, NULL);
  }
  if (status == LATCH_OK) return vm;
  if (countdown < 0) failed_with(vm, "(memory)");
  latch_close(vm);
  return NULL;
}

static void making_survives_every_failure(bool only_one) {
  long n = 0;
  for (bool is_made = false; !is_made && n < 1000; n++) {
    countdown = n;
    once = only_one;
    hard = true;
    latch_types *types = make_types();
    is_made = countdown > 0;
    CHECK((types != NULL) == is_made || countdown == 0);
    countdown = -1;
    latch_types_free(types);
  }
  CHECK(n > 10 && n < 1000);
}

static void opening_survives_every_failure(const latch_types *types, bool only_one) {
  long n = 0;
  for (bool is_open = false; !is_open && n < 100000; n++) {
    countdown = n;
    once = only_one;
    hard = true;
    victim = NULL;
    latch_vm *vm = open_typed(types);
    is_open = vm != NULL && countdown > 0;
    countdown = -1;
    latch_close(vm);
  }
  CHECK(n > 20 && n < 100000);
}

/// Dispatches with the Nth allocation failing, for N = 0, 1, ... until none fails.
static void dispatch_survives_every_failure(
  const latch_types *types, const char *action, bool only_one, latch_status end) {
  long n = 0;
  for (; n < 200000; n++) {
    latch_vm *vm = open_typed(types);
    if (!CHECK(vm != NULL)) return;
    CHECK(dispatch(vm, "step") == LATCH_OK);
    int32_t view;
    latch_bytes value, patch;
    latch_reader_add(vm, function(vm, "view"), &view);
    latch_view_value(vm, view, 100000, &value);
    latch_bytes before = state(vm);
    latch_ref reducer = function(vm, action);
    victim = vm;
    once = only_one;
    hard = false;
    countdown = n;
    latch_begin(vm);
    latch_status status = latch_call_reducer(vm, reducer, REDUCER);
    if (status == LATCH_OK) status = latch_promote(vm);
    if (status == LATCH_OK) status = latch_end_transaction(vm, &patch);
    if (status != LATCH_OK) latch_rollback(vm);
    bool used_up = countdown > 0;
    countdown = -1;
    victim = NULL;
    if (used_up && !CHECK(status == end)) failed_with(vm, "(as expected)");
    latch_bytes after = state(vm);
    if (!CHECK((status == LATCH_OK) != same(before, after))) fprintf(stderr, "  allocation %ld\n", n);
    // Whatever happened, the VM goes on.
    CHECK(dispatch(vm, "wrong") == LATCH_RUNTIME);
    CHECK(dispatch(vm, "step") == LATCH_OK);
    CHECK(latch_view_value(vm, view, 100000, &value) == LATCH_OK);
    free((void *)before.bytes);
    free((void *)after.bytes);
    latch_close(vm);
    if (used_up) break;
  }
  CHECK(n > 20 && n < 200000);
}

int main(void) {
  RUN(making_survives_every_failure(true));
  RUN(making_survives_every_failure(false));
  latch_types *types = make_types();
  if (!CHECK(types != NULL)) return finish("typed_allocation");
  RUN(opening_survives_every_failure(types, true));
  RUN(opening_survives_every_failure(types, false));
  RUN(dispatch_survives_every_failure(types, "step", true, LATCH_OK));
  RUN(dispatch_survives_every_failure(types, "step", false, LATCH_OK));
  RUN(dispatch_survives_every_failure(types, "caught", true, LATCH_OK));
  RUN(dispatch_survives_every_failure(types, "late", true, LATCH_RUNTIME));
  RUN(dispatch_survives_every_failure(types, "long", true, LATCH_RUNTIME));
  RUN(dispatch_survives_every_failure(types, "wrong", false, LATCH_RUNTIME));
  latch_types_free(types);
  return finish("typed_allocation");
}
