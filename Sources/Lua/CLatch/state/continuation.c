/// Continuations: everything that a traced function can still do, as a number.
///
/// The next steps of a run follow from the instruction and the live registers of each active
/// function, from the state, and from what the run has written to the state. So two runs that read
/// the same place with equal continuations do the same with the value that they find, whatever they
/// did before: code that learns from traces needs to learn it only once.
///
/// A continuation is a hash of 128 bits over contents: tables of the state by their places, tables
/// and functions that existed before any run by a number that each of them keeps. There is none if
/// something counts that cannot be seen here: a C function between Lua functions, a table or
/// function that the run has created, another coroutine, the value of a view that is kept, a call
/// of the host.

#include <stdlib.h>

#include "layout/opcodes.h"
#include "state/state.h"

/// If there are more tables and functions, they are not numbered, and there are no continuations.
enum { MOST_KNOWN = 1 << 18 };

static const char known_key;  // its address is the key of the table of numbers in the registry

// MARK: What was there before

enum { NUMBERS = 1, QUEUE, VISITED };

/// Gives the value on top of the stack, a table or function, a number if it has none yet.
static void add_value(lua_State *L) {
  const void *data;
  bool is_table = lua_istable(L, -1);
  if (is_table) {
    latch_table_kind kind = latch_look_at(latch_of(L), lua_topointer(L, -1), &data);
    if (kind == LATCH_NODE || kind == LATCH_RECORDER) return;
  }
  if (!is_table && !lua_isfunction(L, -1)) return;
  lua_pushvalue(L, -1);
  bool is_new = lua_rawget(L, NUMBERS) == LUA_TNIL;
  lua_pop(L, 1);
  if (!is_new) return;
  lua_Integer number = (lua_Integer)lua_rawlen(L, QUEUE) + 1;
  if (number > MOST_KNOWN) return;
  lua_pushvalue(L, -1);
  lua_rawseti(L, QUEUE, number);
  lua_pushvalue(L, -1);
  lua_pushinteger(L, number);
  lua_rawset(L, NUMBERS);
}

static void visit(lua_State *L) {
  if (lua_isfunction(L, VISITED)) {
    for (int i = 1; lua_getupvalue(L, VISITED, i) != NULL; i++) {
      add_value(L);
      lua_pop(L, 1);
    }
    return;
  }
  if (lua_getmetatable(L, VISITED)) {
    add_value(L);
    lua_pop(L, 1);
  }
  // The data behind a read-only table is in its metatable.
  lua_pushnil(L);
  while (lua_next(L, VISITED)) {
    add_value(L);
    lua_pop(L, 1);
    add_value(L);
  }
}

/// Numbers all tables and functions that can be reached from the registry, and keeps them alive, so
/// that no other one gets their address.
static int number_all(lua_State *L) {
  lua_settop(L, 0);
  lua_newtable(L);
  lua_newtable(L);
  lua_pushvalue(L, LUA_REGISTRYINDEX);
  add_value(L);
  lua_pop(L, 1);
  for (lua_Integer i = 1; lua_rawgeti(L, QUEUE, i) != LUA_TNIL; i++) {
    visit(L);
    lua_settop(L, QUEUE);
  }
  latch_of(L)->trace->knows_all = (lua_Integer)lua_rawlen(L, QUEUE) < MOST_KNOWN;
  lua_pushvalue(L, NUMBERS);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &known_key);
  return 0;
}

/// 0 if it has none.
static lua_Integer number_of(lua_State *L, const latch_cell *cell) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &known_key);
  latch_push_cell(L, cell);
  lua_rawget(L, -2);
  lua_Integer number = lua_tointeger(L, -1);
  lua_pop(L, 2);
  return number;
}

// MARK: Values

/// True for the current payload, which is the same for all runs that are compared.
static bool is_payload(lua_State *L, const latch_cell *cell) {
  static const int PLACES[] = {LATCH_R_PAYLOAD, LATCH_R_PAYLOAD_FIELDS, LATCH_R_EMPTY_PAYLOAD};
  bool is_one = false;
  for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES && !is_one; i++) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, PLACES[i]);
    is_one = lua_topointer(L, -1) == cell->object;
    lua_pop(L, 1);
  }
  return is_one;
}

static bool mix_known(lua_State *L, const latch_cell *cell, latch_digest *hash) {
  lua_Integer number = number_of(L, cell);
  latch_mix(hash, cell->type);
  latch_mix(hash, (uint64_t)number);
  return number != 0;
}

static bool mix_table(lua_State *L, const latch_cell *cell, latch_digest *hash) {
  const void *data;
  latch_vm *vm = latch_of(L);
  const void *node = cell->object;
  latch_table_kind kind = latch_look_at(vm, node, &data);
  if (kind != LATCH_NODE && kind != LATCH_RECORDER) {
    if (!is_payload(L, cell)) return mix_known(L, cell, hash);
    latch_mix(hash, LATCH_R_PAYLOAD);
    return true;
  }
  const latch_digest *place = latch_trace_place(vm->trace, node);
  if (place == NULL) return false;
  latch_mix(hash, cell->type);
  latch_mix(hash, place->first);
  latch_mix(hash, place->second);
  return true;
}

/// The keys that an iterator of `pairs` has not visited yet, after a position.
static bool mix_keys(lua_State *L, const void *table, lua_Integer position, latch_digest *hash) {
  latch_push_table(L, table);
  lua_Integer count = (lua_Integer)lua_rawlen(L, -1);
  bool is_mixed = true;
  latch_mix(hash, (uint64_t)(count - position));
  for (lua_Integer i = position + 1; i <= count && is_mixed; i++) {
    lua_rawgeti(L, -1, i);
    is_mixed = latch_mix_scalar(latch_top_cells(L, 1), hash);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return is_mixed;
}

static bool mix_step(lua_State *L, const lua_closure_part *step, latch_digest *hash) {
  latch_mix(hash, (uint64_t)(uintptr_t)step->function);
  const latch_cell *first = &step->upvalues[0];
  if (first->type != LATCH_CELL_TABLE) return latch_mix_scalar(first, hash);
  return mix_keys(L, first->object, step->upvalues[1].integer, hash);
}

static bool mix_cell(lua_State *L, const latch_cell *cell, latch_digest *hash) {
  if (cell->type == LATCH_CELL_TABLE) return mix_table(L, cell, hash);
  if (latch_mix_scalar(cell, hash)) return true;
  if (cell->type == LATCH_CELL_LUA_FUNCTION) return mix_known(L, cell, hash);
  if (cell->type != LATCH_CELL_CLOSURE) return false;
  const lua_closure_part *closure = cell->object;
  if (latch_is_traced_step(closure->function)) return mix_step(L, closure, hash);
  return mix_known(L, cell, hash);
}

// MARK: Functions that have begun

/// The sets of live registers of a function, one per instruction; NULL if they are not known.
static const latch_registers *live_of(latch_trace *trace, const lua_code_part *code) {
  latch_live *found = &trace->live[((uintptr_t)code >> 5) % LATCH_MOST_LIVE];
  if (found->code == code) return found->is_known ? found->before : NULL;
  free(found->before);
  size_t count = (size_t)code->sizes[LATCH_INSTRUCTIONS];
  *found = (latch_live){.code = code, .before = malloc((count + 1) * sizeof *found->before)};
  found->is_known = found->before != NULL && latch_find_live(code, found->before);
  return found->is_known ? found->before : NULL;
}

static bool is_of_lua(const lua_running_part *call) {
  return call->function->type == LATCH_CELL_LUA_FUNCTION;
}

/// True if the instruction has been interrupted by one read of a table of the state, and nothing
/// else. `calls`: the number of C functions above it on the stack; `step` is the lowest of them.
static bool reads_once(uint32_t code, int calls, const lua_running_part *step) {
  unsigned number = code & 0x7f;
  if (calls == 1)
    return number == GETTABLE || number == GETI || number == GETFIELD || number == SELF ||
           number == LEN;
  if (calls != 2 || number != TFORCALL || step->function->type != LATCH_CELL_CLOSURE) return false;
  return latch_is_traced_step(((const lua_closure_part *)step->function->object)->function);
}

/// Mixes in a function, its current instruction, and its live registers. `is_read`: it reads the
/// state; otherwise it has called another function.
static bool mix_call(lua_State *L, const lua_running_part *call, bool is_read, latch_digest *hash) {
  const lua_code_part *code = ((const lua_function_part *)call->function->object)->code;
  const latch_registers *before = live_of(latch_of(L)->trace, code);
  if (before == NULL || !mix_known(L, call->function, hash)) return false;
  int32_t at = (int32_t)(call->following - 1 - code->instructions);
  uint32_t instruction = call->following[-1];
  if (!is_read && (instruction & 0x7f) != CALL) return false;
  // The registers from the called function on belong to the called function.
  unsigned end = is_read ? code->stack : instruction >> 7 & 0xff;
  latch_registers live = is_read ? before[at] : latch_live_after(code, before, at);
  latch_mix(hash, (uint64_t)at);
  for (unsigned i = 0; i < end; i++) {
    if (!latch_is_live(&live, i)) continue;
    latch_mix(hash, i);
    if (!mix_cell(L, call->function + 1 + i, hash)) return false;
  }
  return true;
}

/// Hashes everything that the run can still do. Returns false if that is not known.
static bool hash_continuation(latch_vm *vm, latch_digest *hash) {
  latch_trace *trace = vm->trace;
  lua_State *L = vm->run.thread;
  if (L == NULL || vm->run.current != L || trace->is_hidden || vm->host.was_asked ||
      !trace->has_numbers || !trace->knows_all || !lua_checkstack(L, 16))
    return false;
  const lua_running_part *call = ((const lua_thread_part *)L)->running, *step = call;
  int calls = 0;
  for (; call != NULL && !is_of_lua(call); call = call->previous) {
    if (++calls > 2) return false;
    step = call;
  }
  if (call == NULL || !reads_once(call->following[-1], calls, step)) return false;
  *hash = (latch_digest){0x243f6a8885a308d3, 0x13198a2e03707344};
  for (bool is_read = true; call != NULL && is_of_lua(call); call = call->previous) {
    if (!mix_call(L, call, is_read, hash)) return false;
    is_read = false;
  }
  // The caller of the first function is always the same, unless a Lua function has called it.
  for (; call != NULL; call = call->previous) {
    if (is_of_lua(call)) return false;
  }
  return latch_mix_written(L, hash);
}

// MARK: Reporting

static void add_word(latch_buffer *out, uint64_t word) {
  latch_trace_add_number(out, (uint32_t)word);
  latch_trace_add_number(out, (uint32_t)(word >> 32));
}

/// Reports the continuation of the next read, if there is one, the number of instructions since the
/// last report, and the number of the run.
static void report_continuation(latch_vm *vm) {
  latch_trace *trace = vm->trace;
  uint8_t event = LATCH_TRACE_CONTINUATION;
  latch_digest hash = {0, 0};
  bool has_one = hash_continuation(vm, &hash);
  int64_t left = latch_instructions_left(vm), used = trace->reported_at - left;
  trace->reported_at = left;
  latch_buffer_add(&trace->events, &event, 1);
  latch_trace_add_number(&trace->events, has_one);
  latch_trace_add_number(&trace->events, used < 0           ? 0
                                         : used > INT32_MAX ? INT32_MAX
                                                            : (uint32_t)used);
  latch_trace_add_number(&trace->events, vm->run.begun);
  add_word(&trace->events, hash.first);
  add_word(&trace->events, hash.second);
}

latch_status latch_trace_report_continuations(latch_vm *vm, bool reports) {
  latch_trace *trace = vm->trace;
  if (trace == NULL) return latch_record_text(vm, LATCH_RUNTIME, "this VM does not trace");
  trace->before_event = reports ? report_continuation : NULL;
  trace->is_hidden = false;
  if (!reports || trace->has_numbers) return LATCH_OK;
  latch_status status = latch_protect_unlimited(vm, number_all, NULL);
  trace->has_numbers = status == LATCH_OK;
  return status;
}
