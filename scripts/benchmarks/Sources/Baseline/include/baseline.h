/// The counter in the smallest possible host: Lua as `luaL_newstate` opens it, the state a raw
/// table, no hook, no limit, no patch, and no check but that of the gate's answer.

#ifndef BASELINE_H
#define BASELINE_H

#include <stdbool.h>

typedef struct baseline baseline;

/// Runs `text`, which returns the state, the payload, the gate rule and the reducer, and an invariant
/// or nothing.
/// NULL when it does not.
baseline *baseline_open(const char *text);

/// Calls the gate rule, the reducer and the invariant, each through `lua_pcall`, `count` times.
/// False as soon as a call raises or one of the rules refuses.
bool baseline_dispatch(baseline *baseline, int count);

/// The integer in the state's field.
long long baseline_field(baseline *baseline, const char *name);

/// `luaL_newstate`, `luaL_openlibs` and `lua_close`, `count` times.
bool baseline_open_and_close(int count);

/// The bytes that Lua holds once its garbage is collected.
long long baseline_memory(baseline *baseline);

/// The bytes that malloc has given out in this process; 0 where the C library does not say.
long long baseline_allocated(void);

void baseline_close(baseline *baseline);

#endif
