/// Coroutines of scripts, told from those that the host drives.

#ifndef LATCH_COROUTINES_H
#define LATCH_COROUTINES_H

#include "latch.h"

/// True when `L` is a coroutine that a script made. A host function that waits must refuse there:
/// its yield would arrive at the script's own resume.
bool latch_in_script_coroutine(lua_State *L);

#endif
