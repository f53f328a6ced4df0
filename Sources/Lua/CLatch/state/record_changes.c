/// The changes of records with machines during a transaction: the nodes that were put where such
/// records are, or were removed from there, and what a rollback has to undo besides writes.

#include "state/state.h"

/// The flags of a node, in LATCH_R_CANDIDATES under the node itself; the nodes themselves are there
/// under 1, 2 and so on.
enum {
  IS_LISTED = 1,
  IS_FRESH = 2,   ///< it was created in this transaction from a table of a script
  IS_COPIED = 4,  ///< it was copied from a node
  HAS_LEFT = 8,
  IS_GIVEN = 16,  ///< the host has written the states of its machines
};

// MARK: Noting

static void push_candidates(lua_State *L) {
  if (lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_CANDIDATES) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_CANDIDATES);
}

/// Adds flags to those of the node.
static void note(lua_State *L, int node, int what) {
  latch_vm *vm = latch_of(L);
  node = lua_absindex(L, node);
  int top = lua_gettop(L);
  latch_check_stack(L, 8, "too much at once");
  push_candidates(L);
  lua_pushvalue(L, node);
  lua_rawget(L, top + 1);
  int known = (int)lua_tointeger(L, top + 2);
  if ((what & IS_LISTED) && !(known & IS_LISTED)) {
    lua_pushvalue(L, node);
    lua_rawseti(L, top + 1, (lua_Integer)++vm->records.candidates);
  }
  vm->records.is_noted = true;
  lua_pushvalue(L, node);
  lua_pushinteger(L, known | what);
  lua_rawset(L, top + 1);
  lua_settop(L, top);
}

/// Returns the flags of the node.
static int known_of(lua_State *L, int node) {
  if (!latch_of(L)->records.is_noted) return 0;
  node = lua_absindex(L, node);
  push_candidates(L);
  lua_pushvalue(L, node);
  lua_rawget(L, -2);
  int known = (int)lua_tointeger(L, -1);
  lua_pop(L, 2);
  return known;
}

void latch_note_leaving(lua_State *L, int index, int node) {
  if (latch_is_marked(L, node)) note(L, index, IS_LISTED | HAS_LEFT);
}

void latch_note_coming(lua_State *L, int index, int node) {
  if (latch_is_marked(L, node)) note(L, index, IS_LISTED);
}

void latch_note_fresh(lua_State *L, int index, int node) {
  note(L, index, latch_is_marked(L, node) ? IS_LISTED | IS_FRESH : IS_FRESH);
}

void latch_note_copied(lua_State *L, int index) { note(L, index, IS_COPIED); }

bool latch_has_left(lua_State *L, int node) { return (known_of(L, node) & HAS_LEFT) != 0; }
bool latch_is_fresh(lua_State *L, int node) { return (known_of(L, node) & IS_FRESH) != 0; }
bool latch_is_copied(lua_State *L, int node) { return (known_of(L, node) & IS_COPIED) != 0; }
bool latch_is_given(lua_State *L, int node) { return (known_of(L, node) & IS_GIVEN) != 0; }

void latch_push_candidate(lua_State *L, uint32_t number) {
  push_candidates(L);
  lua_rawgeti(L, -1, number);
  lua_remove(L, -2);
}

void latch_forget_candidates(lua_State *L) {
  latch_vm *vm = latch_of(L);
  if (vm->records.is_noted) {
    lua_pushboolean(L, 0);
    lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_CANDIDATES);
  }
  vm->records.candidates = 0;
  vm->records.is_noted = false;
}

// MARK: What a rollback takes back

static void push_changes(lua_State *L) {
  if (lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_RECORD_CHANGES) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_RECORD_CHANGES);
}

enum { CHANGE_WIDTH = 3 };

/// Adds a change: the former mark of a node, or a leaf whose count has changed and by how much.
static void note_change(lua_State *L, int of, int first, int second) {
  latch_vm *vm = latch_of(L);
  if (!vm->in_transaction) return;
  latch_check_stack(L, 4, "too much at once");
  push_changes(L);
  lua_Integer slot = (lua_Integer)vm->records.changes++ * CHANGE_WIDTH;
  lua_pushvalue(L, of);
  lua_rawseti(L, -2, slot + 1);
  lua_pushvalue(L, first);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_pushboolean(L, 0);
  }
  lua_rawseti(L, -2, slot + 2);
  if (second == 0) lua_pushboolean(L, 0);
  else lua_pushvalue(L, second);
  lua_rawseti(L, -2, slot + 3);
  lua_pop(L, 1);
}

void latch_note_record_change(lua_State *L, int node, int mark) {
  note_change(L, lua_absindex(L, node), lua_absindex(L, mark), 0);
}

static void add_to_count(lua_State *L, int counts, lua_Integer stop, lua_Integer by) {
  lua_rawgeti(L, counts, stop + 1);
  lua_pushinteger(L, lua_tointeger(L, -1) + by);
  lua_rawseti(L, counts, stop + 1);
  lua_pop(L, 1);
}

void latch_count_stop(lua_State *L, int machine, lua_Integer stop, int by) {
  int top = lua_gettop(L);
  if (lua_rawgeti(L, machine, LATCH_MACHINE_COUNTS) == LUA_TTABLE) {
    add_to_count(L, top + 1, stop, by);
    lua_pushinteger(L, stop);
    lua_pushinteger(L, by);
    note_change(L, top + 1, top + 2, top + 3);
    lua_settop(L, top);
    lua_rawgeti(L, machine, LATCH_MACHINE_NUMBER);
    latch_touch_machine(L, lua_tointeger(L, -1));
  }
  lua_settop(L, top);
}

void latch_take_records_back(lua_State *L) {
  latch_vm *vm = latch_of(L);
  if (!vm->has_records) return;
  lua_settop(L, 0);
  push_changes(L);
  for (uint32_t i = vm->records.changes; i > 0; i--) {
    lua_Integer slot = (lua_Integer)(i - 1) * CHANGE_WIDTH;
    lua_rawgeti(L, 1, slot + 1);
    lua_rawgeti(L, 1, slot + 2);
    lua_rawgeti(L, 1, slot + 3);
    if (lua_isinteger(L, 4)) {
      add_to_count(L, 2, lua_tointeger(L, 3), -lua_tointeger(L, 4));
    } else if (lua_istable(L, 3)) {
      latch_put_mark_back(L, 2, 3);
    } else {
      latch_put_mark_back(L, 2, 0);
    }
    lua_settop(L, 1);
  }
  lua_settop(L, 0);
}

void latch_forget_record_changes(lua_State *L) {
  latch_vm *vm = latch_of(L);
  if (vm->records.changes > 0) {
    lua_pushboolean(L, 0);
    lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_RECORD_CHANGES);
  }
  latch_forget_candidates(L);
  vm->records.changes = 0;
}

// MARK: Marks

void latch_mark_node(lua_State *L, int node, int position) {
  node = lua_absindex(L, node);
  int top = lua_gettop(L);
  if (position != 0 && latch_has_positions_below(L, position)) lua_pushvalue(L, position);
  else lua_pushnil(L);
  lua_getmetatable(L, node);
  lua_rawgeti(L, top + 2, LATCH_NODE_POSITION);
  if (!lua_rawequal(L, top + 1, top + 3)) {
    latch_note_record_change(L, node, top + 3);
    lua_pushvalue(L, top + 1);
    lua_rawseti(L, top + 2, LATCH_NODE_POSITION);
  }
  lua_settop(L, top);
}

// MARK: Who may write

/// True if a machine of the record at `node` owns the field of the name at `key`.
static bool is_field_of_machine(lua_State *L, int node, int key) {
  int top = lua_gettop(L);
  lua_getmetatable(L, node);
  bool stands = lua_rawgeti(L, top + 1, 1) == LUA_TTABLE;
  lua_rawgeti(L, top + 1, 2);
  bool is_field = false;
  if (!stands) {
    // It has left its place in this transaction, and may return.
    is_field = latch_has_left(L, node);
  } else if (latch_push_mark(L, top + 2) && latch_push_position_below(L, top + 4, top + 3) &&
             lua_rawgeti(L, top + 5, LATCH_POSITION_FIELDS) == LUA_TTABLE) {
    lua_pushvalue(L, key);
    is_field = lua_rawget(L, top + 6) == LUA_TBOOLEAN;
  }
  lua_settop(L, top);
  return is_field;
}

void latch_check_record_field(lua_State *L, int node, int key) {
  latch_check_stack(L, 12, "too much at once");
  if (is_field_of_machine(L, node, key)) {
    latch_path_error(L, node, key, "only its machine can change this field");
  }
}

void latch_note_given(lua_State *L, int node, int key) {
  latch_check_stack(L, 12, "too much at once");
  if (is_field_of_machine(L, node, key)) note(L, node, IS_LISTED | IS_GIVEN);
}

void latch_drop_counts(lua_State *L) {
  int top = lua_gettop(L);
  if (lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_RECORD_MACHINES) == LUA_TTABLE) {
    lua_Integer last = (lua_Integer)lua_rawlen(L, top + 1);
    for (lua_Integer i = LATCH_ROOT_POSITION + 1; i <= last; i++) {
      lua_rawgeti(L, top + 1, i);
      if (lua_rawgeti(L, top + 2, LATCH_MACHINE_COUNTS) == LUA_TTABLE) {
        lua_pushboolean(L, 0);
        lua_rawseti(L, top + 2, LATCH_MACHINE_COUNTS);
        latch_touch_machine(L, i);
      }
      lua_settop(L, top + 1);
    }
  }
  lua_settop(L, top);
}
