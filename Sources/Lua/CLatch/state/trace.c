/// Traced runs: a script's reads and writes of the state, reported place by place.
///
/// An exploration uses traces to find the places on which a result depends. In a VM that traces,
/// the tables of the state are read and written through functions: such a VM is slower, and
/// otherwise the same. Other VMs pay nothing for it.
///
/// A trace refers to the state at the start of the run: each of its tables has a number. Tables
/// that are created later have none, and reads and writes of those are not reported. A trace may
/// report more reads than there were, but never fewer.

#include <stdlib.h>

#include "state/state.h"

/// The most bytes that are reported of a run; a longer trace is not worth learning from.
enum { MOST_EVENTS = 4 << 20 };

// MARK: Numbers of tables

static uint32_t slot_of(const latch_trace *trace, const void *node) {
  uint64_t mixed = (uint64_t)(uintptr_t)node * 0x9e3779b97f4a7c15u;
  uint32_t slot = (uint32_t)(mixed >> 32) & (trace->capacity - 1);
  while (trace->tables[slot] != NULL && trace->tables[slot] != node) {
    slot = (slot + 1) & (trace->capacity - 1);
  }
  return slot;
}

static bool grow(latch_trace *trace) {
  uint32_t capacity = trace->capacity == 0 ? 64 : trace->capacity * 2;
  latch_trace bigger = *trace;
  bigger.capacity = capacity;
  bigger.tables = calloc(capacity, sizeof *bigger.tables);
  bigger.numbers = calloc(capacity, sizeof *bigger.numbers);
  if (bigger.tables == NULL || bigger.numbers == NULL) {
    free(bigger.tables);
    free(bigger.numbers);
    trace->fails = true;
    return false;
  }
  for (uint32_t i = 0; i < trace->capacity; i++) {
    if (trace->tables[i] == NULL) continue;
    uint32_t slot = slot_of(&bigger, trace->tables[i]);
    bigger.tables[slot] = trace->tables[i];
    bigger.numbers[slot] = trace->numbers[i];
  }
  free(trace->tables);
  free(trace->numbers);
  *trace = bigger;
  return true;
}

uint32_t latch_trace_number(latch_trace *trace, const void *node, latch_digest place) {
  if (2 * trace->count >= trace->capacity && !grow(trace)) return 0;
  if (trace->count == trace->place_capacity) {
    uint32_t capacity = trace->place_capacity == 0 ? 64 : trace->place_capacity * 2;
    latch_digest *places = realloc(trace->places, capacity * sizeof *places);
    if (places == NULL) {
      trace->fails = true;
      return 0;
    }
    trace->places = places;
    trace->place_capacity = capacity;
  }
  uint32_t slot = slot_of(trace, node);
  trace->tables[slot] = node;
  trace->places[trace->count] = place;
  return trace->numbers[slot] = ++trace->count;
}

/// 0 for a table that did not exist.
static uint32_t number_of(const latch_trace *trace, const void *node) {
  return trace->capacity == 0 ? 0 : trace->numbers[slot_of(trace, node)];
}

const latch_digest *latch_trace_place(const latch_trace *trace, const void *node) {
  uint32_t number = number_of(trace, node);
  return number == 0 ? NULL : &trace->places[number - 1];
}

// MARK: What is told

static void add_byte(latch_buffer *out, uint8_t byte) { latch_buffer_add(out, &byte, 1); }

void latch_trace_add_number(latch_buffer *out, uint32_t number) {
  uint8_t bytes[4];
  for (int i = 0; i < 4; i++) bytes[i] = (uint8_t)(number >> (8 * i));
  latch_buffer_add(out, bytes, 4);
}

static void add_scalar(latch_buffer *out, latch_scalar scalar) {
  uint8_t *room = latch_buffer_room(out, latch_most_scalar_bytes(scalar));
  if (room != NULL) out->length += (size_t)(latch_write_scalar(room, scalar) - room);
}

bool latch_is_traced(const latch_vm *vm) {
  return vm->trace != NULL && vm->trace->is_on && vm->run.depth > 0 && !vm->trace_is_paused;
}

/// Begins an event about the node; false if there is nothing to report.
static bool begin_event(latch_vm *vm, const void *node, latch_trace_event event) {
  latch_trace *trace = vm->trace;
  uint32_t number = number_of(trace, node);
  if (number == 0) return false;
  if (trace->events.length > MOST_EVENTS) {
    trace->is_full = true;
    return false;
  }
  if (trace->before_event != NULL) trace->before_event(vm);
  add_byte(&trace->events, (uint8_t)event);
  latch_trace_add_number(&trace->events, number);
  return true;
}

/// Reports a read or write of the value under a key of a node; `key` is that of Lua on the stack.
void latch_trace_event_at(lua_State *L, const void *node, int key, latch_trace_event event) {
  latch_vm *vm = latch_of(L);
  lua_Integer integer;
  int exact = 0;
  if (lua_type(L, key) == LUA_TNUMBER) {
    integer = lua_tointegerx(L, key, &exact);
    if (!exact) return;
    if (begin_event(vm, node, event))
      add_scalar(&vm->trace->events, (latch_scalar){{(uint64_t)integer}, 0, LATCH_TAG_INTEGER});
    return;
  }
  if (lua_type(L, key) != LUA_TSTRING) return;
  lua_pushvalue(L, key);
  latch_scalar scalar = latch_scalar_of(latch_top_cells(L, 1));
  if (begin_event(vm, node, event)) add_scalar(&vm->trace->events, scalar);
  lua_pop(L, 1);
}

void latch_trace_event_of(latch_vm *vm, const void *node, latch_trace_event event) {
  if (latch_is_traced(vm)) begin_event(vm, node, event);
}

void latch_trace_read(lua_State *L, int node, int key) {
  latch_vm *vm = latch_of(L);
  vm->trace_is_paused = false;
  if (latch_is_traced(vm)) latch_trace_event_at(L, lua_topointer(L, node), key, LATCH_TRACE_READ);
}

void latch_trace_whole(latch_vm *vm, const void *node) {
  latch_trace_event_of(vm, node, LATCH_TRACE_WHOLE);
}

void latch_trace_length(latch_vm *vm, const void *node) {
  latch_trace_event_of(vm, node, LATCH_TRACE_SHAPE);
}

void latch_trace_records(latch_vm *vm) { latch_trace_event_of(vm, vm->root, LATCH_TRACE_RECORDS); }

void latch_trace_value(lua_State *L, int index) {
  latch_vm *vm = latch_of(L);
  if (!latch_is_traced(vm) || !lua_istable(L, index)) return;
  const void *data;
  index = lua_absindex(L, index);
  latch_table_kind kind = latch_look_at(vm, lua_topointer(L, index), &data);
  if (kind == LATCH_NODE) latch_trace_event_of(vm, lua_topointer(L, index), LATCH_TRACE_DEEP);
  if (kind == LATCH_RECORDER) return;
  latch_check_stack(L, 6, "values are nested too deeply");
  latch_push_table(L, data);
  int source = lua_gettop(L);
  // A cycle is refused later, with its own message; here it must only end.
  lua_pushnil(L);
  while (lua_next(L, source)) {
    latch_charge(L, LATCH_UNITS_PER_INSTRUCTION);
    bool goes_on = lua_istable(L, -1) && lua_topointer(L, -1) != lua_topointer(L, index);
    if (goes_on && source < 200) latch_trace_value(L, lua_gettop(L));
    lua_pop(L, 1);
  }
  lua_settop(L, source - 1);
}

/// Before a splice of the list at `index`: the elements after the position move.
void latch_trace_splice(lua_State *L, int index, lua_Integer position, latch_trace_event event) {
  latch_vm *vm = latch_of(L);
  vm->trace_is_paused = false;
  const void *node = lua_topointer(L, index);
  if (!latch_is_traced(vm)) return;
  lua_pushinteger(L, position);
  if (event == LATCH_TRACE_REMOVE) latch_trace_event_at(L, node, lua_gettop(L), LATCH_TRACE_READ);
  latch_trace_event_at(L, node, lua_gettop(L), event);
  lua_pop(L, 1);
}

/// Before the elements of the list at `index` are put in another order.
void latch_trace_sort(lua_State *L, int index) {
  latch_vm *vm = latch_of(L);
  vm->trace_is_paused = false;
  latch_trace_event_of(vm, lua_topointer(L, index), LATCH_TRACE_DEEP);
}

void latch_trace_forget_live(latch_trace *trace) {
  for (int i = 0; i < LATCH_MOST_LIVE; i++) {
    free(trace->live[i].before);
    trace->live[i] = (latch_live){0};
  }
}

void latch_trace_free(latch_vm *vm) {
  latch_trace *trace = vm->trace;
  if (trace == NULL) return;
  free(trace->tables);
  free(trace->numbers);
  free(trace->places);
  latch_trace_forget_live(trace);
  latch_buffer_free(&trace->events);
  latch_buffer_free(&trace->state);
  free(trace);
  vm->trace = NULL;
}
