/// Charges for work done in C, which no hook counts.

#include "machine/machine.h"

void latch_charge(lua_State *L, size_t units) {
  if (units >= LATCH_UNITS_PER_INSTRUCTION) {
    latch_charge_instructions(L, (int64_t)(units / LATCH_UNITS_PER_INSTRUCTION));
  }
}

void latch_charge_elements(lua_State *L, uint64_t count) {
  uint64_t most = SIZE_MAX / 64;
  latch_charge(L, (size_t)((count < most ? count : most) * LATCH_ELEMENT_UNITS));
}

void latch_charge_comparison(lua_State *L, int a, int b) {
  if (lua_type(L, a) != LUA_TSTRING || lua_type(L, b) != LUA_TSTRING) return;
  latch_text_operand first, second;
  first.bytes = lua_tolstring(L, a, &first.length);
  second.bytes = lua_tolstring(L, b, &second.length);
  latch_charge(L, (size_t)latch_comparison_units(first, second, true));
}

// MARK: Numbers that are texts

static void charge_numeral(lua_State *L, int argument) {
  if (lua_type(L, argument) == LUA_TSTRING) latch_charge(L, lua_rawlen(L, argument));
}

void latch_charge_numerals(lua_State *L) {
  for (int i = lua_gettop(L); i > 0; i--) charge_numeral(L, i);
}

lua_Integer latch_check_integer(lua_State *L, int argument) {
  charge_numeral(L, argument);
  return luaL_checkinteger(L, argument);
}

lua_Integer latch_opt_integer(lua_State *L, int argument, lua_Integer otherwise) {
  return lua_isnoneornil(L, argument) ? otherwise : latch_check_integer(L, argument);
}

lua_Number latch_check_number(lua_State *L, int argument) {
  charge_numeral(L, argument);
  return luaL_checknumber(L, argument);
}
