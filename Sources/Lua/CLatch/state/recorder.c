/// The reads of views and invariants: how the running reader sees the state.
///
/// A reader gets the nodes themselves. A node whose reads are recorded has a function as its
/// `__index` until the reader ends. Other nodes are read inside Lua's VM, since all of their
/// contents have been recorded already: a record without tables with its place, and whatever is
/// below a list or a map with the walk through it.

#include "state/state.h"

/// Reading so many elements of a list in sequence counts as a walk through it.
enum { WALK = 8 };

// MARK: Nodes whose reads are recorded

static latch_cell *index_cell(const latch_vm *vm, const void *node) {
  return latch_field_cell(latch_metatable_of(node), vm->index_name);
}

/// Records the reads of the node from now on. False: there are too many such nodes.
static bool record_reads(latch_vm *vm, const void *node) {
  latch_cell *index = index_cell(vm, node);
  if (index->type == LATCH_CELL_FUNCTION && index->function == vm->guards.recorder) return true;
  if (vm->recorded.count == LATCH_MOST_RECORDED) return false;
  latch_recorded *recorded = &vm->recorded.nodes[vm->recorded.count++];
  *recorded = (latch_recorded){.node = node, .index = index->object, .type = index->type};
  // The node's metatable has its data under another key, too: the collector need not be told.
  index->function = vm->guards.recorder;
  index->type = LATCH_CELL_FUNCTION;
  return true;
}

static void restore(latch_vm *vm, const latch_recorded *recorded) {
  latch_cell *index = index_cell(vm, recorded->node);
  index->object = recorded->index;
  index->type = recorded->type;
}

/// The reads of the node are recorded no longer.
static void stop_recording(latch_vm *vm, const void *node) {
  for (uint32_t i = vm->recorded.count; i > 0; i--) {
    if (vm->recorded.nodes[i - 1].node != node) continue;
    restore(vm, &vm->recorded.nodes[i - 1]);
    vm->recorded.nodes[i - 1] = vm->recorded.nodes[--vm->recorded.count];
    return;
  }
}

void latch_stop_recording(latch_vm *vm) {
  while (vm->recorded.count > 0) restore(vm, &vm->recorded.nodes[--vm->recorded.count]);
  vm->recording = LATCH_NO_READER;
}

// MARK: Contents

static const void **walked_slot(latch_vm *vm, const void *node) {
  return &vm->walk.walked[latch_hash_of_address(node) % LATCH_WALKED];
}

/// Records that the reader depends on all that is in the node and below it.
static void record_contents(lua_State *L, latch_vm *vm, int node) {
  if (vm->recording < 0) return;
  const void *address = lua_topointer(L, node);
  node = lua_absindex(L, node);
  latch_check_stack(L, 2, "too deep");
  lua_pushlightuserdata(L, LATCH_CONTENTS);
  latch_remember(L, node, lua_gettop(L));
  lua_pop(L, 1);
  stop_recording(vm, address);
  *walked_slot(vm, address) = address;
}

/// Prepares the node on top of the stack for the reader, which has read it in a table of the state.
static void show_node(lua_State *L, latch_vm *vm, const void *node) {
  if (vm->recording < 0 || *walked_slot(vm, node) == node || record_reads(vm, node)) return;
  record_contents(L, vm, lua_gettop(L));
}

/// The same for any value, which the reader has read in a node whose reads are recorded.
static void show_value(lua_State *L, latch_vm *vm) {
  const latch_cell *value = latch_top_cells(L, 1);
  const void *data;
  if (value->type != LATCH_CELL_TABLE) return;
  if (latch_look_at(vm, value->object, &data) != LATCH_NODE) return;
  if (latch_metatable_of(data) != vm->leaf_mark) show_node(L, vm, value->object);
}

/// True if the node on top of the stack is in the state: nothing but the state keeps it while its
/// reads are recorded.
static bool is_in_state(lua_State *L, const latch_vm *vm) {
  int top = lua_gettop(L);
  latch_check_stack(L, 1, "too deep");
  lua_pushvalue(L, top);
  bool is_there = lua_topointer(L, top) == vm->root;
  for (int depth = 1; !is_there && depth <= LATCH_DEEPEST_NESTING; depth++) {
    if (!latch_push_place(L, top + 1)) break;
    lua_copy(L, top + 2, top + 1);
    lua_settop(L, top + 1);
    is_there = lua_topointer(L, top + 1) == vm->root;
  }
  lua_settop(L, top);
  return is_there;
}

/// An iterator that a reader has kept may step through a table that has left the state since.
void latch_push_seen(lua_State *L) {
  latch_vm *vm = latch_of(L);
  if (vm->recording < 0 || !latch_is_node(L, -1) || !is_in_state(L, vm)) return;
  show_value(L, vm);
}

void latch_depend_on_all(lua_State *L) {
  latch_vm *vm = latch_of(L);
  if (vm->root != NULL) record_contents(L, vm, lua_gettop(L));
}

// MARK: One read

/// Decides whether the read of the node's element at that key must be recorded by itself. A walk
/// through a list reads all that is below it, and is recorded once.
static bool is_noteworthy(lua_State *L, latch_vm *vm, const latch_cell *arguments) {
  if (arguments[1].type != LATCH_CELL_INTEGER) return true;
  const void *node = arguments[0].object;
  lua_Integer index = arguments[1].integer;
  bool goes_on = node == vm->walk.node && index == vm->walk.index + 1;
  vm->walk.steps = goes_on ? vm->walk.steps + 1 : 0;
  vm->walk.node = node;
  vm->walk.index = index;
  if (vm->walk.steps < WALK) return true;
  record_contents(L, vm, 1);
  return false;
}

/// The `__index` of a node whose reads are recorded: (node, key).
int latch_recorded_read(lua_State *L) {
  latch_check_state_read(L);
  latch_vm *vm = latch_of(L);
  const latch_cell *arguments = latch_argument_cells(L);
  const void *data = latch_data_of(arguments[0].object);
  bool is_noted = is_noteworthy(L, vm, arguments);
  if (is_noted) latch_remember(L, 1, 2);
  if (vm->trace != NULL) latch_trace_read(L, 1, 2);
  const latch_cell *cell = latch_cell_at(data, latch_argument_cells(L) + 1);
  if (cell != NULL && !latch_is_nil(cell)) {
    latch_push_cell(L, cell);
  } else {
    latch_push_table(L, data);
    lua_pushvalue(L, 2);
    lua_gettable(L, 3);  // not raw: reading an undeclared field of a closed record raises
  }
  if (is_noted) show_value(L, vm);
  return 1;
}

// MARK: Whole tables

static void remember_whole(lua_State *L, int node) {
  node = lua_absindex(L, node);
  lua_pushboolean(L, 1);
  latch_remember(L, node, -1);
  lua_pop(L, 1);
}

/// Records a walk through a node whose reads are recorded. Returns true if it was recorded with all
/// that is below: for lists and maps, but not for records, of which few fields are usually of
/// interest.
static bool record_walk(lua_State *L, latch_vm *vm, int node) {
  latch_push_node_data(L, node);
  bool has_contents = latch_data_mark(L, -1) != 0 && lua_topointer(L, node) != vm->root;
  lua_pop(L, 1);
  if (has_contents) {
    record_contents(L, vm, node);
    return true;
  }
  lua_pushboolean(L, 0);
  latch_remember(L, node, -1);
  lua_pop(L, 1);
  remember_whole(L, node);
  return false;
}

latch_table_kind latch_push_walked(lua_State *L) {
  latch_vm *vm = latch_of(L);
  latch_table_kind kind = latch_kind(L, 1);
  if (kind == LATCH_PLAIN || kind == LATCH_FROZEN || (kind == LATCH_NODE && vm->trace == NULL))
    return latch_push_data(L, 1);
  latch_check_state_read(L);
  if (kind == LATCH_RECORDER && record_walk(L, vm, 1)) kind = LATCH_NODE;
  latch_push_node_data(L, 1);
  return kind;
}

void latch_push_recorded_data(lua_State *L, int index, bool is_length) {
  latch_vm *vm = latch_of(L);
  if (vm->trace != NULL)
    (is_length ? latch_trace_length : latch_trace_whole)(vm, lua_topointer(L, index));
  remember_whole(L, index);
  latch_push_node_data(L, index);
}

// MARK: The state of a reader

/// Raises: a state that was not declared has no barrier.
static int refuse_write(lua_State *L) {
  return luaL_error(
    L, "%s cannot change the state; only a reducer can", latch_who_runs(latch_of(L)));
}

void latch_push_read_state(lua_State *L) {
  latch_vm *vm = latch_of(L);
  latch_check_stack(L, 6, "too deep");
  if (vm->root != NULL) {
    if (vm->recording >= 0) record_reads(vm, vm->root);
    latch_push_table(L, vm->root);
    return;
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
  lua_newtable(L);
  lua_createtable(L, 0, 3);
  lua_pushvalue(L, -3);
  latch_set_proxy_events(L, refuse_write, true);
  lua_setmetatable(L, -2);
  lua_replace(L, -2);
}
