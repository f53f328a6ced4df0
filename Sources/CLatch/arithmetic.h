/// Arithmetic on strings that read as numbers.

#ifndef LATCH_ARITHMETIC_H
#define LATCH_ARITHMETIC_H

#include "latch.h"

/// Adds to the table on top of the stack, the metatable of strings, what makes `"10" + 1` work: in
/// Lua 5.4 that is no part of the language but these metamethods.
void latch_add_string_arithmetic(lua_State *L);

#endif
