/// The write barrier: every write to the state arrives here, is checked, remembered in the journal,
/// and carried out on the node's data.

#include <math.h>
#include <string.h>

#include "vm.h"

// MARK: Who may write

static int refuse_write(lua_State *L, latch_vm *vm) {
  static const char *const WHO[] = {
    [LATCH_IDLE] = "the host",
    [LATCH_LOADING] = "a file that is loading",
    [LATCH_RULE] = "a gate rule",
    [LATCH_REDUCER] = "a reducer",
    [LATCH_VIEW] = "a view",
    [LATCH_INVARIANT] = "an invariant",
    [LATCH_EFFECT] = "an effect",
    [LATCH_SCRIPT] = "a script",
  };
  latch_push_where(L);
  latch_push_path(L, 1, 2);
  lua_pushfstring(L, ": %s cannot change the state; only a reducer can", WHO[vm->phase]);
  lua_concat(L, 3);
  return lua_error(L);
}

// MARK: What may be written

static bool is_utf8(const char *text, size_t length) {
  const uint8_t *at = (const uint8_t *)text, *end = at + length;
  while (at < end) {
    if (*at < 0x80) {
      at++;
      continue;
    }
    size_t more = *at >= 0xc2 && *at <= 0xdf ? 1 : *at >= 0xe0 && *at <= 0xef ? 2
      : *at >= 0xf0 && *at <= 0xf4 ? 3 : 0;
    if (more == 0 || (size_t)(end - at) <= more) return false;
    uint8_t low = *at == 0xe0 ? 0xa0 : *at == 0xf0 ? 0x90 : 0x80;
    uint8_t high = *at == 0xed ? 0x9f : *at == 0xf4 ? 0x8f : 0xbf;
    if (at[1] < low || at[1] > high) return false;
    for (size_t i = 2; i <= more; i++) {
      if (at[i] < 0x80 || at[i] > 0xbf) return false;
    }
    at += more + 1;
  }
  return true;
}

bool latch_is_utf8_key(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TSTRING) return true;
  size_t length;
  const char *text = lua_tolstring(L, index, &length);
  return is_utf8(text, length);
}

const char *latch_scalar_fault(lua_State *L, int index) {
  switch (lua_type(L, index)) {
    case LUA_TNIL:
    case LUA_TBOOLEAN:
    case LUA_TTABLE: return NULL;
    case LUA_TNUMBER:
      if (!lua_isinteger(L, index)) {
        lua_Number number = lua_tonumber(L, index);
        if (isnan(number)) return "NaN is not plain data";
        if (number == 0) {
          lua_pushnumber(L, 0.0);  // -0.0 becomes 0.0
          lua_replace(L, index);
        }
      }
      return NULL;
    case LUA_TSTRING: {
      size_t length;
      const char *text = lua_tolstring(L, index, &length);
      latch_charge(L, length);
      return is_utf8(text, length) ? NULL : "strings are UTF-8";
    }
    default: return lua_pushfstring(L, "a %s is not plain data", luaL_typename(L, index));
  }
}

static void check_value(lua_State *L, int index, int node, int key) {
  const char *fault = latch_scalar_fault(L, index);
  if (fault != NULL) latch_path_error(L, node, key, fault);
}

/// The key at `index` as the state has it: an integral float becomes an integer.
static void normalise_key(lua_State *L, int index, int node) {
  int type = lua_type(L, index);
  if (type == LUA_TSTRING) {
    if (!latch_is_utf8_key(L, index)) latch_path_error(L, node, index, "keys are UTF-8");
    return;
  }
  if (type == LUA_TNUMBER) {
    if (lua_isinteger(L, index)) return;
    int exact;
    lua_Integer integer = lua_tointegerx(L, index, &exact);
    if (exact) {
      lua_pushinteger(L, integer);
      lua_replace(L, index);
      return;
    }
  }
  latch_path_error(L, node, index, "keys are strings or integers");
}

enum { NODE = 1, KEY = 2, VALUE = 3, DATA = 4, OLD = 5 };

static void check_list(lua_State *L) {
  lua_Integer length = (lua_Integer)lua_rawlen(L, DATA);
  if (!lua_isinteger(L, KEY)) {
    latch_path_error(L, NODE, KEY, "a list has the keys 1 to n, no named ones");
  }
  lua_Integer key = lua_tointeger(L, KEY);
  bool fine = key >= 1 && key <= length + 1;
  if (lua_isnil(L, VALUE)) {
    if (key != length && key != length + 1) {
      latch_path_error(L, NODE, KEY, "a list has no holes; use table.remove");
    }
  } else if (!fine) {
    lua_pushfstring(L, "a list has no holes; the next free place is [%I]", (LUAI_UACINT)length + 1);
    latch_path_error(L, NODE, KEY, lua_tostring(L, -1));
  }
}

static void check_map(lua_State *L) {
  if (lua_isnil(L, VALUE) || !lua_isnil(L, OLD)) return;
  lua_pushnil(L);
  if (!lua_next(L, DATA)) return;
  bool other = (lua_type(L, -2) == LUA_TSTRING) != (lua_type(L, KEY) == LUA_TSTRING);
  lua_pop(L, 2);
  if (other) latch_path_error(L, NODE, KEY, "the keys of a map are strings or integers, not both");
}

/// An empty table whose kind nobody has said yet: its first key decides.
static void check_empty(lua_State *L) {
  if (lua_isnil(L, VALUE)) return;
  bool list = lua_isinteger(L, KEY) && lua_tointeger(L, KEY) == 1;
  lua_pushinteger(L, LATCH_R_EMPTY);
  latch_journal(L, NODE, KEY, lua_gettop(L), LATCH_J_KIND);
  latch_of(L)->structural = true;
  lua_pop(L, 1);
  latch_set_mark(L, DATA, list ? LATCH_R_LIST : LATCH_R_MAP);
}

static void refuse_undeclared(lua_State *L, int fields, int path, int key) {
  latch_push_where(L);
  if (lua_type(L, key) == LUA_TSTRING) {
    const char *name = lua_tostring(L, key);
    lua_pushfstring(L, "%s has no field %s", lua_tostring(L, path), name);
    latch_push_suggestion(L, fields, name);
  } else {
    lua_pushfstring(L, "%s is a record and has no field", lua_tostring(L, path));
    lua_pushfstring(L, lua_isinteger(L, key) ? " [%I]" : " of that kind",
                    (LUAI_UACINT)lua_tointeger(L, key));
  }
  lua_concat(L, 3);
  lua_error(L);
}

static void check_record(lua_State *L) {
  int top = lua_gettop(L);
  lua_getmetatable(L, DATA);
  lua_rawgeti(L, top + 1, 1);
  lua_rawgeti(L, top + 1, 2);
  lua_pushvalue(L, KEY);
  lua_rawget(L, top + 2);
  lua_Integer use = lua_tointeger(L, -1);
  if (use == 0) refuse_undeclared(L, top + 2, top + 3, KEY);
  if (use == LATCH_FIELD_MACHINE && !latch_of(L)->host_writes) {
    latch_path_error(L, NODE, KEY, "only its machine moves this field");
  }
  if (use == LATCH_FIELD_ALWAYS && lua_isnil(L, VALUE)) {
    latch_path_error(
      L, NODE, KEY, "this field always has a value (declare it as none to let it be empty)");
  }
  lua_settop(L, top);
}

int latch_closed_read(lua_State *L) {
  lua_settop(L, 2);
  lua_getmetatable(L, 1);
  lua_rawgeti(L, 3, 1);
  lua_rawgeti(L, 3, 2);
  lua_pushvalue(L, 2);
  lua_rawget(L, 4);
  if (lua_toboolean(L, -1)) return 0;  // declared, without a value yet
  refuse_undeclared(L, 4, 5, 2);
  return 0;
}

// MARK: Places of the nodes that come and go

/// The node at `index` leaves (NODE, key): it stands nowhere from now on.
static void detach(lua_State *L, int index, int node, int key) {
  latch_vm *vm = latch_of(L);
  if (!latch_is_node(L, index)) return;
  index = lua_absindex(L, index);
  int top = lua_gettop(L);
  lua_getmetatable(L, index);
  lua_rawgeti(L, top + 1, 1);
  bool here = lua_rawequal(L, top + 2, node);
  // With aliases about, the element that leaves may be the second one, not the one in its place.
  if (here && vm->aliased && latch_push_place(L, index)) {
    here = lua_rawequal(L, top + 4, key);
    lua_settop(L, top + 2);
  }
  lua_rawgeti(L, top + 1, 2);
  if (here) {
    latch_journal(L, index, top + 3, top + 2, LATCH_J_PLACE);
    lua_pushboolean(L, 0);
    lua_rawseti(L, top + 1, 1);
  }
  lua_settop(L, top);
}

/// True when the node at `index` is `node` or stands above it. It is not looked for above what is nested too
/// deeply: no such thing is in the state when the transition ends.
static bool is_above(lua_State *L, int index, int node) {
  int top = lua_gettop(L);
  lua_pushvalue(L, node);
  for (int depth = 1; depth <= LATCH_DEEPEST_NESTING; depth++) {
    if (lua_rawequal(L, -1, index)) {
      lua_settop(L, top);
      return true;
    }
    lua_getmetatable(L, -1);
    lua_rawgeti(L, -1, 1);
    if (!lua_istable(L, -1)) break;
    lua_replace(L, top + 1);
    lua_settop(L, top + 1);
  }
  lua_settop(L, top);
  return false;
}

static void check_cycle(lua_State *L, int index, int node, int key) {
  if (latch_is_node(L, index) && is_above(L, index, node)) {
    latch_path_error(L, node, key, "a table cannot stand inside itself (a cycle)");
  }
}

/// The node at `index` is put at (node, key). One that stands nowhere moves there; one that stands
/// elsewhere is an alias until the transition ends.
static void attach(lua_State *L, int index, int node, int key) {
  latch_vm *vm = latch_of(L);
  if (!latch_is_node(L, index)) return;
  index = lua_absindex(L, index);
  int top = lua_gettop(L);
  lua_getmetatable(L, index);
  lua_rawgeti(L, top + 1, 1);
  latch_push_node_data(L, index);
  latch_push_node_data(L, node);
  // Closed records are closed by their place: what moves between places of other kinds is copied.
  bool free = !lua_istable(L, top + 2) && latch_data_mark(L, top + 3) != 0 &&
              (latch_data_mark(L, top + 4) != 0 || !latch_has_shape(L, top + 4, key));
  if (free) {
    lua_rawgeti(L, top + 1, 2);
    latch_journal(L, index, top + 5, top + 2, LATCH_J_PLACE);
    latch_set_place(L, index, node, key);
  } else {
    vm->aliased = true;
    latch_push_place(L, index);  // exact from here on, where its list may soon hold it twice
  }
  if (vm->aliased && latch_data_mark(L, top + 4) == LATCH_R_LIST) vm->doubled = true;
  lua_settop(L, top);
}

// MARK: Writes

static bool is_none(lua_State *L, int index) {
  return lua_type(L, index) == LUA_TLIGHTUSERDATA && lua_touserdata(L, index) == latch_none();
}

void *latch_none(void) {
  static char none;
  return &none;
}

/// Whether the field belongs to a machine, which writes it itself: only the root has such fields.
static bool is_guarded(lua_State *L, latch_vm *vm) {
  if (vm->machine_count == 0 || vm->host_writes || lua_topointer(L, NODE) != vm->root) return false;
  lua_getmetatable(L, DATA);
  lua_rawgeti(L, -1, 1);
  lua_pushvalue(L, KEY);
  lua_rawget(L, -2);
  bool guarded = lua_tointeger(L, -1) == LATCH_FIELD_MACHINE;
  lua_pop(L, 3);
  return guarded;
}

/// (node, key, value), carried out whatever the phase. Leaves the stack as it was above VALUE.
static void write_value(lua_State *L, latch_vm *vm) {
  if (is_none(L, VALUE)) {
    lua_pushnil(L);
    lua_replace(L, VALUE);
  }
  latch_push_node_data(L, NODE);
  lua_pushvalue(L, KEY);
  lua_rawget(L, DATA);
  int type = lua_type(L, VALUE);
  bool scalar = type == LUA_TBOOLEAN || type == LUA_TNUMBER || type == LUA_TSTRING;
  bool simple = scalar && !lua_isnil(L, OLD) && !lua_istable(L, OLD) && !is_guarded(L, vm) &&
                (lua_type(L, KEY) == LUA_TSTRING || lua_isinteger(L, KEY));
  if (!simple) {
    normalise_key(L, KEY, NODE);
    switch (latch_data_mark(L, DATA)) {
      case LATCH_R_LIST: check_list(L); break;
      case LATCH_R_MAP: check_map(L); break;
      case LATCH_R_EMPTY: check_empty(L); break;
      default: check_record(L);
    }
  }
  check_value(L, VALUE, NODE, KEY);
  if (latch_is_same(L, VALUE, OLD)) return;
  if (lua_istable(L, VALUE) || lua_istable(L, OLD)) {
    vm->structural = true;
    check_cycle(L, VALUE, NODE, KEY);
    detach(L, OLD, NODE, KEY);
    attach(L, VALUE, NODE, KEY);
  }
  latch_journal(L, NODE, KEY, OLD, LATCH_J_SET);
  lua_pushvalue(L, KEY);
  lua_pushvalue(L, VALUE);
  lua_rawset(L, DATA);
}

/// The `__newindex` of nodes, which Lua alone calls: (node, key, value).
int latch_node_write(lua_State *L) {
  latch_vm *vm = latch_of(L);
  if (vm->phase != LATCH_REDUCER) return refuse_write(L, vm);
  if (latch_write_field(L, vm)) return 0;
  write_value(L, vm);
  return 0;
}

void latch_move_machine(
  lua_State *L, latch_vm *vm, const latch_step *step, const uint8_t *changes) {
  if (step->new_length > 0 && latch_write_move(L, vm, changes + step->change, step)) return;
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
  lua_rawgeti(L, LUA_REGISTRYINDEX, step->function);
  lua_rawgeti(L, LUA_REGISTRYINDEX, step->moves_to);
  vm->host_writes = true;
  write_value(L, vm);
  vm->host_writes = false;
}

/// (name), from the prelude: from now on only a machine writes this field of the state.
int latch_mark_machine(lua_State *L) {
  lua_settop(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
  latch_push_node_data(L, 2);
  lua_getmetatable(L, 3);
  lua_rawgeti(L, 4, 1);
  lua_pushvalue(L, 1);
  lua_pushinteger(L, LATCH_FIELD_MACHINE);
  lua_rawset(L, 5);
  latch_vm *vm = latch_of(L);
  if (vm->machine_count < LATCH_KNOWN_MACHINES) {
    vm->machine_fields[vm->machine_count] = lua_tostring(L, 1);
  }
  vm->machine_count++;
  return 0;
}

// MARK: Splices, for the table library

/// Raises unless the node at `index` may be spliced now.
static void check_splice(lua_State *L, latch_vm *vm, int node, lua_Integer position) {
  int top = lua_gettop(L);
  lua_pushinteger(L, position);
  if (vm->phase != LATCH_REDUCER) {
    lua_pushvalue(L, node);
    lua_replace(L, 1);
    lua_pushinteger(L, position);
    lua_replace(L, 2);
    refuse_write(L, vm);
  }
  latch_push_node_data(L, node);
  int mark = latch_data_mark(L, -1);
  if (mark == LATCH_R_EMPTY) {
    lua_pushinteger(L, LATCH_R_EMPTY);
    latch_journal(L, node, top + 1, top + 3, LATCH_J_KIND);
    latch_set_mark(L, top + 2, LATCH_R_LIST);
  } else if (mark != LATCH_R_LIST) {
    latch_path_error(L, node, top + 1, "this is not a list");
  }
  vm->structural = true;
  lua_settop(L, top);
}

void latch_raw_insert(lua_State *L, int data, lua_Integer position) {
  data = lua_absindex(L, data);
  for (lua_Integer i = (lua_Integer)lua_rawlen(L, data); i >= position; i--) {
    lua_rawgeti(L, data, i);
    lua_rawseti(L, data, i + 1);
  }
  lua_rawseti(L, data, position);
}

void latch_raw_remove(lua_State *L, int data, lua_Integer position) {
  data = lua_absindex(L, data);
  lua_Integer length = (lua_Integer)lua_rawlen(L, data);
  lua_rawgeti(L, data, position);
  for (lua_Integer i = position; i < length; i++) {
    lua_rawgeti(L, data, i + 1);
    lua_rawseti(L, data, i);
  }
  lua_pushnil(L);
  lua_rawseti(L, data, length);
}

void latch_node_insert(lua_State *L, int index, lua_Integer position) {
  latch_vm *vm = latch_of(L);
  int node = lua_absindex(L, index), value = lua_gettop(L);
  latch_check_stack(L, 12, "too much at once");
  check_splice(L, vm, node, position);
  lua_pushinteger(L, position);
  int key = value + 1;
  if (lua_isnil(L, value) || is_none(L, value)) {
    latch_path_error(L, node, key, "a list has no holes: nil cannot be inserted");
  }
  check_value(L, value, node, key);
  check_cycle(L, value, node, key);
  attach(L, value, node, key);
  latch_push_node_data(L, node);
  latch_charge(L, (size_t)((lua_Integer)lua_rawlen(L, key + 1) - position + 1));
  vm->unlimited++;  // entry and insertion come together: neither may fail for the limit
  latch_journal(L, node, key, value, LATCH_J_INSERT);
  if (vm->doubled) latch_shift_elements(L, node, key + 1, position, 1);
  lua_pushvalue(L, value);
  latch_raw_insert(L, key + 1, position);
  vm->unlimited--;
  vm->spliced = true;
  lua_settop(L, value - 1);
}

void latch_node_remove(lua_State *L, int index, lua_Integer position) {
  latch_vm *vm = latch_of(L);
  int node = lua_absindex(L, index), top = lua_gettop(L);
  latch_check_stack(L, 12, "too much at once");
  check_splice(L, vm, node, position);
  lua_pushinteger(L, position);
  latch_push_node_data(L, node);
  lua_rawgeti(L, top + 2, position);
  latch_charge(L, (size_t)((lua_Integer)lua_rawlen(L, top + 2) - position + 1));
  detach(L, top + 3, node, top + 1);
  latch_journal(L, node, top + 1, top + 3, LATCH_J_REMOVE);
  vm->spliced = true;
  if (vm->doubled) latch_shift_elements(L, node, top + 2, position, -1);
  latch_raw_remove(L, top + 2, position);
  lua_settop(L, top + 3);
  lua_replace(L, top + 1);
  lua_settop(L, top + 1);
}

/// True when the raw list at `data` holds what the sequence of that length does.
static bool is_same_list(lua_State *L, int data, int sequence, lua_Integer length) {
  for (lua_Integer i = 1; i <= length; i++) {
    lua_rawgeti(L, data, i);
    lua_rawgeti(L, sequence, i);
    bool same = latch_is_same(L, -1, -2);
    lua_pop(L, 2);
    if (!same) return false;
  }
  return true;
}

/// True when the node on top of the stack is at home in the list `node`, at `key` if that is not 0.
static bool is_at_home(lua_State *L, int node, lua_Integer key) {
  lua_getmetatable(L, -1);
  lua_rawgeti(L, -1, 1);
  lua_rawgeti(L, -2, 2);
  bool home = lua_rawequal(L, -2, node) && (key == 0 || lua_tointeger(L, -1) == key);
  lua_pop(L, 3);
  return home;
}

void latch_place_elements(lua_State *L, int node, int data) {
  lua_Integer length = (lua_Integer)lua_rawlen(L, data);
  for (lua_Integer i = 1; i <= length; i++) {
    lua_rawgeti(L, data, i);
    if (latch_is_node(L, -1) && is_at_home(L, node, 0)) {
      lua_getmetatable(L, -1);
      lua_pushinteger(L, i);
      lua_rawseti(L, -2, 2);
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
  }
}

void latch_shift_elements(lua_State *L, int node, int data, lua_Integer position, int by) {
  latch_check_stack(L, 8, "too much at once");
  lua_Integer length = (lua_Integer)lua_rawlen(L, data);
  // Away from the gap, so that an element which stands twice is met once at home.
  lua_Integer first = by > 0 ? length : position + 1, last = by > 0 ? position : length;
  for (lua_Integer i = first; by > 0 ? i >= last : i <= last; i -= by) {
    lua_rawgeti(L, data, i);
    if (latch_is_node(L, -1) && is_at_home(L, node, i)) {
      lua_getmetatable(L, -1);
      lua_pushinteger(L, i + by);
      lua_rawseti(L, -2, 2);
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
  }
}

/// Remembers where the elements of a list are at home, for when a sort is undone.
static void journal_places(lua_State *L, int node, int data, lua_Integer length) {
  for (lua_Integer i = 1; i <= length; i++) {
    lua_rawgeti(L, data, i);
    int element = lua_gettop(L);
    if (latch_is_node(L, element) && is_at_home(L, node, i)) {
      lua_pushinteger(L, i);
      latch_journal(L, element, element + 1, node, LATCH_J_PLACE);
    }
    lua_settop(L, element - 1);
  }
}

void latch_node_replace(lua_State *L, int index) {
  latch_vm *vm = latch_of(L);
  int node = lua_absindex(L, index), sequence = lua_gettop(L);
  latch_check_stack(L, 12, "too much at once");
  check_splice(L, vm, node, 1);
  lua_pushinteger(L, 1);
  latch_push_node_data(L, node);
  int data = sequence + 2;
  lua_Integer length = (lua_Integer)lua_rawlen(L, data);
  latch_charge(L, (size_t)length);
  if (length != (lua_Integer)lua_rawlen(L, sequence)) {
    luaL_error(L, "the list was changed while it was sorted");
  }
  if (is_same_list(L, data, sequence, length)) {
    lua_settop(L, sequence - 1);
    return;
  }
  lua_createtable(L, (int)length, 0);
  for (lua_Integer i = 1; i <= length; i++) {
    lua_rawgeti(L, data, i);
    lua_rawseti(L, data + 1, i);
  }
  if (vm->doubled) journal_places(L, node, data, length);
  latch_journal(L, node, sequence + 1, data + 1, LATCH_J_REPLACE);
  vm->spliced = true;
  for (lua_Integer i = 1; i <= length; i++) {
    lua_rawgeti(L, sequence, i);
    lua_rawseti(L, data, i);
  }
  latch_place_elements(L, node, data);
  lua_settop(L, sequence - 1);
}
