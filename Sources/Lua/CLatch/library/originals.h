/// Lua's own functions, which ours call once what they do is paid for (originals.c).

#ifndef LATCH_ORIGINALS_H
#define LATCH_ORIGINALS_H

#include "library/library.h"

/// Some functions of one of Lua's libraries, all NULL until they are found.
typedef struct {
  lua_CFunction open;
  const char *const *names;
  lua_CFunction *functions;
  int count;
} latch_originals;

/// Finds them, unless that has been done in this process. Raises when memory runs out.
void latch_find_originals(lua_State *L, const latch_originals *wanted);

#endif
