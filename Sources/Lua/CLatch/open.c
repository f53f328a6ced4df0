/// Opening and closing a VM.

#include <stdlib.h>
#include <string.h>

#include "language/language.h"

static void set_registry_string(lua_State *L, int key, const char *text) {
  lua_pushstring(L, text);
  lua_rawseti(L, LUA_REGISTRYINDEX, key);
}

static void set_registry_table(lua_State *L, int key) {
  lua_newtable(L);
  lua_rawseti(L, LUA_REGISTRYINDEX, key);
}

/// Lua never frees its own names; two of these are the library's, and are kept here.
static void find_events(lua_State *L) {
  latch_vm *vm = latch_of(L);
  for (int i = 0; i < LATCH_EVENTS; i++) {
    lua_pushstring(L, latch_event_names[i]);
    vm->event_names[i] = latch_string_of(lua_tostring(L, -1));
    lua_pop(L, 1);
  }
  set_registry_string(L, LATCH_R_STRING_TOSTRING, "__tostring");
  set_registry_string(L, LATCH_R_STRING_PAIRS, "__pairs");
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STRING_TOSTRING);
  vm->tostring_name = latch_string_of(lua_tostring(L, -1));
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STRING_PAIRS);
  vm->pairs_name = latch_string_of(lua_tostring(L, -1));
  lua_pop(L, 2);
}

static int open_everything(lua_State *L) {
  latch_vm *vm = lua_touserdata(L, 1);
  lua_pushinteger(L, 0);  // luaL_ref has its list of free keys at 3
  lua_rawseti(L, LUA_REGISTRYINDEX, 3);
  set_registry_string(L, LATCH_R_KILLED, "the run has reached its limit");
  set_registry_string(L, LATCH_R_STRING_INDEX, "__index");
  set_registry_string(L, LATCH_R_STRING_NEWINDEX, "__newindex");
  for (int key = LATCH_R_STATE; key <= LATCH_R_TASKS; key++) {
    bool is_other = key == LATCH_R_KILLED || key == LATCH_R_STRING_INDEX ||
                    key == LATCH_R_STRING_NEWINDEX || key == LATCH_R_PAYLOAD ||
                    key == LATCH_R_EMPTY_PAYLOAD || key == LATCH_R_GLOBALS;
    if (!is_other) set_registry_table(L, key);
  }
  if (!latch_forget_weak_tables(
        L, LATCH_R_NO_MODE, vm->memory.first_block, vm->memory.first_size)) {
    return luaL_error(L, "this build of Lua 5.4 stores its names elsewhere");
  }
  for (int key = LATCH_R_NO_MODE + 1; key < LATCH_R_END; key++) {
    lua_pushboolean(L, 0);  // never nil: luaL_ref would use the slot for a reference
    lua_rawseti(L, LUA_REGISTRYINDEX, key);
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STRING_INDEX);
  vm->index_name = latch_string_of(lua_tostring(L, -1));
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STRING_NEWINDEX);
  vm->newindex_name = latch_string_of(lua_tostring(L, -1));
  find_events(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_LIST);
  vm->list_mark = lua_topointer(L, -1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_MAP);
  vm->map_mark = lua_topointer(L, -1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_LEAF);
  vm->leaf_mark = lua_topointer(L, -1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_EMPTY);
  vm->empty_mark = lua_topointer(L, -1);
  lua_settop(L, 0);
  latch_open_marks(L);
  latch_open_sandbox(L);
  lua_newtable(L);
  latch_freeze(L);
  lua_pushvalue(L, -1);
  lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_EMPTY_PAYLOAD);
  lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_PAYLOAD);
  vm->payload_is_frozen = true;
  return 0;
}

static lua_Alloc lasting_allocator(const latch_vm *vm) {
  return vm->notes == NULL ? latch_allocate : latch_allocate_noted;
}

/// The allocator while the VM is made: it records the address of Lua's own state.
static void *allocate_first(void *opaque, void *block, size_t old_size, size_t new_size) {
  latch_vm *vm = opaque;
  void *moved = lasting_allocator(vm)(vm, block, old_size, new_size);
  if (vm->memory.first_block == NULL) {
    vm->memory.first_block = moved;
    vm->memory.first_size = new_size;
  }
  return moved;
}

static latch_vm *open_vm(size_t memory_limit, bool is_noted) {
  if (!latch_knows_layout()) return NULL;
  latch_vm *vm = calloc(1, sizeof *vm);
  if (vm == NULL) return NULL;
  if (is_noted && (vm->notes = latch_open_notes()) == NULL) {
    free(vm);
    return NULL;
  }
  vm->run.current = latch_guard_thread();
  vm->guards.node = latch_node_write;
  vm->guards.recorder = latch_recorded_read;
  vm->call_stub = latch_call_stub;
  vm->find = latch_string_find;
  vm->push_recorded_data = latch_push_recorded_data;
  vm->recording = vm->touched = vm->undecided = LATCH_NO_READER;
  latch_set_limits(vm, (latch_limits){.coroutines = INT32_MAX, .nesting = 100});
  latch_set_memory_limit(vm, memory_limit);
  if (vm->run.current != NULL) vm->L = lua_newstate(allocate_first, vm);
  if (vm->L == NULL || latch_lua_version() != 504) {
    latch_close(vm);
    return NULL;
  }
  latch_watch(vm);
  lua_setallocf(vm->L, lasting_allocator(vm), vm);
  *(latch_vm **)lua_getextraspace(vm->L) = vm;
  if (latch_protect(vm, open_everything, vm, 0) != LATCH_OK) {
    latch_close(vm);
    return NULL;
  }
  return vm;
}

latch_vm *latch_open(size_t memory_limit) { return open_vm(memory_limit, false); }
latch_vm *latch_open_noted(size_t memory_limit) { return open_vm(memory_limit, true); }

void latch_close(latch_vm *vm) {
  if (vm == NULL) return;
  if (vm->watch.number > 0) latch_unwatch(vm);
  // Nothing in a VM has a finalizer (metatables.c), and a script's `<close>` runs when its run
  // ends: no Lua code has to run.
  while (vm->image != NULL) latch_drop_image(vm);
  latch_free_blocks(&vm->memory.blocks);
  latch_free_covered(&vm->covered);
  latch_close_notes(vm->notes);
  latch_drop_template(vm->vm_template);
  latch_buffer *buffers[LATCH_BUFFERS];
  latch_list_buffers(vm, buffers);
  for (int i = 0; i < LATCH_BUFFERS; i++) latch_buffer_free(buffers[i]);
  latch_log_free(vm);
  latch_trace_free(vm);
  free(vm->huge);
  free(vm->readers);
  free(vm);
}

bool latch_is_other_lua(void) { return latch_lua_version() != 504 || latch_layout_differs(); }
int latch_lua_version(void) { return (int)lua_version(NULL); }
const char *latch_lua_release(void) { return lua_ident; }
size_t latch_memory_used(const latch_vm *vm) { return vm->memory.used; }

static int collect(lua_State *L) {
  lua_gc(L, LUA_GCCOLLECT, 0);
  return 0;
}

void latch_collect_garbage(latch_vm *vm) { latch_protect(vm, collect, NULL, 0); }
