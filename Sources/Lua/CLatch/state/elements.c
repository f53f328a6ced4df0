/// The elements of lists: moving them up and down, and updating the index that each has as its
/// place.

#include "state/state.h"

void latch_raw_insert(lua_State *L, int data, lua_Integer position) {
  data = lua_absindex(L, data);
  lua_Integer length = (lua_Integer)lua_rawlen(L, data);
  if (position <= length) {
    lua_rawgeti(L, data, length);  // adds a slot at the end
    lua_rawseti(L, data, length + 1);
    if (!latch_slide_elements(lua_topointer(L, data), position, length - 1, 1)) {
      for (lua_Integer i = length - 1; i >= position; i--) {
        lua_rawgeti(L, data, i);
        lua_rawseti(L, data, i + 1);
      }
    }
  }
  lua_rawseti(L, data, position);
}

void latch_raw_remove(lua_State *L, int data, lua_Integer position) {
  data = lua_absindex(L, data);
  lua_Integer length = (lua_Integer)lua_rawlen(L, data);
  lua_rawgeti(L, data, position);
  if (!latch_slide_elements(lua_topointer(L, data), position + 1, length, -1)) {
    for (lua_Integer i = position; i < length; i++) {
      lua_rawgeti(L, data, i + 1);
      lua_rawseti(L, data, i);
    }
  }
  lua_pushnil(L);
  lua_rawseti(L, data, length);
}

bool latch_is_at_home(lua_State *L, int node, lua_Integer key) {
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
    if (latch_is_node(L, -1) && latch_is_at_home(L, node, 0)) {
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
  // Moves away from the gap, so that an element that is in the list twice is moved once.
  lua_Integer first = by > 0 ? length : position + 1, last = by > 0 ? position : length;
  for (lua_Integer i = first; by > 0 ? i >= last : i <= last; i -= by) {
    lua_rawgeti(L, data, i);
    if (latch_is_node(L, -1) && latch_is_at_home(L, node, i)) {
      lua_getmetatable(L, -1);
      lua_pushinteger(L, i + by);
      lua_rawseti(L, -2, 2);
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
  }
}
