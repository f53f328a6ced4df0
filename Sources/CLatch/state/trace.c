/// Traced runs: what scripts look at in the state and write to it, told place by place.
///
/// Who explores all states of a flow learns from it on which places an outcome depends. In a VM that
/// traces, the state's tables are read through a function, and written through another one: such a
/// VM is slower, and does the same. In any other nothing of this costs anything.
///
/// What is told is about the state as it was when the run began: each of its tables has a number
/// then. Tables that came later have none, and what is done with them is not told. It may say that
/// more was read than was, never less.

#include <stdlib.h>

#include "state/state.h"

/// So many bytes are told of a run; what does more is not worth learning from.
enum { MOST_EVENTS = 4 << 20 };

struct latch_trace {
  bool is_on;
  bool is_full;
  bool fails;            ///< there was no memory
  const void **tables;   ///< nodes by their address, and what number each has
  uint32_t *numbers;
  uint32_t capacity, count;
  latch_buffer events, state;
};

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

static uint32_t number_of_new(latch_trace *trace, const void *node) {
  if (2 * trace->count >= trace->capacity && !grow(trace)) return 0;
  uint32_t slot = slot_of(trace, node);
  trace->tables[slot] = node;
  return trace->numbers[slot] = ++trace->count;
}

/// 0 for a table that was not there.
static uint32_t number_of(const latch_trace *trace, const void *node) {
  return trace->capacity == 0 ? 0 : trace->numbers[slot_of(trace, node)];
}

// MARK: What is told

static void add_byte(latch_buffer *out, uint8_t byte) { latch_buffer_add(out, &byte, 1); }

static void add_number(latch_buffer *out, uint32_t number) {
  uint8_t bytes[4];
  for (int i = 0; i < 4; i++) bytes[i] = (uint8_t)(number >> (8 * i));
  latch_buffer_add(out, bytes, 4);
}

static void add_scalar(latch_buffer *out, latch_scalar scalar) {
  uint8_t *room = latch_buffer_room(out, latch_most_scalar_bytes(scalar));
  if (room != NULL) out->length += (size_t)(latch_write_scalar(room, scalar) - room);
}

static bool takes_events(const latch_vm *vm) {
  return vm->trace != NULL && vm->trace->is_on && vm->run.depth > 0 && !vm->trace_is_paused;
}

/// Begins to tell of the node; false: there is nothing to tell.
static bool begin_event(latch_vm *vm, const void *node, latch_trace_event event) {
  latch_trace *trace = vm->trace;
  uint32_t number = number_of(trace, node);
  if (number == 0) return false;
  if (trace->events.length > MOST_EVENTS) {
    trace->is_full = true;
    return false;
  }
  add_byte(&trace->events, (uint8_t)event);
  add_number(&trace->events, number);
  return true;
}

/// Tells what was done with what stands under a key of a node; `key` is that of Lua's on the stack.
static void tell_of_place(lua_State *L, const void *node, int key, latch_trace_event event) {
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

static void tell_of_node(latch_vm *vm, const void *node, latch_trace_event event) {
  if (takes_events(vm)) begin_event(vm, node, event);
}

void latch_trace_read(lua_State *L, int node, int key) {
  latch_vm *vm = latch_of(L);
  vm->trace_is_paused = false;
  if (takes_events(vm)) tell_of_place(L, lua_topointer(L, node), key, LATCH_TRACE_READ);
}

void latch_trace_whole(latch_vm *vm, const void *node) {
  tell_of_node(vm, node, LATCH_TRACE_WHOLE);
}

void latch_trace_length(latch_vm *vm, const void *node) {
  tell_of_node(vm, node, LATCH_TRACE_SHAPE);
}

void latch_trace_records(latch_vm *vm) { tell_of_node(vm, vm->root, LATCH_TRACE_RECORDS); }

void latch_trace_value(lua_State *L, int index) {
  latch_vm *vm = latch_of(L);
  if (!takes_events(vm) || !lua_istable(L, index)) return;
  const void *data;
  index = lua_absindex(L, index);
  latch_table_kind kind = latch_look_at(vm, lua_topointer(L, index), &data);
  if (kind == LATCH_NODE) tell_of_node(vm, lua_topointer(L, index), LATCH_TRACE_DEEP);
  if (kind == LATCH_RECORDER) return;
  latch_check_stack(L, 6, "values are nested too deeply");
  latch_push_table(L, data);
  int source = lua_gettop(L);
  // A cycle is refused later on, with words of its own; here it must only end.
  lua_pushnil(L);
  while (lua_next(L, source)) {
    latch_charge(L, LATCH_UNITS_PER_INSTRUCTION);
    bool goes_on = lua_istable(L, -1) && lua_topointer(L, -1) != lua_topointer(L, index);
    if (goes_on && source < 200) latch_trace_value(L, lua_gettop(L));
    lua_pop(L, 1);
  }
  lua_settop(L, source - 1);
}

/// Before a splice of the list at `index`: what stands behind the position moves.
void latch_trace_splice(lua_State *L, int index, lua_Integer position, lua_Integer length) {
  latch_vm *vm = latch_of(L);
  vm->trace_is_paused = false;
  const void *node = lua_topointer(L, index);
  tell_of_node(vm, node, position < length ? LATCH_TRACE_DEEP : LATCH_TRACE_SHAPE);
  if (!takes_events(vm)) return;
  lua_pushinteger(L, position);
  tell_of_place(L, node, lua_gettop(L), LATCH_TRACE_READ);
  tell_of_place(L, node, lua_gettop(L), LATCH_TRACE_PUT);
  lua_pop(L, 1);
}

// MARK: Nodes that tell

static int traced_read(lua_State *L) {
  lua_settop(L, 2);
  latch_trace_read(L, 1, 2);
  latch_push_node_data(L, 1);
  lua_pushvalue(L, 2);
  lua_gettable(L, 3);  // not raw: a closed record refuses undeclared fields
  return 1;
}

static int traced_write(lua_State *L) {
  latch_vm *vm = latch_of(L);
  vm->trace_is_paused = false;
  if (vm->phase == LATCH_REDUCER && takes_events(vm)) {
    const void *node = lua_topointer(L, 1);
    latch_push_node_data(L, 1);
    lua_pushvalue(L, 2);
    bool was_table = lua_rawget(L, 4) == LUA_TTABLE, was_there = !lua_isnil(L, 5);
    bool comes = !lua_isnil(L, 3) && !latch_is_none(L, 3);
    lua_settop(L, 3);
    bool is_put = was_table || lua_istable(L, 3);
    if (comes != was_there) tell_of_node(vm, node, LATCH_TRACE_SHAPE);
    tell_of_place(L, node, 2, is_put ? LATCH_TRACE_PUT : LATCH_TRACE_WRITE);
    latch_trace_value(L, 3);
    vm->trace_is_paused = true;
  }
  latch_node_write(L);
  vm->trace_is_paused = false;
  return 0;
}

void latch_trace_node(lua_State *L, int metatable) {
  latch_push_string(L, latch_of(L)->index_name, false);
  lua_pushcfunction(L, traced_read);
  lua_rawset(L, metatable);
}

// MARK: The state as it is

static const char *letter_of(lua_State *L, int data) {
  switch (latch_data_mark(L, data)) {
    case LATCH_R_LIST: return "l";
    case LATCH_R_MAP: return "m";
    case LATCH_R_EMPTY: return "e";
    default: return "r";
  }
}

/// Tells what the node on top of the stack holds: its kind, its number, how many keys it has, and
/// each key with its value, a table's as the same again.
static void tell_table(lua_State *L, latch_vm *vm, bool is_numbering) {
  latch_trace *trace = vm->trace;
  latch_check_stack(L, 8, "the state is nested too deeply");
  int node = lua_gettop(L), data = node + 1;
  latch_push_node_data(L, node);
  latch_buffer_add(&trace->state, letter_of(L, data), 1);
  const void *address = lua_topointer(L, node);
  add_number(&trace->state, is_numbering ? number_of_new(trace, address) : 0);
  size_t at = trace->state.length;
  uint32_t count = 0;
  add_number(&trace->state, 0);
  lua_pushnil(L);
  while (lua_next(L, data)) {
    add_scalar(&trace->state, latch_scalar_of(latch_top_cells(L, 2)));
    if (lua_istable(L, -1)) {
      tell_table(L, vm, is_numbering);
    } else {
      add_scalar(&trace->state, latch_scalar_of(latch_top_cells(L, 1)));
    }
    lua_settop(L, data + 1);
    count++;
  }
  for (int i = 0; i < 4 && !trace->state.failed; i++) {
    trace->state.bytes[at + (size_t)i] = (uint8_t)(count >> (8 * i));
  }
  lua_settop(L, node);
}

static int tell_state(lua_State *L) {
  latch_vm *vm = latch_of(L);
  bool is_numbering = lua_touserdata(L, 1) != NULL;
  latch_buffer_clear(&vm->trace->state);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
  if (lua_istable(L, -1) && vm->root != NULL) tell_table(L, vm, is_numbering);
  return 0;
}

/// The node on top of the stack, and all below it, tell from now on.
static void convert(lua_State *L) {
  latch_check_stack(L, 8, "the state is nested too deeply");
  int node = lua_gettop(L);
  latch_push_node_data(L, node);
  lua_getmetatable(L, node);
  latch_trace_node(L, node + 2);
  latch_push_string(L, latch_of(L)->newindex_name, false);
  lua_pushcfunction(L, traced_write);
  lua_rawset(L, node + 2);
  lua_settop(L, node + 1);
  lua_pushnil(L);
  while (lua_next(L, node + 1)) {
    if (lua_istable(L, -1)) convert(L);
    lua_settop(L, node + 2);
  }
  lua_settop(L, node);
}

static int convert_state(lua_State *L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
  if (latch_of(L)->root != NULL) convert(L);
  latch_of(L)->guards.node = traced_write;
  return 0;
}

// MARK: For the host

latch_status latch_trace_open(latch_vm *vm) {
  if (vm->trace != NULL) return LATCH_OK;
  latch_trace *trace = calloc(1, sizeof *trace);
  if (trace == NULL) return latch_record_text(vm, LATCH_MEMORY, "not enough memory");
  vm->trace = trace;
  vm->on_whole_read = latch_trace_whole;
  return latch_protect_unlimited(vm, convert_state, NULL);
}

static latch_status tell(latch_vm *vm, bool is_numbering, latch_bytes *state) {
  latch_trace *trace = vm->trace;
  latch_status status =
    latch_protect_unlimited(vm, tell_state, is_numbering ? (void *)trace : NULL);
  if (status == LATCH_OK && (trace->fails || trace->state.failed || trace->events.failed)) {
    status = latch_record_text(vm, LATCH_MEMORY, "not enough memory to trace");
  }
  *state = latch_buffer_view(&trace->state);
  return status;
}

latch_status latch_trace_begin(latch_vm *vm, latch_bytes *state) {
  latch_trace *trace = vm->trace;
  if (trace == NULL) return latch_record_text(vm, LATCH_RUNTIME, "this VM does not trace");
  for (uint32_t i = 0; i < trace->capacity; i++) trace->tables[i] = NULL;
  for (uint32_t i = 0; i < trace->capacity; i++) trace->numbers[i] = 0;
  trace->count = 0;
  trace->is_full = trace->fails = vm->trace_is_paused = false;
  latch_buffer_clear(&trace->events);
  latch_status status = tell(vm, true, state);
  trace->is_on = status == LATCH_OK;
  return status;
}

size_t latch_trace_offset(const latch_vm *vm) {
  return vm->trace == NULL ? 0 : vm->trace->events.length;
}

latch_status latch_trace_end(latch_vm *vm, latch_traced *traced) {
  latch_trace *trace = vm->trace;
  *traced = (latch_traced){0};
  if (trace == NULL) return latch_record_text(vm, LATCH_RUNTIME, "this VM does not trace");
  trace->is_on = false;
  latch_status status = tell(vm, false, &traced->state);
  traced->events = latch_buffer_view(&trace->events);
  traced->is_whole = !trace->is_full;
  return status;
}

void latch_trace_free(latch_vm *vm) {
  latch_trace *trace = vm->trace;
  if (trace == NULL) return;
  free(trace->tables);
  free(trace->numbers);
  latch_buffer_free(&trace->events);
  latch_buffer_free(&trace->state);
  free(trace);
  vm->trace = NULL;
}
