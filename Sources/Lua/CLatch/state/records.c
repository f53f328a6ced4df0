/// Declaring machines for records.

#include "state/state.h"

// MARK: Declaring

/// Pushes that part of the position at `position`, a table; creates it if there is none.
static void push_part(lua_State *L, int position, int part) {
  if (lua_rawgeti(L, position, part) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_rawseti(L, position, part);
}

/// Replaces the position on top of the stack by the one below it, under that name or, for
/// LATCH_NO_REF, under any key.
static void go_below(lua_State *L, latch_ref name) {
  int position = lua_gettop(L);
  int other = name == LATCH_NO_REF ? LATCH_POSITION_NAMED : LATCH_POSITION_ALL;
  if (lua_rawgeti(L, position, other) == LUA_TTABLE) {
    luaL_error(L, "one machine names a key in its path where another has *");
  }
  lua_pop(L, 1);
  if (name == LATCH_NO_REF) {
    push_part(L, position, LATCH_POSITION_ALL);
    lua_remove(L, position);
    return;
  }
  push_part(L, position, LATCH_POSITION_NAMED);
  lua_rawgeti(L, LUA_REGISTRYINDEX, name);
  lua_pushvalue(L, -1);
  if (lua_rawget(L, position + 1) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, position + 2);
    lua_pushvalue(L, position + 3);
    lua_rawset(L, position + 1);
  }
  lua_replace(L, position);
  lua_settop(L, position);
}

/// Pushes the parts of a region.
static void push_region(lua_State *L, const latch_record_region *region) {
  if (region->field == LATCH_NO_REF) lua_pushboolean(L, 0);
  else lua_rawgeti(L, LUA_REGISTRYINDEX, region->field);
  lua_newtable(L);
  lua_pushinteger(L, region->by_default);
  lua_pushinteger(L, region->around);
  lua_pushinteger(L, region->owner);
}

/// Pushes the machine as a table with the parts that C uses.
static void push_new_machine(
  lua_State *L, const latch_record_machine *declared, lua_Integer number) {
  lua_createtable(L, LATCH_MACHINE_REGIONS + LATCH_REGION_WIDTH * (int)declared->regions, 0);
  int machine = lua_gettop(L);
  lua_pushinteger(L, number);
  lua_rawseti(L, machine, LATCH_MACHINE_NUMBER);
  lua_pushboolean(L, declared->is_told);
  lua_rawseti(L, machine, LATCH_MACHINE_IS_TOLD);
  lua_pushboolean(L, 0);
  lua_rawseti(L, machine, LATCH_MACHINE_COUNTS);
  lua_pushinteger(L, (lua_Integer)declared->regions);
  lua_rawseti(L, machine, LATCH_MACHINE_REGION_COUNT);
  lua_createtable(L, (int)declared->path_count, 0);
  for (size_t i = 0; i < declared->path_count; i++) {
    if (declared->path[i] == LATCH_NO_REF) lua_pushboolean(L, 0);
    else lua_rawgeti(L, LUA_REGISTRYINDEX, declared->path[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_rawseti(L, machine, LATCH_MACHINE_PATH);
  lua_createtable(L, (int)declared->stops, 0);
  for (size_t stop = 0; stop < declared->stops; stop++) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, declared->values[stop]);
    lua_rawseti(L, -2, (lua_Integer)stop + 1);
  }
  lua_rawseti(L, machine, LATCH_MACHINE_TEXTS);
  for (size_t region = 0; region < declared->regions; region++) {
    push_region(L, &declared->regions_of[region]);
    for (int part = LATCH_REGION_WIDTH - 1; part >= 0; part--) {
      lua_rawseti(L, machine, LATCH_MACHINE_REGIONS + LATCH_REGION_WIDTH * (int)region + part);
    }
  }
  for (size_t i = 0; i < declared->texts; i++) {
    const latch_given_text *text = &declared->texts_of[i];
    lua_rawgeti(
      L, machine, LATCH_MACHINE_REGIONS + LATCH_REGION_WIDTH * text->region + LATCH_REGION_STOPS);
    lua_rawgeti(L, LUA_REGISTRYINDEX, text->text);
    lua_pushinteger(L, text->stop);
    lua_rawset(L, -3);
    lua_pop(L, 1);
  }
}

/// Makes closed records at that position have the machine's fields.
static void declare_fields(
  lua_State *L, const latch_record_machine *declared, int record, int position) {
  int top = lua_gettop(L);
  push_part(L, position, LATCH_POSITION_FIELDS);
  latch_push_node_data(L, record);
  bool closed = latch_data_mark(L, top + 2) == 0;
  if (closed) {
    lua_getmetatable(L, top + 2);
    lua_rawgeti(L, top + 3, 1);
  }
  for (size_t region = 0; region < declared->regions && closed; region++) {
    if (declared->regions_of[region].field == LATCH_NO_REF) continue;
    lua_rawgeti(L, LUA_REGISTRYINDEX, declared->regions_of[region].field);
    lua_pushvalue(L, -1);
    if (lua_rawget(L, top + 4) != LUA_TNIL && lua_tointeger(L, -1) != LATCH_FIELD_MACHINE) {
      latch_path_error(
        L, record, lua_gettop(L) - 1, "this field belongs to a machine: leave it out");
    }
    lua_pop(L, 1);
    lua_pushinteger(L, LATCH_FIELD_MACHINE);
    lua_rawset(L, top + 4);
  }
  lua_settop(L, top);
}

static void close_fields(lua_State *L, int record, int position, void *context) {
  if (latch_push_machines_at(L, position)) {
    lua_pop(L, 1);
    declare_fields(L, context, record, position);
  }
}

static int declare_records(lua_State *L) {
  latch_record_machine *declared = lua_touserdata(L, 1);
  latch_vm *vm = latch_of(L);
  enum { VM_PARTS = 2, ROOT_POSITION, MACHINE, POSITION };
  lua_settop(L, 1);
  if (lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_RECORD_MACHINES) != LUA_TTABLE) {
    lua_settop(L, 1);
    lua_newtable(L);
    lua_newtable(L);
    lua_rawseti(L, VM_PARTS, LATCH_ROOT_POSITION);
    lua_pushvalue(L, VM_PARTS);
    lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_RECORD_MACHINES);
    lua_createtable(L, LATCH_MOST_RECORD_KEYS + 1, 0);
    for (int i = 1; i <= LATCH_MOST_RECORD_KEYS + 1; i++) {
      lua_pushboolean(L, 0);
      lua_rawseti(L, -2, i);
    }
    lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_RECORD_ARGUMENTS);
  }
  lua_rawgeti(L, VM_PARTS, LATCH_ROOT_POSITION);
  lua_Integer number = (lua_Integer)lua_rawlen(L, VM_PARTS) + 1;
  push_new_machine(L, declared, number);
  lua_pushvalue(L, MACHINE);
  lua_rawseti(L, VM_PARTS, number);
  lua_pushvalue(L, ROOT_POSITION);
  for (size_t i = 0; i < declared->path_count; i++) go_below(L, declared->path[i]);
  go_below(L, LATCH_NO_REF);
  push_part(L, POSITION, LATCH_POSITION_MACHINES);
  lua_pushvalue(L, MACHINE);
  lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
  lua_settop(L, POSITION);
  push_part(L, POSITION, LATCH_POSITION_FIELDS);
  for (size_t region = 0; region < declared->regions; region++) {
    if (declared->regions_of[region].field == LATCH_NO_REF) continue;
    lua_rawgeti(L, LUA_REGISTRYINDEX, declared->regions_of[region].field);
    size_t length;
    const char *name = lua_tolstring(L, -1, &length);
    vm->record_fields |= latch_bit_of_name(name, length);
    lua_pushboolean(L, 1);
    lua_rawset(L, -3);
  }
  vm->has_records = true;
  vm->records.go_on |= declared->goes_on;
  lua_settop(L, MACHINE);
  // A closed record of the state gets the machine's field as well.
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
  latch_walk_positions(L, lua_gettop(L), ROOT_POSITION, MACHINE, close_fields, declared);
  latch_begin_records(L, ROOT_POSITION, MACHINE);
  declared->number = (int32_t)number;
  return 0;
}

latch_status latch_declare_records(latch_vm *vm, latch_record_machine *machine) {
  return latch_protect(vm, declare_records, machine, 0);
}
