/// The writes of a run to the state so far, as a part of its continuation: places with their
/// present values. Former values, and the number of writes to a place, do not count.

#include "state/state.h"

/// A transaction with more writes has no continuations: the writes would be hashed at each read.
enum { MOST_WRITES = 256, MOST_VALUES = 512, DEEPEST = 16 };

// MARK: Values

bool latch_mix_scalar(const latch_cell *cell, latch_digest *hash) {
  latch_mix(hash, cell->type);
  switch (cell->type) {
    case LATCH_CELL_NIL:
    case LATCH_CELL_FALSE:
    case LATCH_CELL_TRUE: return true;
    case LATCH_CELL_INTEGER:
    case LATCH_CELL_FLOAT: latch_mix(hash, (uint64_t)cell->integer); return true;
    case LATCH_CELL_SHORT_TEXT:
    case LATCH_CELL_LONG_TEXT: {
      size_t length;
      const char *text = latch_text_of(cell, &length);
      latch_mix_text(hash, text, length);
      return true;
    }
    case LATCH_CELL_POINTER: latch_mix(hash, (uint64_t)(uintptr_t)cell->object); return true;
    case LATCH_CELL_FUNCTION: latch_mix(hash, (uint64_t)(uintptr_t)cell->function); return true;
    default: return false;
  }
}

/// Pops the value on top of the stack and mixes it in. `left`: the number of values that may still
/// be visited.
static bool mix_value(lua_State *L, int depth, int *left, latch_digest *hash) {
  int top = lua_gettop(L);
  if (--*left < 0 || depth > DEEPEST || !lua_checkstack(L, 8)) return false;
  if (!lua_istable(L, top)) {
    bool is_mixed = latch_mix_scalar(latch_top_cells(L, 1), hash);
    lua_pop(L, 1);
    return is_mixed;
  }
  const void *data;
  latch_look_at(latch_of(L), lua_topointer(L, top), &data);
  latch_push_table(L, data);
  latch_mix(hash, (uint64_t)latch_data_mark(L, top + 1));
  // Lua has keys in any order.
  latch_digest sum = {0, 0};
  bool is_mixed = true;
  lua_pushnil(L);
  while (is_mixed && lua_next(L, top + 1)) {
    latch_digest each = {0x452821e638d01377, 0xbe5466cf34e90c6c};
    is_mixed =
      latch_mix_scalar(latch_top_cells(L, 2), &each) && mix_value(L, depth + 1, left, &each);
    sum.first += each.first;
    sum.second += each.second;
  }
  latch_mix(hash, sum.first);
  latch_mix(hash, sum.second);
  lua_settop(L, top - 1);
  return is_mixed;
}

/// Mixes in a scalar of the log.
static void mix_logged(latch_scalar scalar, latch_digest *hash) {
  latch_mix(hash, scalar.tag);
  if (scalar.tag == LATCH_TAG_STRING) latch_mix_text(hash, scalar.text, scalar.length);
  else latch_mix(hash, scalar.word);
}

// MARK: Writes

static bool mix_place(const latch_trace *trace, const void *node, latch_digest *hash) {
  const latch_digest *place = latch_trace_place(trace, node);
  if (place == NULL) return false;
  latch_mix(hash, place->first);
  latch_mix(hash, place->second);
  return true;
}

/// Mixes in the change of a write, as the patch will contain it. False: the node is not in the
/// state, and the patch does not contain it.
static bool mix_piece(const latch_vm *vm, const latch_written *write, latch_digest *hash) {
  if (write->end <= write->start) return false;
  const char *piece = (const char *)vm->log.pieces.bytes + write->start;
  latch_mix_text(hash, piece, write->end - write->start);
  return true;
}

/// Mixes in a write of a scalar over another one, or to an empty place.
static bool mix_scalar_write(const latch_vm *vm, const latch_written *write, latch_digest *hash) {
  const latch_written_node *node = (latch_written_node *)vm->log.nodes.items + write->node;
  if (!mix_place(vm->trace, node->node, hash)) {
    if (!node->is_in_state) return false;
    latch_mix_text(hash, (const char *)vm->log.paths.bytes + node->path, node->length);
  }
  mix_logged(write->key, hash);
  mix_logged(write->new, hash);
  return true;
}

/// Mixes in a write that adds, removes or moves a table.
static bool mix_entry(lua_State *L, const latch_written *write, int *left, latch_digest *hash) {
  enum { NODE = 1, KEY, OLD, OPERATION, PUT };
  const latch_vm *vm = latch_of(L);
  int top = lua_gettop(L);
  latch_push_entry(L, write->entry);
  latch_operation operation = (latch_operation)lua_tointeger(L, top + OPERATION);
  latch_mix(hash, operation);
  bool is_mixed = mix_place(vm->trace, lua_topointer(L, top + NODE), hash);
  bool is_whole = operation == LATCH_J_REPLACE || operation == LATCH_J_KIND;
  lua_pushvalue(L, is_whole ? top + NODE : top + KEY);
  is_mixed = is_mixed && mix_value(L, 0, left, hash);
  if (is_mixed && !is_whole && operation != LATCH_J_REMOVE) {
    lua_pushvalue(L, top + PUT);
    is_mixed = lua_istable(L, -1) ? mix_value(L, 0, left, hash) : mix_piece(vm, write, hash);
  }
  lua_settop(L, top);
  return is_mixed;
}

bool latch_mix_written(lua_State *L, latch_digest *hash) {
  const latch_vm *vm = latch_of(L);
  if (!vm->in_transaction) return true;
  const latch_log *log = &vm->log;
  if (log->writes.count > MOST_WRITES || !lua_checkstack(L, 16)) return false;
  int left = MOST_VALUES;
  for (uint32_t i = 0; i < log->writes.count; i++) {
    const latch_written *write = (latch_written *)log->writes.items + i;
    // The former place of a node follows from the other writes.
    if (write->entry == LATCH_PLACE_ENTRY) continue;
    bool is_mixed =
      write->entry == 0 ? mix_scalar_write(vm, write, hash) : mix_entry(L, write, &left, hash);
    if (!is_mixed) return false;
  }
  return true;
}
