/// What a patch says of the changes of a transition, and from a patch back to writes.
///
/// A patch is a sequence of changes in the order in which they apply. Each is an operation (0 set,
/// 1 insert, 2 remove), a path (an encoded list of keys), the old value and the new one. Where
/// tables come, go or move, a change is worked out while it is made, so that it is true at its own
/// moment; what a script has put into the state is a table of its own until the transition ends,
/// and leaves a hole until then (adopt.c).

#include <stdio.h>
#include <string.h>

#include "state/state.h"

enum { SET = 0, INSERT = 1, REMOVE = 2 };

// MARK: Changes

latch_change latch_begin_change(
  lua_State *L, latch_vm *vm, latch_operation operation, int node, int key) {
  latch_log *log = &vm->log;
  uint32_t number = latch_written_node_at(L, vm, lua_topointer(L, node), 0);
  const latch_written_node *written = (latch_written_node *)log->nodes.items + number;
  log->pieces.length = log->pieces_end;  // what is behind that was never made
  log->holes.count = log->holes_end;
  size_t start = log->pieces_end;
  uint32_t keys = written->depth + (key != 0);
  latch_change change = {{start, start}, node, key, (int)keys, written->is_in_state};
  if (!change.is_in_state) return change;
  uint8_t code = operation == LATCH_J_INSERT ? INSERT : operation == LATCH_J_REMOVE ? REMOVE : SET;
  uint8_t begin[] = {code, LATCH_TAG_LIST};
  latch_buffer_add(&log->pieces, begin, sizeof begin);
  latch_encode_count(&log->pieces, keys);
  latch_buffer_add(&log->pieces, log->paths.bytes + written->path, written->length);
  latch_encoder encoder;
  latch_encoder_begin(&encoder, vm, &log->pieces);
  if (key != 0) latch_encode(&encoder, L, key);
  if (log->pieces.failed) latch_raise_no_memory(L);
  change.piece.end = log->pieces.length;
  return change;
}

static void add_hole(lua_State *L, latch_vm *vm, int table, int depth) {
  latch_log *log = &vm->log;
  uint32_t anchor = latch_anchor(L, table);
  latch_hole *room = latch_array_room(L, &log->holes, sizeof *room);
  *room = (latch_hole){log->pieces.length, lua_topointer(L, table), anchor, (uint32_t)depth};
  log->holes.count++;
}

/// Whether the node on top of the stack, which the data has under that key, is at home elsewhere.
static bool is_alias(lua_State *L, const void *data, const char *name, lua_Integer index) {
  int top = lua_gettop(L);
  bool is_home = latch_push_place(L, top) &&
                 latch_data_of(lua_topointer(L, top + 1)) == data &&
                 (name == NULL ? lua_isinteger(L, top + 2) && lua_tointeger(L, top + 2) == index
                               : lua_tostring(L, top + 2) == name);
  lua_settop(L, top);
  return !is_home;
}

/// Everything in the state is a node that is at home there, but for what has come in this
/// transition.
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

/// Encodes a value that stands at (node, key), or stood there; raises where it cannot be.
static void encode_or_raise(lua_State *L, latch_encoder *encoder, int index, int node, int key) {
  if (latch_encode(encoder, L, index)) return;
  // Once more, only to tell where the fault is: a path costs too much to have it ready each time.
  index = lua_absindex(L, index);
  const char *path = key == 0 ? "" : latch_push_path(L, node, key);
  latch_encoder again;
  latch_encoder_begin(&again, encoder->vm, encoder->out);
  again.depth = encoder->depth;
  if (*path != 0 && strlen(path) < sizeof again.path) again.start = path;
  latch_encode(&again, L, index);
  luaL_error(L, "%s", again.fault);
}

void latch_add_part(lua_State *L, latch_vm *vm, latch_change *change, int index, latch_part part) {
  if (!change->is_in_state) return;
  latch_log *log = &vm->log;
  if (part == LATCH_PART_HOLE) {
    add_hole(L, vm, index, change->depth);
  } else {
    latch_encoder encoder;
    latch_encoder_begin(&encoder, vm, &log->pieces);
    encoder.depth = change->depth;
    encoder.leave_hole = leave_hole;
    encode_or_raise(L, &encoder, index, change->node, change->key);
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

void latch_fill_hole(lua_State *L, latch_vm *vm, uint32_t entry, const latch_hole *hole) {
  int top = lua_gettop(L);
  latch_check_stack(L, 12, "too much at once");
  latch_push_entry(L, entry);
  lua_settop(L, top + 2);
  latch_push_anchored(L, hole->anchor);
  latch_encoder encoder;
  latch_encoder_begin(&encoder, vm, &vm->patch);
  encoder.depth = (int)hole->depth;
  encode_or_raise(L, &encoder, top + 3, top + 1, top + 2);
  lua_settop(L, top);
}

// MARK: The patch

static int encode_patch(lua_State *L) {
  latch_vm *vm = latch_of(L);
  latch_add_changes(L, vm);
  return vm->patch.failed ? latch_raise_no_memory(L) : 0;
}

latch_status latch_encode_patch(latch_vm *vm) {
  latch_buffer_clear(&vm->patch);
  vm->unlimited++;  // what the transition itself allocated has been counted already
  latch_status status = LATCH_OK;
  if (vm->journal_count == 0) latch_add_scalar_changes(vm);
  if (vm->journal_count > 0 || vm->patch.failed) status = latch_protect(vm, encode_patch, NULL, 0);
  vm->unlimited--;
  return status;
}

latch_status latch_patch(latch_vm *vm, latch_bytes *patch) {
  latch_status status = latch_encode_patch(vm);
  *patch = latch_buffer_view(&vm->patch);
  return status;
}

// MARK: Back from a patch

typedef struct {
  const uint8_t *bytes;
  size_t length;
  bool backwards;
  lua_State *thread;
} latch_changes;

/// Pushes the next change of the patch as { operation, path, value }.
static void push_change(lua_State *L, const uint8_t **cursor, const uint8_t *end, bool backwards) {
  if (*cursor == end) luaL_error(L, "a patch is cut short");
  int operation = *(*cursor)++;
  if (backwards && operation != SET) operation = operation == INSERT ? REMOVE : INSERT;
  lua_createtable(L, 3, 0);
  lua_pushinteger(L, operation);
  lua_rawseti(L, -2, 1);
  latch_decode(L, cursor, end, 0);
  lua_rawseti(L, -2, 2);
  latch_decode(L, cursor, end, 0);  // the old value
  latch_decode(L, cursor, end, 0);  // the new one
  if (backwards) lua_pop(L, 1);
  else lua_remove(L, -2);
  lua_rawseti(L, -2, 3);
}

static int push_changes(lua_State *L) {
  latch_changes *request = lua_touserdata(L, 1);
  const uint8_t *cursor = request->bytes, *end = cursor + request->length;
  lua_newtable(L);
  lua_Integer count = 0;
  while (cursor < end) {
    push_change(L, &cursor, end, request->backwards);
    lua_rawseti(L, 2, ++count);
  }
  if (request->backwards) {
    for (lua_Integer i = 1, j = count; i < j; i++, j--) {
      lua_rawgeti(L, 2, i);
      lua_rawgeti(L, 2, j);
      lua_rawseti(L, 2, i);
      lua_rawseti(L, 2, j);
    }
  }
  lua_xmove(L, request->thread, 1);
  return 0;
}

latch_status latch_apply_patch(latch_vm *vm, latch_ref function, const uint8_t *patch,
  size_t length, bool backwards, latch_run options) {
  lua_State *thread = latch_thread_for_run(vm);
  if (thread == NULL) return vm->failure.status;
  lua_rawgeti(thread, LUA_REGISTRYINDEX, function);
  latch_changes request = {patch, length, backwards, thread};
  latch_status status = latch_protect(vm, push_changes, &request, 0);
  if (status != LATCH_OK) {
    lua_settop(thread, 0);
    return status;
  }
  int results = 0;
  options.phase = LATCH_REDUCER;
  vm->host_writes = true;
  status = latch_run_thread(vm, thread, 1, options, &results);
  vm->host_writes = false;
  if (status == LATCH_OK) lua_settop(thread, 0);
  return status;
}
