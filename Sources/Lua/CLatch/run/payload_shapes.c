/// The shapes of payloads: to read a field that an action does not declare is an error.
///
/// The shape of a record is the metatable of the table that holds its fields: [1] name -> the
/// number of the shape below, or 0; [2] its title in messages; [3] the empty payload that has it;
/// and an __index, which runs only for a field without a value. So a field that has one is read as
/// fast as without a shape. The shape of a list or map is the number of the shape of its elements.
///
/// A function that runs for several actions reads fields that not all of them declare. It gets nil
/// for a field that one of the others declares. LATCH_R_PAYLOAD_READERS has the functions of which
/// the actions are known, LATCH_R_PAYLOAD_NAMES the fields that any other function may read.

#include "run/run.h"

enum { FIELDS = 1, TITLE, EMPTY };

static void push_shape(lua_State *L, uint32_t number) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_PAYLOAD_SHAPES);
  lua_rawgeti(L, -1, number);
  lua_remove(L, -2);
}

// MARK: Reading

/// The outermost function of the running coroutine, which the flow has declared; NULL if it is none
/// of Lua.
static const void *outermost_function(lua_State *L) {
  const void *found = NULL;
  const lua_running_part *call = ((const lua_thread_part *)L)->running;
  for (; call != NULL; call = call->previous) {
    if (call->function->type == LATCH_CELL_LUA_FUNCTION) found = call->function->object;
  }
  return found;
}

/// True if the fields of the shape at `shape` include the name at `name`.
static bool has_field(lua_State *L, int shape, int name) {
  lua_rawgeti(L, shape, FIELDS);
  lua_pushvalue(L, name);
  bool has = lua_rawget(L, -2) != LUA_TNIL;
  lua_pop(L, 2);
  return has;
}

/// True if the function that runs may read the field with the name at `name` of other payloads.
static bool reads_others(lua_State *L, int name) {
  int top = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_PAYLOAD_NAMES);
  lua_pushvalue(L, name);
  bool reads = lua_rawget(L, top + 1) != LUA_TNIL;
  const void *function = reads ? outermost_function(L) : NULL;
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_PAYLOAD_READERS);
  lua_Integer count = function == NULL ? 0 : (lua_Integer)lua_rawlen(L, -1);
  int readers = lua_gettop(L);
  latch_charge(L, (size_t)count);
  for (lua_Integer i = 1; i < count; i += 2) {
    lua_rawgeti(L, readers, i);
    lua_rawgeti(L, LUA_REGISTRYINDEX, lua_tointeger(L, -1));
    bool is_it = lua_topointer(L, -1) == function;
    lua_settop(L, readers);
    if (!is_it) continue;
    lua_rawgeti(L, readers, i + 1);
    push_shape(L, (uint32_t)lua_tointeger(L, -1));
    reads = has_field(L, lua_gettop(L), name);
    break;
  }
  lua_settop(L, top);
  return reads;
}

/// The __index of a record's fields: nil for a field without a value, an error for others.
///
/// A payload that was put into the state is the state's until the transaction ends, and the state
/// has nil for a field without a value: once a table was put there, nothing is an error.
static int read_absent(lua_State *L) {
  lua_settop(L, 2);
  latch_vm *vm = latch_of(L);
  if (vm->in_transaction && vm->structural) return 0;
  lua_getmetatable(L, 1);
  if (has_field(L, 3, 2)) return 0;
  if (lua_type(L, 2) == LUA_TSTRING && reads_others(L, 2)) return 0;
  lua_rawgeti(L, 3, FIELDS);
  lua_rawgeti(L, 3, TITLE);
  latch_refuse_undeclared(L, 4, 5, 2);
  return 0;
}

// MARK: Giving shapes

void latch_give_payload_shape(lua_State *L, uint32_t shape) {
  if (shape == 0) lua_pushnil(L);
  else push_shape(L, shape);
  lua_setmetatable(L, -2);
}

/// Gives the table at `value`, and those in it, the shapes that follow from its own.
static void shape_value(lua_State *L, int value, uint32_t number) {
  latch_check_stack(L, 10, "values are nested too deeply");
  int shape = lua_gettop(L) + 1;
  push_shape(L, number);
  bool is_record = lua_istable(L, shape);
  if (is_record) lua_rawgeti(L, shape, FIELDS);
  else lua_pushvalue(L, shape);
  lua_pushnil(L);
  while (lua_next(L, value)) {
    if (lua_istable(L, -1)) {
      uint32_t below = (uint32_t)lua_tointeger(L, shape);
      if (is_record) {
        lua_pushvalue(L, -2);
        lua_rawget(L, shape + 1);
        below = (uint32_t)lua_tointeger(L, -1);
        lua_pop(L, 1);
      }
      if (below != 0) shape_value(L, lua_gettop(L), below);
    }
    lua_pop(L, 1);
  }
  if (is_record) {
    lua_pushvalue(L, shape);
    lua_setmetatable(L, value);
  }
  lua_settop(L, shape - 1);
}

void latch_shape_payload_field(lua_State *L, uint32_t shape, int name) {
  if (shape == 0) return;
  int value = lua_gettop(L);
  latch_check_stack(L, 6, "values are nested too deeply");
  push_shape(L, shape);
  lua_rawgeti(L, value + 1, FIELDS);
  lua_pushvalue(L, name);
  lua_rawget(L, value + 2);
  uint32_t below = (uint32_t)lua_tointeger(L, -1);
  lua_settop(L, value);
  if (below != 0) shape_value(L, value, below);
}

void latch_push_empty_payload(lua_State *L, uint32_t shape) {
  if (shape == 0) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_EMPTY_PAYLOAD);
    return;
  }
  push_shape(L, shape);
  lua_rawgeti(L, -1, EMPTY);
  lua_remove(L, -2);
}

static int make_empty_payload(lua_State *L) {
  uint32_t shape = *(const uint32_t *)lua_touserdata(L, 1);
  push_shape(L, shape);
  lua_newtable(L);
  latch_give_payload_shape(L, shape);
  latch_freeze(L);
  lua_rawseti(L, 2, EMPTY);
  return 0;
}

latch_status latch_make_empty_payload(latch_vm *vm, uint32_t shape) {
  return latch_protect(vm, make_empty_payload, &shape, 0);
}

// MARK: Declaring

typedef struct {
  latch_bytes shapes;
  const latch_ref *readers;
  size_t reader_count;
} latch_payload_declaration;

/// Replaces the described record on top of the stack by its shape, and adds its fields to the table
/// at `names`.
static void make_record(lua_State *L, int names) {
  int described = lua_gettop(L), shape = described + 1, fields = described + 2;
  lua_createtable(L, EMPTY, 2);
  lua_getfield(L, described, "fields");
  lua_pushnil(L);
  while (lua_next(L, fields)) {
    lua_pop(L, 1);
    lua_pushvalue(L, -1);
    lua_pushboolean(L, 1);
    lua_rawset(L, names);
  }
  lua_rawseti(L, shape, FIELDS);
  lua_getfield(L, described, "title");
  lua_rawseti(L, shape, TITLE);
  lua_pushcfunction(L, read_absent);
  lua_setfield(L, shape, "__index");
  latch_hide_metatable(L, shape);
  lua_replace(L, described);
}

static int declare_payloads(lua_State *L) {
  const latch_payload_declaration *request = lua_touserdata(L, 1);
  const uint8_t *cursor = request->shapes.bytes;
  lua_newtable(L);
  latch_decode(L, &cursor, cursor + request->shapes.length, 0);
  lua_Integer count = (lua_Integer)lua_rawlen(L, 3);
  for (lua_Integer i = 1; i <= count; i++) {
    if (lua_rawgeti(L, 3, i) == LUA_TTABLE) {
      make_record(L, 2);
      lua_rawseti(L, 3, i);
    }
    lua_settop(L, 3);
  }
  lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_PAYLOAD_SHAPES);
  lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_PAYLOAD_NAMES);
  latch_of(L)->payload_shapes = (uint32_t)count;
  lua_createtable(L, (int)request->reader_count, 0);
  for (size_t i = 0; i < request->reader_count; i++) {
    lua_pushinteger(L, request->readers[i]);
    lua_rawseti(L, 2, (lua_Integer)i + 1);
  }
  lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_PAYLOAD_READERS);
  return 0;
}

latch_status latch_declare_payloads(latch_vm *vm, const uint8_t *bytes, size_t length,
  const latch_ref *readers, size_t reader_count) {
  latch_payload_declaration request = {{bytes, length}, readers, reader_count};
  return latch_protect(vm, declare_payloads, &request, 0);
}
