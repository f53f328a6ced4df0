/// From a patch back to writes, which the host makes through a writer of the prelude.
///
/// The writer asks for one change after the other, so that only one is decoded at a time, however
/// many there are. Backwards, the start of each change is found first.

#include "state/state.h"

enum { SET = 0, INSERT = 1, REMOVE = 2, KIND = 3 };

struct latch_changes {
  const uint8_t *cursor, *end;
  bool backwards;
  latch_array starts;  ///< the starts of the changes that are still to come, if backwards
};

static int find_starts(lua_State *L) {
  latch_changes *changes = lua_touserdata(L, 1);
  for (const uint8_t *cursor = changes->cursor; cursor < changes->end;) {
    const uint8_t **start = latch_array_room(L, &changes->starts, sizeof *start);
    *start = cursor++;
    changes->starts.count++;
    // Its path, the old value and the new one.
    for (int i = 0; i < 3; i++) latch_skip(L, &cursor, changes->end, 0);
  }
  return 0;
}

/// Returns the start of the next change; NULL if there is none.
static const uint8_t *next_start(latch_changes *changes) {
  latch_array *starts = &changes->starts;
  if (!changes->backwards) return changes->cursor < changes->end ? changes->cursor : NULL;
  return starts->count > 0 ? ((const uint8_t **)starts->items)[--starts->count] : NULL;
}

/// Pushes the table to which a path without its last key leads, and the last key; the state and nil
/// if the path is empty.
static void push_place(lua_State *L, const uint8_t **cursor, const uint8_t *end) {
  size_t count = latch_decode_list(L, cursor, end);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
  for (; count > 1; count--) {
    latch_decode(L, cursor, end, 0);
    lua_gettable(L, -2);
    lua_remove(L, -2);
  }
  if (count == 0) lua_pushnil(L);
  else latch_decode(L, cursor, end, 0);
}

/// (): returns the operation of the next change, the table that it changes, the key there and the
/// value; nothing if there is none. A change of an empty table's kind becomes a write of a new
/// table of that kind.
static int next_change(lua_State *L) {
  latch_vm *vm = latch_of(L);
  latch_changes *changes = vm->changes;
  const uint8_t *cursor = changes == NULL ? NULL : next_start(changes), *end = NULL;
  if (cursor == NULL) return 0;
  end = changes->end;
  int operation = *cursor++;
  if (operation == KIND) operation = SET;
  if (changes->backwards && operation != SET) operation = operation == INSERT ? REMOVE : INSERT;
  lua_settop(L, 0);
  lua_pushinteger(L, operation);
  push_place(L, &cursor, end);
  if (!changes->backwards) latch_skip(L, &cursor, end, 0);  // the old value
  vm->keeps_kinds = true;
  latch_decode(L, &cursor, end, 0);
  vm->keeps_kinds = false;
  changes->cursor = cursor;
  return 4;
}

latch_status latch_apply_patch(latch_vm *vm, latch_ref function, const uint8_t *patch,
  size_t length, bool backwards, latch_run options) {
  lua_State *thread = latch_thread_for_run(vm);
  if (thread == NULL) return vm->failure.status;
  latch_changes changes = {patch, patch + length, backwards, {0}}, *before = vm->changes;
  latch_status status = backwards ? latch_protect(vm, find_starts, &changes, 0) : LATCH_OK;
  if (status == LATCH_OK) {
    lua_rawgeti(thread, LUA_REGISTRYINDEX, function);
    lua_pushcfunction(thread, next_change);
    int results = 0;
    options.phase = LATCH_REDUCER;
    vm->changes = &changes;
    vm->host_writes = vm->records.by_host = true;
    status = latch_run_thread(vm, thread, 1, options, &results);
    vm->host_writes = vm->keeps_kinds = false;
    vm->changes = before;
    if (status == LATCH_OK) lua_settop(thread, 0);
  }
  latch_array_free(vm, &changes.starts, sizeof(const uint8_t *));
  return status;
}
