/// Visiting a table in one fixed order: integers ascending, floats ascending, strings byte by byte,
/// false and true.

#ifndef LATCH_ITERATION_H
#define LATCH_ITERATION_H

#include "latch.h"

/// Pushes a sequence of the keys of the raw table at `index`, in order. Raises on a key that has
/// no place in that order.
void latch_sorted_keys(lua_State *L, int index);

/// Charges for the empty slots that a traversal with lua_next walks over in a table that was once
/// much larger: `live` is how many keys it found. Call it after each traversal of a table that a
/// script may have emptied.
void latch_charge_empty_slots(lua_State *L, int index, size_t live);

#endif
