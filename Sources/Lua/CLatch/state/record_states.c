/// The states of a record's machines: at the beginning, and as set by the host.

#include "state/state.h"

/// Writes a field of a new record. A record that was created in this transaction is reported
/// completely.
static void write_field(lua_State *L, int record, int data, int field, int value, bool fresh) {
  lua_pushvalue(L, field);
  lua_rawget(L, data);
  if (!fresh) {
    const latch_cell *cells = latch_argument_cells(L) - 1;
    latch_scalar new =
      !lua_isnil(L, value) ? latch_scalar_of(&cells[value]) : (latch_scalar){{0}, 0, LATCH_TAG_NIL};
    latch_log_scalar(L, latch_of(L), cells[record].object, latch_scalar_of(&cells[field]),
      latch_scalar_of(&cells[lua_gettop(L)]), new);
  }
  lua_pop(L, 1);
  lua_pushvalue(L, field);
  if (!lua_isnil(L, value)) lua_pushvalue(L, value);
  else lua_pushnil(L);
  lua_rawset(L, data);
}

/// The parts of a region that complete() needs.
static lua_Integer part_of(lua_State *L, int machine, int region, int part) {
  lua_rawgeti(L, machine, LATCH_MACHINE_REGIONS + LATCH_REGION_WIDTH * region + part);
  lua_Integer number = lua_tointeger(L, -1);
  lua_pop(L, 1);
  return number;
}

/// The leaf that the value on top of the stack names, in a field that the host has written.
static int given_stop(lua_State *L, int machine, int record, int region, int field) {
  int value = lua_gettop(L);
  lua_rawgeti(L, machine, LATCH_MACHINE_REGIONS + LATCH_REGION_WIDTH * region + LATCH_REGION_STOPS);
  lua_pushvalue(L, value);
  if (lua_type(L, value) != LUA_TSTRING) {
    latch_path_error(L, record, field, "the state of a machine must be a string");
  }
  if (lua_rawget(L, value + 1) != LUA_TNUMBER) {
    latch_push_suggestion(L, value + 1, lua_tostring(L, value));
    const char *said = lua_tostring(L, value), *nearest = lua_tostring(L, -1);
    lua_pushfstring(L, "its machine has no state %s%s", said, nearest);
    latch_path_error(L, record, field, lua_tostring(L, -1));
  }
  int stop = (int)lua_tointeger(L, -1);
  lua_settop(L, value);
  return stop;
}

/// Writes the state of each region of the machine. `as_given`: the state that the record has, or
/// the default if it has none; otherwise the default for all.
static void complete(lua_State *L, int machine, int record, bool fresh, bool as_given) {
  int top = lua_gettop(L);
  latch_check_stack(L, 16, "too much at once");
  latch_push_node_data(L, record);
  int data = top + 1;
  lua_rawgeti(L, machine, LATCH_MACHINE_TEXTS);
  lua_rawgeti(L, machine, LATCH_MACHINE_REGION_COUNT);
  int regions = (int)lua_tointeger(L, -1);
  latch_charge(L, (size_t)regions);
  int *stops = lua_newuserdatauv(L, (size_t)regions * sizeof *stops, 0);
  int own = lua_gettop(L);
  for (int region = 0; region < regions; region++) {
    lua_settop(L, own);
    lua_Integer around = part_of(L, machine, region, LATCH_REGION_AROUND);
    bool active = around < 0 || stops[around] == part_of(L, machine, region, LATCH_REGION_OWNER);
    stops[region] = active ? (int)part_of(L, machine, region, LATCH_REGION_DEFAULT) : LATCH_NO_STOP;
    int first = LATCH_MACHINE_REGIONS + LATCH_REGION_WIDTH * region;
    if (lua_rawgeti(L, machine, first) != LUA_TSTRING) continue;
    int field = own + 1, now = own + 2;
    lua_pushvalue(L, field);
    lua_rawget(L, data);
    if (as_given && !lua_isnil(L, now)) {
      if (!active) {
        latch_path_error(L, record, field,
          "this region is not active: another given state excludes "
          "it");
      }
      stops[region] = given_stop(L, machine, record, region, field);
    }
    if (stops[region] < 0) lua_pushnil(L);
    else lua_rawgeti(L, own - 2, stops[region] + 1);
    if (!lua_rawequal(L, now, now + 1)) write_field(L, record, data, field, now + 1, fresh);
  }
  lua_settop(L, top);
}

/// Pushes the name of the machine's field that the record already has, or nothing.
static bool push_brought(lua_State *L, int machine, int data) {
  int top = lua_gettop(L);
  lua_rawgeti(L, machine, LATCH_MACHINE_REGION_COUNT);
  int regions = (int)lua_tointeger(L, -1);
  for (int region = 0; region < regions; region++) {
    lua_settop(L, top);
    int first = LATCH_MACHINE_REGIONS + LATCH_REGION_WIDTH * region;
    if (lua_rawgeti(L, machine, first) != LUA_TSTRING) continue;
    lua_pushvalue(L, -1);
    if (lua_rawget(L, data) == LUA_TNIL) continue;
    lua_settop(L, top + 1);
    return true;
  }
  lua_settop(L, top);
  return false;
}

void latch_begin_machine(lua_State *L, int machine, int record, bool fresh) {
  latch_vm *vm = latch_of(L);
  int top = lua_gettop(L);
  latch_push_node_data(L, record);
  bool may_have = !fresh || vm->records.by_host || latch_is_copied(L, record);
  if (!may_have && push_brought(L, machine, top + 1)) {
    latch_path_error(L, record, top + 2,
      "only its machine can change this field: leave it out, and the record begins in the initial "
      "state");
  }
  complete(L, machine, record, fresh, vm->records.by_host);
  lua_settop(L, top);
}

void latch_complete_machine(lua_State *L, int machine, int record, bool fresh) {
  complete(L, machine, record, fresh, true);
}
