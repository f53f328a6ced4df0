/// The flow's random numbers: random(), table.shuffle and table.choice.
///
/// Each draw may make an effect wait, so shuffle and choice continue after it.

#include "language/language.h"

int latch_draw(lua_State *L) {
  latch_phase phase = latch_of(L)->phase;
  if (phase != LATCH_REDUCER && phase != LATCH_EFFECT) {
    return latch_raise(L, "%s%s has no random(); only reducers and effects have it",
      latch_push_script_place(L, ""), latch_who_runs(latch_of(L)));
  }
  lua_settop(L, 2);
  if (lua_isnil(L, 1)) {
    lua_settop(L, 0);
    return latch_ask_host(L, LATCH_HOST_RANDOM);
  }
  if (lua_isnil(L, 2)) {
    lua_pushinteger(L, 1);
    lua_insert(L, 1);
    lua_settop(L, 2);
  }
  latch_charge_numerals(L);
  int is_low, is_high;
  lua_Integer low = lua_tointegerx(L, 1, &is_low), high = lua_tointegerx(L, 2, &is_high);
  if (!is_low || !is_high) return luaL_error(L, "random takes integers");
  if (low > high) return luaL_error(L, "random: the interval is empty");
  lua_settop(L, 0);
  lua_pushinteger(L, low);
  lua_pushinteger(L, high);
  return latch_ask_host(L, LATCH_HOST_RANDOM);
}

// MARK: Lists

/// The stack slots of a shuffle: its table, and a plain list of the elements.
enum { SHUFFLED = 1, ELEMENTS };

static void push_draw(lua_State *L, lua_Integer most) {
  lua_pushcfunction(L, latch_draw);
  lua_pushinteger(L, 1);
  lua_pushinteger(L, most);
}

static int finish_shuffle(lua_State *L) {
  if (latch_kind(L, SHUFFLED) == LATCH_NODE) {
    lua_settop(L, ELEMENTS);
    latch_node_replace(L, SHUFFLED);
    lua_settop(L, SHUFFLED);
    return 1;
  }
  lua_Integer count = (lua_Integer)lua_rawlen(L, ELEMENTS);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, ELEMENTS, i);
    latch_set_element(L, SHUFFLED, i);
  }
  lua_settop(L, SHUFFLED);
  return 1;
}

/// Swaps the element `last` with the drawn one, whose number is on top.
static void swap(lua_State *L, lua_Integer last) {
  lua_Integer drawn = lua_tointeger(L, -1);
  lua_pop(L, 1);
  lua_rawgeti(L, ELEMENTS, drawn);
  lua_rawgeti(L, ELEMENTS, last);
  lua_rawseti(L, ELEMENTS, drawn);
  lua_rawseti(L, ELEMENTS, last);
}

/// Shuffles the first elements up to `last`, from the end: the method of Fisher and Yates.
static int continue_shuffle(lua_State *L, int status, lua_KContext last) {
  (void)status;
  swap(L, (lua_Integer)last);
  for (lua_Integer i = (lua_Integer)last - 1; i > 1; i--) {
    push_draw(L, i);
    lua_callk(L, 2, 1, (lua_KContext)i, continue_shuffle);
    swap(L, i);
  }
  return finish_shuffle(L);
}

static int shuffle(lua_State *L) {
  latch_check_writable(L, SHUFFLED);
  lua_settop(L, SHUFFLED);
  latch_check_stack(L, 16, NULL);
  lua_Integer count = latch_length(L, SHUFFLED);
  luaL_argcheck(L, count < LATCH_MOST_VALUES, SHUFFLED, "too many elements to shuffle");
  latch_charge_elements(L, 4 * (uint64_t)count);
  lua_createtable(L, (int)count, 0);
  for (lua_Integer i = 1; i <= count; i++) {
    latch_get_element(L, SHUFFLED, i);
    lua_rawseti(L, ELEMENTS, i);
  }
  if (count < 2) {
    lua_settop(L, SHUFFLED);
    return 1;
  }
  push_draw(L, count);
  lua_callk(L, 2, 1, (lua_KContext)count, continue_shuffle);
  return continue_shuffle(L, LUA_OK, (lua_KContext)count);
}

static int continue_choice(lua_State *L, int status, lua_KContext context) {
  (void)status, (void)context;
  latch_get_element(L, 1, lua_tointeger(L, -1));
  return 1;
}

static int choice(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  lua_Integer count = latch_length(L, 1);
  if (count == 0) {
    lua_pushnil(L);
    return 1;
  }
  push_draw(L, count);
  lua_callk(L, 2, 1, 0, continue_choice);
  return continue_choice(L, LUA_OK, 0);
}

void latch_add_shuffling(lua_State *L) {
  static const luaL_Reg functions[] = {{"choice", choice}, {"shuffle", shuffle}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
