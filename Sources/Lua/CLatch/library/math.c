/// The `math` library: Lua's own functions, since they only take numbers and end at once; texts
/// among the arguments are charged for. The random functions are left out: a flow has its own,
/// which can be replayed. Functions that only some builds of Lua have, for compatibility, are left
/// out too: a flow runs the same everywhere.

#include <math.h>

#include "library/originals.h"

#define FUNCTIONS(each)                                                                            \
  each(abs) each(acos) each(asin) each(atan) each(ceil) each(cos) each(deg) each(exp) each(floor)  \
    each(fmod) each(log) each(max) each(min) each(modf) each(rad) each(sin) each(sqrt) each(tan)   \
      each(tointeger) each(type) each(ult)

#define AS_NUMBER(name) NUMBER_##name,
enum { FUNCTIONS(AS_NUMBER) COUNT, OTHERS = 5 };  // four numbers, and `random`

#define AS_TEXT(name) #name,
static const char *const NAMES[] = {FUNCTIONS(AS_TEXT)};

/// The functions of Lua.
static lua_CFunction originals[COUNT];

#define AS_FUNCTION(name)                                                                          \
  static int call_##name(lua_State *L) {                                                           \
    latch_charge_numerals(L);                                                                      \
    return originals[NUMBER_##name](L);                                                            \
  }
FUNCTIONS(AS_FUNCTION)

#define AS_REFERENCE(name) call_##name,
static const lua_CFunction OURS[] = {FUNCTIONS(AS_REFERENCE)};

int latch_open_math(lua_State *L) {
  static const latch_originals WANTED = {luaopen_math, NAMES, originals, COUNT};
  latch_find_originals(L, &WANTED);
  lua_createtable(L, 0, COUNT + OTHERS);
  for (int i = 0; i < COUNT; i++) {
    lua_pushcfunction(L, OURS[i]);
    lua_setfield(L, -2, NAMES[i]);
  }
  lua_pushnumber(L, 3.141592653589793238462643383279502884);
  lua_setfield(L, -2, "pi");
  lua_pushnumber(L, HUGE_VAL);
  lua_setfield(L, -2, "huge");
  lua_pushinteger(L, LUA_MAXINTEGER);
  lua_setfield(L, -2, "maxinteger");
  lua_pushinteger(L, LUA_MININTEGER);
  lua_setfield(L, -2, "mininteger");
  return 1;
}
