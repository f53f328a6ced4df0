/// The patch of a change that adds, removes or moves tables. It is encoded when the change is made,
/// so it is correct for that moment. A table of a script leaves a hole: its final contents are only
/// known when the transaction ends.

#include <string.h>

#include "state/state.h"

enum { FEW = 8, SET = 0, INSERT = 1, REMOVE = 2, KIND = 3 };

static uint8_t code_of(latch_operation operation) {
  switch (operation) {
    case LATCH_J_INSERT: return INSERT;
    case LATCH_J_REMOVE: return REMOVE;
    case LATCH_J_KIND: return KIND;
    default: return SET;
  }
}

latch_change latch_begin_change(
  lua_State *L, latch_vm *vm, latch_operation operation, int node, int key) {
  latch_log *log = &vm->log;
  uint32_t number = latch_written_node_at(L, vm, lua_topointer(L, node), 0);
  const latch_written_node *written = (latch_written_node *)log->nodes.items + number;
  log->pieces.length = log->pieces_end;  // the bytes behind it belong to a change that was not made
  log->holes.count = log->holes_end;
  size_t start = log->pieces_end;
  uint32_t keys = written->depth + (key != 0);
  latch_change change = {{start, start}, node, key, (int)keys, written->is_in_state};
  if (!change.is_in_state) return change;
  uint8_t begin[] = {code_of(operation), LATCH_TAG_LIST};
  latch_buffer_add(&log->pieces, begin, sizeof begin);
  latch_encode_count(&log->pieces, keys);
  latch_buffer_add(&log->pieces, log->paths.bytes + written->path, written->length);
  latch_encoder encoder;
  latch_encoder_begin(&encoder, vm, &log->pieces);
  encoder.has_texts_of_state = true;
  if (key != 0) latch_encode(&encoder, L, key);
  if (log->pieces.failed) latch_raise_no_memory(L);
  change.piece.end = log->pieces.length;
  return change;
}

static void add_hole(lua_State *L, latch_vm *vm, int table, int depth) {
  latch_log *log = &vm->log;
  uint32_t anchor = latch_anchor(L, table);
  latch_hole *room = latch_array_room(L, &log->holes, sizeof *room);
  *room = (latch_hole){.at = log->pieces.length,
    .table = lua_topointer(L, table),
    .anchor = anchor,
    .depth = (uint32_t)depth,
    .entry = (uint32_t)vm->undo_log_count + 1};
  log->holes.count++;
}

/// True if the value at `index` is a string with that text. Compares bytes: a long string is not
/// identified by its address.
static bool is_name(lua_State *L, int index, const char *name) {
  if (lua_type(L, index) != LUA_TSTRING) return false;
  size_t length, its_length;
  const char *text = lua_tolstring(L, index, &length);
  const lua_string_part *string = latch_string_of(name);
  const latch_cell cell = {{.object = (void *)(uintptr_t)string}, (uint8_t)(string->type | 1 << 6)};
  latch_text_of(&cell, &its_length);
  return length == its_length && memcmp(text, name, length) == 0;
}

/// True if the node on top of the stack, which the data has under that key, has its place
/// elsewhere.
static bool is_alias(lua_State *L, const void *data, const char *name, lua_Integer index) {
  int top = lua_gettop(L);
  bool is_home = latch_push_place(L, top) && latch_data_of(lua_topointer(L, top + 1)) == data &&
                 (name == NULL ? lua_isinteger(L, top + 2) && lua_tointeger(L, top + 2) == index
                               : is_name(L, top + 2, name));
  lua_settop(L, top);
  return !is_home;
}

/// Each table in the state is a node whose place is there, except for those that were added in this
/// transaction.
static bool leave_hole(latch_encoder *encoder, lua_State *L, const void *data, const void *table,
  const char *name, lua_Integer index, int depth) {
  latch_vm *vm = encoder->vm;
  const void *its_data;
  bool is_node = latch_look_at(vm, table, &its_data) == LATCH_NODE;
  if (is_node && !vm->aliased) return false;
  latch_check_stack(L, 12, "values are nested too deeply");
  latch_push_table(L, table);
  bool leaves = !is_node || is_alias(L, data, name, index);
  if (leaves) add_hole(L, vm, lua_gettop(L), depth);
  lua_pop(L, 1);
  return leaves;
}

void latch_add_part(lua_State *L, latch_vm *vm, latch_change *change, int index, latch_part part) {
  if (!change->is_in_state) return;
  latch_log *log = &vm->log;
  if (part == LATCH_PART_HOLE) {
    add_hole(L, vm, index, change->depth);
  } else {
    latch_encoder encoder;
    latch_encoder_begin(&encoder, vm, &log->pieces);
    encoder.has_texts_of_state = true;
    encoder.depth = change->depth;
    encoder.leave_hole = leave_hole;
    latch_encode_at(L, &encoder, index, change->node, change->key);
  }
  if (log->pieces.failed) latch_raise_no_memory(L);
  change->piece.end = log->pieces.length;
}

void latch_complete_change(latch_vm *vm, const latch_change *change) {
  latch_log *log = &vm->log;
  latch_written *write = (latch_written *)log->writes.items + log->writes.count - 1;
  write->end = change->piece.end;
  log->pieces_end = log->pieces.length;
  log->holes_end = log->holes.count;
}

void latch_give_kind(lua_State *L, latch_vm *vm, int node, int mark) {
  int top = lua_gettop(L);
  latch_check_stack(L, 12, "too much at once");
  latch_push_node_data(L, node);
  lua_pushinteger(L, latch_data_mark(L, top + 1));
  latch_change change = latch_begin_change(L, vm, LATCH_J_KIND, node, 0);
  latch_add_part(L, vm, &change, node, LATCH_PART_VALUE);
  latch_undo_log(L, (latch_place){node, top + 2, top + 2, 0}, LATCH_J_KIND, change.piece);
  latch_set_mark(L, top + 1, mark);
  latch_add_part(L, vm, &change, node, LATCH_PART_VALUE);
  latch_complete_change(vm, &change);
  lua_settop(L, top);
}

/// Encodes a value that is, or was, at (node, key). Raises if it cannot be encoded.
void latch_encode_at(lua_State *L, latch_encoder *encoder, int index, int node, int key) {
  if (latch_encode(encoder, L, index)) return;
  // Encodes a second time only to find the path of the error: keeping a path ready all the time
  // would cost too much.
  index = lua_absindex(L, index);
  const char *path = key == 0 ? "" : latch_push_path(L, node, key);
  latch_encoder again;
  latch_encoder_begin(&again, encoder->vm, encoder->out);
  again.depth = encoder->depth;
  again.refuses_nan = encoder->refuses_nan;
  if (*path != 0 && strlen(path) < sizeof again.path) again.start = path;
  latch_encode(&again, L, index);
  luaL_error(L, "%s", again.fault);
}

// MARK: What holes become

void latch_index_holes(lua_State *L, latch_vm *vm) {
  latch_log *log = &vm->log;
  const latch_hole *holes = log->holes.items;
  log->holes_by_address.mask = 0;
  if (log->holes_end <= FEW) return;
  latch_index_clear(L, &log->holes_by_address, log->holes_end);
  for (uint32_t i = 0; i < log->holes_end; i++) {
    latch_index_put(&log->holes_by_address, latch_hash_of_address(holes[i].table), i);
  }
}

void latch_note_promoted(lua_State *L, const void *table, uint32_t entry) {
  latch_log *log = &latch_of(L)->log;
  latch_hole *holes = log->holes.items;
  const latch_index *index = &log->holes_by_address;
  uint32_t anchor = 0, slot = index->mask == 0 ? 0 : latch_hash_of_address(table) & index->mask;
  for (uint32_t i = 0;; i++, slot = (slot + 1) & index->mask) {
    if (index->mask == 0 ? i == log->holes_end : index->slots[slot] == 0) break;
    latch_hole *hole = &holes[index->mask == 0 ? i : index->slots[slot] - 1];
    // A table that was put in several places becomes a different node in each: a hole gets the node
    // that the entry that made the hole has put there, if it is known.
    if (hole->is_filled || hole->table != table || (hole->is_known && hole->entry != entry))
      continue;
    if (anchor == 0) anchor = latch_anchor(L, -1);
    hole->anchor = anchor;
    hole->is_known = hole->entry == entry;
  }
}
