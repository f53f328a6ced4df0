/// Nodes that report reads and writes, in a VM in which runs are traced.

#include <stdlib.h>

#include "state/state.h"

static void add_scalar(latch_buffer *out, latch_scalar scalar) {
  uint8_t *room = latch_buffer_room(out, latch_most_scalar_bytes(scalar));
  if (room != NULL) out->length += (size_t)(latch_write_scalar(room, scalar) - room);
}

// MARK: Nodes that tell

static int traced_read(lua_State *L) {
  latch_check_state_read(L);
  lua_settop(L, 2);
  latch_trace_read(L, 1, 2);
  latch_push_node_data(L, 1);
  lua_pushvalue(L, 2);
  lua_gettable(L, 3);  // not raw: reading an undeclared field of a closed record raises
  return 1;
}

static int traced_write(lua_State *L) {
  latch_vm *vm = latch_of(L);
  vm->trace_is_paused = false;
  if (vm->phase == LATCH_REDUCER && latch_is_traced(vm)) {
    const void *node = lua_topointer(L, 1);
    latch_push_node_data(L, 1);
    lua_pushvalue(L, 2);
    bool was_table = lua_rawget(L, 4) == LUA_TTABLE, was_there = !lua_isnil(L, 5);
    bool comes = !lua_isnil(L, 3) && !latch_is_none(L, 3);
    bool is_same = was_table && lua_rawequal(L, 3, 5);
    lua_settop(L, 3);
    bool is_put = was_table || lua_istable(L, 3);
    if (comes != was_there) latch_trace_event_of(vm, node, LATCH_TRACE_SHAPE);
    if (!is_same) {
      latch_trace_event_at(L, node, 2, is_put ? LATCH_TRACE_PUT : LATCH_TRACE_WRITE);
      latch_trace_value(L, 3);
    }
    vm->trace_is_paused = true;
  }
  latch_node_write(L);
  vm->trace_is_paused = false;
  return 0;
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

/// The place under a key, an integer or a text, of a table at a place.
static latch_digest place_below(latch_digest place, const latch_cell *key) {
  size_t length;
  latch_mix(&place, key->type);
  if (key->type == LATCH_CELL_INTEGER) {
    latch_mix(&place, (uint64_t)key->integer);
  } else if (key->type == LATCH_CELL_SHORT_TEXT || key->type == LATCH_CELL_LONG_TEXT) {
    const char *text = latch_text_of(key, &length);
    latch_mix_text(&place, text, length);
  }
  return place;
}

/// Reports the contents of the node on top of the stack: its kind, its number, the number of its
/// keys, and each key with its value, a table's in the same form.
static void tell_table(lua_State *L, latch_vm *vm, bool is_numbering, latch_digest place) {
  latch_trace *trace = vm->trace;
  latch_check_stack(L, 8, "the state is nested too deeply");
  int node = lua_gettop(L), data = node + 1;
  latch_push_node_data(L, node);
  latch_buffer_add(&trace->state, letter_of(L, data), 1);
  const void *address = lua_topointer(L, node);
  latch_trace_add_number(
    &trace->state, is_numbering ? latch_trace_number(trace, address, place) : 0);
  size_t at = trace->state.length;
  uint32_t count = 0;
  latch_trace_add_number(&trace->state, 0);
  lua_pushnil(L);
  while (lua_next(L, data)) {
    add_scalar(&trace->state, latch_scalar_of(latch_top_cells(L, 2)));
    if (lua_istable(L, -1)) {
      tell_table(L, vm, is_numbering, place_below(place, latch_top_cells(L, 2)));
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
  if (lua_istable(L, -1) && vm->root != NULL) tell_table(L, vm, is_numbering, (latch_digest){1, 1});
  return 0;
}

static int guard_state(lua_State *L) {
  latch_of(L)->search_stored_nodes = NULL;  // traced reads check which function reads
  latch_guard_state(L, traced_read, traced_write);
  return 0;
}

// MARK: For the host

latch_status latch_trace_open(latch_vm *vm) {
  if (vm->trace != NULL) return LATCH_OK;
  latch_trace *trace = calloc(1, sizeof *trace);
  if (trace == NULL) return latch_record_text(vm, LATCH_MEMORY, "not enough memory");
  vm->trace = trace;
  vm->on_whole_read = latch_trace_whole;
  vm->on_length_read = latch_trace_length;
  return latch_protect_unlimited(vm, guard_state, NULL);
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
  latch_trace_forget_live(trace);
  trace->is_hidden = false;
  trace->reported_at = 0;
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
