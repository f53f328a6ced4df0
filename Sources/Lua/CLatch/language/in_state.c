/// in_state: true if a named state of a machine is active; count_in, all_in: in how many records.
///
/// The field with the state, and the beginning of its value, follow from the machines alone: the
/// host is asked once for each spelling of a state, and its answer is stored. Only that field of
/// the state is read, so a view that calls this depends on nothing else.

#include <string.h>

#include "language/language.h"

enum { STATE = 1, NAME, KNOWN, FIELD, PATH };

/// The stored answer: the field, or false for a state that is always active, and the path in it, or
/// nil if every value will do; the number of the machine, if each record has one.
enum { KNOWN_FIELD = 1, KNOWN_PATH, KNOWN_RECORDS };

static int complain(lua_State *L) {
  return latch_raise(L,
    "%sin_state takes the state and the name of a state: in_state(s, \"door.open\")",
    latch_push_script_place(L, ""));
}

/// True if the value is the state.
static bool is_state(lua_State *L, int index) {
  if (!lua_istable(L, index)) return false;
  const void *root = latch_of(L)->root;
  return root != NULL && lua_topointer(L, index) == root;
}

/// True if the value is a copy of another state that can be queried the same way.
static bool is_other_state(lua_State *L, int index) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_OTHER_STATE);
  bool is_other = lua_rawequal(L, -1, index);
  lua_pop(L, 1);
  return is_other;
}

static int ask(lua_State *L) { return latch_ask_host(L, LATCH_HOST_NAMED_STATE); }

/// Asks the host for the field of the state whose name is at NAME, and stores the answer at KNOWN.
static void learn(lua_State *L) {
  lua_pushcfunction(L, ask);
  lua_pushvalue(L, NAME);
  lua_call(L, 1, 3);
  lua_createtable(L, 3, 0);
  lua_replace(L, KNOWN);
  lua_rawseti(L, KNOWN, KNOWN_RECORDS);
  lua_rawseti(L, KNOWN, KNOWN_PATH);
  if (lua_isnil(L, -1)) lua_pushboolean(L, 0);
  lua_rawseti(L, KNOWN, KNOWN_FIELD);
  lua_pushvalue(L, KNOWN);
  latch_set_declared(L, LATCH_R_NAMED_STATES, NAME);
}

/// True if a region's field names the state at `path`, or one inside it.
static bool is_inside(lua_State *L, int value, int path) {
  size_t length, there;
  const char *wanted = lua_tolstring(L, path, &length), *found = lua_tolstring(L, value, &there);
  return there >= length && memcmp(found, wanted, length) == 0 &&
         (there == length || found[length] == '.');
}

/// Puts the answer for the state whose name is at NAME at KNOWN.
static void know(lua_State *L) {
  if (latch_get_declared(L, LATCH_R_NAMED_STATES, NAME) == LUA_TTABLE) {
    latch_charge_question(L, NAME);
  } else {
    learn(L);
  }
  lua_settop(L, KNOWN);
}

/// A machine of records needs a record; any other needs the state.
static void check_asked(lua_State *L) {
  bool of_records = lua_rawgeti(L, KNOWN, KNOWN_RECORDS) == LUA_TNUMBER;
  bool root = is_state(L, STATE) || is_other_state(L, STATE);
  lua_settop(L, KNOWN);
  if (of_records && root) {
    const char *place = latch_push_script_place(L, "");
    latch_raise(L,
      "%seach record has its own machine: test one, in_state(it, \"%s\"), or count them, "
      "count_in(s, \"%s\")",
      place, lua_tostring(L, NAME), lua_tostring(L, NAME));
  }
  if (!of_records && !root) complain(L);
}

int latch_in_state(lua_State *L) {
  lua_settop(L, 2);
  if (!lua_istable(L, STATE) || lua_type(L, NAME) != LUA_TSTRING) return complain(L);
  know(L);
  check_asked(L);
  if (lua_rawgeti(L, KNOWN, KNOWN_FIELD) != LUA_TSTRING) {
    lua_pushboolean(L, 1);
    return 1;
  }
  lua_gettable(L, STATE);
  lua_rawgeti(L, KNOWN, KNOWN_PATH);
  bool is_active =
    lua_type(L, FIELD) == LUA_TSTRING && (lua_isnil(L, PATH) || is_inside(L, FIELD, PATH));
  lua_pushboolean(L, is_active);
  return 1;
}

// MARK: Counting

/// Counts the records in the named state, and all records.
static lua_Integer count(lua_State *L, const char *word, lua_Integer *all) {
  lua_settop(L, 2);
  if (!is_state(L, STATE) || lua_type(L, NAME) != LUA_TSTRING) {
    latch_raise(L, "%s%s takes the state and a state of records: %s(s, \"stage.ready\")",
      latch_push_script_place(L, ""), word, word);
  }
  know(L);
  if (lua_rawgeti(L, KNOWN, KNOWN_RECORDS) != LUA_TNUMBER) {
    latch_raise(L,
      "%s%s counts records, but %s is a state of a single machine: in_state(s, \"%s\")",
      latch_push_script_place(L, ""), word, lua_tostring(L, NAME), lua_tostring(L, NAME));
  }
  lua_Integer machine = lua_tointeger(L, -1);
  lua_settop(L, KNOWN);
  lua_rawgeti(L, KNOWN, KNOWN_FIELD);
  lua_rawgeti(L, KNOWN, KNOWN_PATH);
  return latch_count_records(L, machine, FIELD, PATH, all);
}

int latch_count_in(lua_State *L) {
  lua_Integer all;
  lua_pushinteger(L, count(L, "count_in", &all));
  return 1;
}

int latch_all_in(lua_State *L) {
  lua_Integer all;
  lua_Integer found = count(L, "all_in", &all);
  lua_pushboolean(L, found == all);
  return 1;
}
