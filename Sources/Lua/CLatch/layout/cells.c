/// Checks that values are at the offsets that cells.h assumes, on a table with every kind of cell.

#include <string.h>

#include "layout/layout.h"

bool latch_slide_elements(const void *table, lua_Integer first, lua_Integer last, int by) {
  if (first > last) return true;
  latch_cell *from = latch_element_cell(table, first), *to = latch_element_cell(table, first + by);
  if (from == NULL || to == NULL || latch_element_cell(table, last) == NULL ||
      latch_element_cell(table, last + by) == NULL) {
    return false;
  }
  memmove(to, from, (size_t)(last - first + 1) * sizeof *from);
  return true;
}

enum { NAMES = 200, ELEMENTS = 6 };

static const char LONG_TEXT[] = "a text that is longer than any that Lua keeps as a short one";

static bool is_integer(const latch_cell *cell, lua_Integer integer) {
  return cell != NULL && cell->type == LATCH_CELL_INTEGER && cell->integer == integer;
}

/// The arguments: a table, its metatable, an integer, a number, false, true, nil, two strings, this
/// function, and an address. The second upvalue is examined.
static int look(lua_State *L) {
  const latch_cell *cells = latch_argument_cells(L);
  size_t length[2];
  const char *texts[] = {
    latch_text_of(&cells[7], &length[0]), latch_text_of(&cells[8], &length[1])};
  bool fine = cells[0].type == LATCH_CELL_TABLE && cells[0].object == lua_topointer(L, 1) &&
              latch_metatable_of(lua_topointer(L, 1)) == lua_topointer(L, 2) &&
              latch_metatable_of(lua_topointer(L, 2)) == NULL && is_integer(&cells[2], 7) &&
              cells[3].type == LATCH_CELL_FLOAT && cells[3].number == 0.5 &&
              cells[4].type == LATCH_CELL_FALSE && cells[5].type == LATCH_CELL_TRUE &&
              cells[6].type == LATCH_CELL_NIL && cells[7].type == LATCH_CELL_SHORT_TEXT &&
              cells[8].type == LATCH_CELL_LONG_TEXT && cells[9].type == LATCH_CELL_FUNCTION &&
              cells[9].function == look && cells[10].type == LATCH_CELL_POINTER &&
              cells[10].object == LONG_TEXT && is_integer(&latch_upvalue_cells(L)[1], 9);
  for (int i = 0; i < 2; i++) {
    fine = fine && texts[i] == lua_tostring(L, 8 + i) && length[i] == lua_rawlen(L, 8 + i) &&
           latch_string_of(texts[i]) == cells[7 + i].object;
  }
  lua_pushboolean(L, fine);
  return 1;
}

/// Examines each cell of the table at 1, and writes to some of them.
static bool finds_cells(lua_State *L) {
  const void *table = lua_topointer(L, 1);
  bool fine = true;
  for (int i = 1; i <= ELEMENTS; i++) fine = fine && is_integer(latch_element_cell(table, i), i);
  const latch_cell *behind = latch_element_cell(table, ELEMENTS + 1);
  fine = fine && latch_element_cell(table, 0) == NULL && latch_element_cell(table, -1) == NULL &&
         (behind == NULL || (behind->type & 15) == LUA_TNIL);
  for (int i = 0; i < NAMES; i++) {
    lua_pushfstring(L, "name %d", i);
    const void *name = latch_string_of(lua_tostring(L, -1));
    fine = fine && (i % 2 == 0 ? is_integer(latch_field_cell(table, name), i)
                               : latch_field_cell(table, name) == NULL);
    lua_pop(L, 1);
  }
  uint32_t named_slots = 0;
  for (uint32_t i = 0; i < latch_hash_slots(table); i++) {
    const lua_slot_part *slot = latch_hash_slot(table, i);
    named_slots += !latch_is_nil(&slot->cell) && slot->part.key_type == LATCH_CELL_SHORT_TEXT;
  }
  fine = fine && named_slots == NAMES / 2;
  const latch_cell value = {{.number = 2.5}, LATCH_CELL_FLOAT};
  latch_put_in_cell(latch_element_cell(table, 2), &value);
  lua_pushliteral(L, "name 4");
  latch_cell *named = latch_field_cell(table, latch_string_of(lua_tostring(L, -1)));
  if (named != NULL) latch_put_in_cell(named, &value);
  lua_rawget(L, 1);
  fine = fine && lua_tonumber(L, -1) == 2.5 && lua_rawgeti(L, 1, 2) == LUA_TNUMBER &&
         lua_tonumber(L, -1) == 2.5;
  fine = fine && latch_slide_elements(table, 4, ELEMENTS, -1) &&
         is_integer(latch_element_cell(table, 3), 4) && is_integer(latch_element_cell(table, 5), 6);
  latch_push_table(L, table);
  return fine && lua_rawequal(L, -1, 1);
}

static int compare(lua_State *L) {
  lua_settop(L, 0);
  lua_createtable(L, ELEMENTS, 0);
  for (int i = 1; i <= ELEMENTS; i++) {
    lua_pushinteger(L, i);
    lua_rawseti(L, 1, i);
  }
  for (int i = 0; i < NAMES; i += 2) {
    lua_pushfstring(L, "name %d", i);
    lua_pushinteger(L, i);
    lua_rawset(L, 1);
  }
  lua_newtable(L);
  const void *empty = lua_topointer(L, 2);
  bool fine = latch_element_cell(empty, 1) == NULL &&
              latch_field_cell(empty, latch_string_of(lua_pushliteral(L, "name"))) == NULL;
  lua_settop(L, 2);
  lua_setmetatable(L, 1);
  fine = fine && finds_cells(L);
  lua_settop(L, 1);
  lua_pushboolean(L, 1);
  lua_pushinteger(L, 9);
  lua_pushcclosure(L, look, 2);
  lua_insert(L, 1);
  lua_getmetatable(L, 2);
  lua_pushinteger(L, 7);
  lua_pushnumber(L, 0.5);
  lua_pushboolean(L, 0);
  lua_pushboolean(L, 1);
  lua_pushnil(L);
  lua_pushliteral(L, "short");
  lua_pushlstring(L, LONG_TEXT, sizeof LONG_TEXT - 1);
  lua_pushcfunction(L, look);
  lua_pushlightuserdata(L, (void *)(uintptr_t)LONG_TEXT);
  lua_call(L, 11, 1);
  lua_pushboolean(L, fine && lua_toboolean(L, -1));
  return 1;
}

int latch_check_cells(void) { return latch_try_out(compare); }
