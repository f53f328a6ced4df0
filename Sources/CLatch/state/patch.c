/// From the journal to the patch of a transition, and from a patch back to writes.
///
/// A patch is a sequence of changes in the order in which they apply. Each is an operation (0 set,
/// 1 insert, 2 remove), a path (an encoded list of keys), the old value and the new one. Paths are
/// worked out by playing the journal backwards, so that each is true at its own moment; where only
/// scalars changed, no path can have moved and the journal is read as it stands.

#include <stdio.h>
#include <string.h>

#include "state/state.h"

enum { SET = 0, INSERT = 1, REMOVE = 2 };

/// Where a change happened.
typedef struct {
  int node, key;  ///< absolute indices
  int depth;      ///< the number of keys in its path
} latch_place;

/// Encodes a value that stands at the place, or stood there.
static void encode_or_raise(lua_State *L, latch_buffer *out, int index, latch_place place) {
  latch_encoder encoder;
  latch_encoder_begin(&encoder, latch_of(L), out);
  encoder.depth = place.depth;
  if (latch_encode(&encoder, L, index)) return;
  // Once more, only to tell where the fault is: a path costs too much to have it ready each time.
  index = lua_absindex(L, index);
  const char *path = latch_push_path(L, place.node, place.key);
  int length = snprintf(encoder.path, sizeof encoder.path, "%s", path);
  bool fits = length > 0 && (size_t)length < sizeof encoder.path;
  encoder.path_length = fits ? (size_t)length : 0;
  encoder.path[encoder.path_length] = 0;
  latch_encode(&encoder, L, index);
  luaL_error(L, "%s", encoder.fault);
}

/// Encodes the path of the place and fills in its depth. False: the node is not in the state, or
/// nested too deeply to be. What brought it there is an entry too, and fails to be encoded: its new
/// value reaches to where the nesting is one too much.
static bool encode_path(lua_State *L, latch_buffer *out, latch_place *place) {
  int top = lua_gettop(L);
  latch_check_stack(L, LUA_MINSTACK, "the state is nested too deeply");
  lua_pushvalue(L, place->key);
  lua_pushvalue(L, place->node);
  int keys = 1;
  for (;; keys++) {  // keys stay below, the node stays on top
    lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
    bool root = lua_rawequal(L, -1, -2);
    lua_pop(L, 1);
    if (root) break;
    latch_check_stack(L, LUA_MINSTACK, "the state is nested too deeply");
    if (keys == LATCH_DEEPEST_NESTING || !latch_push_place(L, -1)) {
      lua_settop(L, top);
      return false;
    }
    lua_remove(L, -3);  // the node
    lua_insert(L, -2);  // key below parent
  }
  uint8_t tag = LATCH_TAG_LIST;
  latch_buffer_add(out, &tag, 1);
  latch_encode_count(out, (size_t)keys);
  latch_encoder encoder;
  latch_encoder_begin(&encoder, latch_of(L), out);
  for (int i = keys; i >= 1; i--) latch_encode(&encoder, L, top + i);
  lua_settop(L, top);
  place->depth = keys;
  return true;
}

/// Pushes data[key] of the node.
static void push_current(lua_State *L, int node, int key) {
  latch_push_node_data(L, node);
  lua_pushvalue(L, key);
  lua_rawget(L, -2);
  lua_remove(L, -2);
}

// MARK: Scalars over scalars

enum { FEW_ENTRIES = 16 };

/// True when an earlier entry wrote to the same place: that one tells of the change.
static bool is_among_few(lua_State *L, lua_Integer entry, int node, int key) {
  for (lua_Integer before = 1; before < entry; before++) {
    int top = lua_gettop(L);
    latch_push_entry(L, before);
    bool same = lua_rawequal(L, top + 1, node) && lua_rawequal(L, top + 2, key);
    lua_settop(L, top);
    if (same) return true;
  }
  return false;
}

/// The same with the table at `seen`: node -> key -> true.
static bool is_seen(lua_State *L, int seen, int node, int key) {
  int top = lua_gettop(L);
  lua_pushvalue(L, node);
  if (lua_rawget(L, seen) != LUA_TTABLE) {
    lua_settop(L, top);
    lua_newtable(L);
    lua_pushvalue(L, node);
    lua_pushvalue(L, top + 1);
    lua_rawset(L, seen);
  }
  lua_pushvalue(L, key);
  bool known = lua_rawget(L, top + 1) != LUA_TNIL;
  lua_pushvalue(L, key);
  lua_pushboolean(L, 1);
  lua_rawset(L, top + 1);
  lua_settop(L, top);
  return known;
}

static void encode_simple(lua_State *L, latch_vm *vm) {
  enum { SEEN = 1, NODE, KEY, OLD, OPERATION, NEW };
  bool few = vm->journal_count <= FEW_ENTRIES;
  lua_settop(L, 0);
  if (few) lua_pushnil(L);
  else lua_newtable(L);
  for (lua_Integer entry = 1; entry <= vm->journal_count; entry++) {
    lua_settop(L, SEEN);
    latch_push_entry(L, entry);
    if (few ? is_among_few(L, entry, NODE, KEY) : is_seen(L, SEEN, NODE, KEY)) continue;
    push_current(L, NODE, KEY);
    if (latch_is_same(L, OLD, NEW)) continue;
    size_t start = vm->patch.length;
    uint8_t operation = SET;
    latch_place place = {NODE, KEY, 0};
    latch_buffer_add(&vm->patch, &operation, 1);
    if (!encode_path(L, &vm->patch, &place)) {
      vm->patch.length = start;
      continue;
    }
    encode_or_raise(L, &vm->patch, OLD, place);
    encode_or_raise(L, &vm->patch, NEW, place);
  }
}

// MARK: Everything else

static void undo(lua_State *L, latch_vm *vm, lua_Integer entry) {
  latch_swap_entry(L, entry, true);
  vm->undone++;
}

/// Encodes the entry at the end of vm->out and undoes it. Everything after it is undone already,
/// so that path and new value are as they were when it was written.
static void encode_entry(lua_State *L, latch_vm *vm, lua_Integer entry) {
  latch_buffer *out = &vm->out;
  size_t start = out->length;
  lua_settop(L, 1);
  latch_push_entry(L, entry);
  enum { NODE = 2, KEY = 3, OLD = 4, NEW = 6 };
  latch_operation operation = (latch_operation)lua_tointeger(L, 5);
  if (operation == LATCH_J_PLACE || operation == LATCH_J_KIND) {
    undo(L, vm, entry);
    return;
  }
  uint8_t code = operation == LATCH_J_INSERT ? INSERT : operation == LATCH_J_REMOVE ? REMOVE : SET;
  latch_buffer_add(out, &code, 1);
  bool there;
  latch_place place = {NODE, KEY, 0};
  if (operation == LATCH_J_REPLACE) {  // the list itself is what changes
    latch_place list = {NEW, NEW + 1, 0};
    there = latch_push_place(L, NODE) && encode_path(L, out, &list);
    place.depth = list.depth;
    lua_settop(L, NEW - 1);
    lua_pushvalue(L, NODE);
  } else {
    there = encode_path(L, out, &place);
    if (operation == LATCH_J_REMOVE) lua_pushnil(L);
    else push_current(L, NODE, KEY);
  }
  latch_buffer_clear(&vm->scratch);
  if (there) encode_or_raise(L, &vm->scratch, NEW, place);
  undo(L, vm, entry);
  if (!there) {
    out->length = start;
    return;
  }
  if (operation == LATCH_J_INSERT) lua_pushnil(L);
  else lua_pushvalue(L, operation == LATCH_J_REPLACE ? NODE : OLD);
  encode_or_raise(L, out, lua_gettop(L), place);
  latch_buffer_add(out, vm->scratch.bytes, vm->scratch.length);
  if (out->failed) latch_raise_no_memory(L);
}

static void encode_structural(lua_State *L, latch_vm *vm) {
  latch_buffer_clear(&vm->out);
  lua_Integer count = vm->journal_count;
  size_t *ends = lua_newuserdatauv(L, (size_t)(count + 1) * sizeof *ends, 0);
  lua_replace(L, 1);
  for (lua_Integer entry = count; entry >= 1; entry--) {
    encode_entry(L, vm, entry);
    ends[entry] = vm->out.length;
  }
  for (lua_Integer entry = 1; entry <= count; entry++) {
    latch_swap_entry(L, entry, false);
    vm->undone--;
  }
  // The changes were written last first; the patch has them first to last.
  for (lua_Integer entry = 1; entry <= count; entry++) {
    size_t start = entry == count ? 0 : ends[entry + 1];
    latch_buffer_add(&vm->patch, vm->out.bytes + start, ends[entry] - start);
  }
}

int latch_encode_patch(lua_State *L) {
  latch_vm *vm = latch_of(L);
  lua_settop(L, 1);
  if (vm->structural) encode_structural(L, vm);
  else encode_simple(L, vm);
  return vm->patch.failed ? latch_raise_no_memory(L) : 0;
}

latch_status latch_patch(latch_vm *vm, latch_bytes *patch) {
  latch_status status = LATCH_OK;
  if (vm->written_count == 0) latch_buffer_clear(&vm->patch);
  if (vm->journal_count > 0) {
    vm->unlimited++;  // what the transition itself allocated has been counted already
    status = latch_protect(vm, latch_encode_patch, NULL, 0);
    vm->unlimited--;
  }
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
