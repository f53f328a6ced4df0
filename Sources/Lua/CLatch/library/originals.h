/// Lua's own functions, which the functions of this library call after charging for their work
/// (originals.c).

#ifndef LATCH_ORIGINALS_H
#define LATCH_ORIGINALS_H

#include "library/library.h"

/// Some functions of one of Lua's libraries, all NULL until latch_find_originals has found them.
typedef struct {
  lua_CFunction open;
  const char *const *names;
  lua_CFunction *functions;
  int count;
} latch_originals;

/// Finds them, unless this process has done so before. Raises when memory runs out.
void latch_find_originals(lua_State *L, const latch_originals *wanted);

#endif
