/// Readers (views and invariants), and their flags: whether a reader is stale, and whether the host
/// has yet to ask for it. Readers that a transaction does not affect cost no time here.

#include <stdlib.h>
#include <string.h>

#include "state/state.h"

/// The flags of a reader. If a transaction is rolled back, a reader that it made stale gets its
/// former flags, and the host does not see it; unless the reader has run in the meantime.
enum {
  STALE = 1,          ///< it has to run before its value can be used
  TOUCHED = 2,        ///< it became stale, and the host has not asked yet: it is in the list of
                      ///< those
  DOUBTED = 4,        ///< it became stale in the current transaction
  RAN = 8,            ///< it has run in the current transaction
  JUST_TOUCHED = 16,  ///< the current transaction has put it into the list
  HOLDS = 32,         ///< a condition: it was true when it last ran
  UNDECIDED = DOUBTED | RAN | JUST_TOUCHED,  ///< it is in the list of undecided readers
};

/// Puts the reader into the list of readers whose flags are decided at the end of the transaction.
static void leave_undecided(latch_vm *vm, int32_t reader, int why) {
  latch_reader *known = &vm->readers[reader];
  if ((known->known & UNDECIDED) == 0) {
    known->next_undecided = vm->undecided;
    vm->undecided = reader;
  }
  known->known |= (uint8_t)why;
}

static bool is_condition(const latch_vm *vm, int32_t reader) {
  return reader >= vm->conditions.from && reader < vm->conditions.end;
}

void latch_mark_reader(latch_vm *vm, lua_Integer number) {
  if (number < 0 || number >= vm->reader_count) return;
  int32_t reader = (int32_t)number;
  latch_reader *known = &vm->readers[reader];
  if ((known->known & STALE) == 0) {
    if (vm->in_transaction) leave_undecided(vm, reader, DOUBTED);
    if (is_condition(vm, reader)) vm->conditions.touched = true;
  }
  if ((known->known & TOUCHED) == 0) {
    known->next_touched = vm->touched;
    vm->touched = reader;
    if (vm->in_transaction) leave_undecided(vm, reader, JUST_TOUCHED);
  }
  known->known |= STALE | TOUCHED;
  known->paid = 0;
}

void latch_readers_reset(latch_vm *vm) {
  for (int32_t reader = 0; reader < vm->reader_count; reader++) latch_mark_reader(vm, reader);
}

void latch_reader_runs_now(latch_vm *vm, int32_t reader) {
  vm->readers[reader].runs++;
  if (vm->in_transaction) leave_undecided(vm, reader, RAN);
  vm->readers[reader].known &= (uint8_t)~DOUBTED;
  vm->readers[reader].known |= STALE;  // until it has ended
}

void latch_reader_has_run(latch_vm *vm, int32_t reader) {
  vm->readers[reader].known &= (uint8_t)~STALE;
}

void latch_decide_readers(latch_vm *vm, bool rolled_back) {
  // Readers that became stale last are at the head of the list.
  while (rolled_back && vm->touched >= 0 && (vm->readers[vm->touched].known & JUST_TOUCHED)) {
    latch_take_touched_reader(vm);
  }
  while (vm->undecided >= 0) {
    latch_reader *known = &vm->readers[vm->undecided];
    if (rolled_back && (known->known & RAN)) known->known |= STALE;
    else if (rolled_back && (known->known & DOUBTED)) known->known &= (uint8_t)~STALE;
    known->known &= (uint8_t)~UNDECIDED;
    vm->undecided = known->next_undecided;
  }
}

// MARK: Conditions

bool latch_take_touched_conditions(latch_vm *vm) {
  bool touched = vm->conditions.touched;
  vm->conditions.touched = false;
  return touched;
}

void latch_touch_conditions(latch_vm *vm) {
  vm->conditions.touched = vm->conditions.end > vm->conditions.from;
}

void latch_condition_has_run(latch_vm *vm, int32_t reader, bool holds) {
  latch_reader_has_run(vm, reader);
  if (holds) vm->readers[reader].known |= HOLDS;
  else vm->readers[reader].known &= (uint8_t)~HOLDS;
}

bool latch_condition_holds(const latch_vm *vm, int32_t reader) {
  return (vm->readers[reader].known & HOLDS) != 0;
}

// MARK: Asking

bool latch_reader_is_stale(const latch_vm *vm, int32_t reader) {
  return reader < 0 || reader >= vm->reader_count || (vm->readers[reader].known & STALE) != 0;
}

int32_t latch_next_stale_reader(const latch_vm *vm, int32_t from, int32_t end) {
  if (end > vm->reader_count) end = vm->reader_count;
  for (int32_t reader = from < 0 ? 0 : from; reader < end; reader++) {
    if (vm->readers[reader].known & STALE) return reader;
  }
  return LATCH_NO_READER;
}

int32_t latch_take_touched_reader(latch_vm *vm) {
  int32_t reader = vm->touched;
  if (reader < 0) return LATCH_NO_READER;
  vm->readers[reader].known &= (uint8_t)~TOUCHED;
  vm->touched = vm->readers[reader].next_touched;
  return reader;
}

int64_t latch_reader_runs(const latch_vm *vm, int32_t reader) {
  return reader < 0 || reader >= vm->reader_count ? 0 : vm->readers[reader].runs;
}

// MARK: Declaring

typedef struct {
  latch_ref function;
  int32_t reader;
  int field_count;
  uint32_t fields[LATCH_MOST_FIELDS];
  bool keeps;
} latch_new_reader;

static int add(lua_State *L) {
  latch_new_reader *request = lua_touserdata(L, 1);
  lua_createtable(L, 3, 0);
  lua_rawgeti(L, LUA_REGISTRYINDEX, request->function);
  request->field_count = latch_fields_read(L, lua_gettop(L), request->fields);
  request->keeps = latch_may_keep(L, -1);
  lua_rawseti(L, -2, LATCH_READER_FUNCTION);
  lua_pushboolean(L, 0);
  lua_rawseti(L, -2, LATCH_READER_VALUE);
  lua_newtable(L);
  lua_rawseti(L, -2, LATCH_READER_READS);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_READERS);
  lua_insert(L, -2);
  lua_rawseti(L, -2, request->reader + 1);
  return 0;
}

latch_status latch_reader_add(latch_vm *vm, latch_ref function, int32_t *reader) {
  if (vm->reader_count == vm->reader_capacity) {
    int32_t capacity = vm->reader_capacity == 0 ? 8 : vm->reader_capacity * 2;
    latch_reader *readers = realloc(vm->readers, (size_t)capacity * sizeof *readers);
    if (readers == NULL) return latch_record_text(vm, LATCH_MEMORY, "not enough memory");
    vm->readers = readers;
    vm->reader_capacity = capacity;
  }
  latch_new_reader request = {.function = function, .reader = vm->reader_count};
  latch_status status = latch_protect(vm, add, &request, 0);
  if (status != LATCH_OK) return status;
  *reader = vm->reader_count++;
  latch_reader *known = &vm->readers[*reader];
  *known = (latch_reader){.known = STALE,
    .field_count = (int8_t)request.field_count,
    .function = function,
    .keeps = request.keeps};
  memcpy(known->fields, request.fields, sizeof known->fields);
  return LATCH_OK;
}
