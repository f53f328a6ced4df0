/// The path while something that a script has put into the state is copied.

#ifndef LATCH_PATH_STACK_H
#define LATCH_PATH_STACK_H

#include "state/types.h"

/// The path of the copy: the keys from the node down, as indices of the Lua stack.
typedef struct latch_path_stack {
  const struct latch_path_stack *up;
  const void *source;  ///< the table that is being copied
  int node, key;
  int depth;          ///< the depth from the root of the state, which is 1
  lua_Integer entry;  ///< the entry of the undo log that has put it there, or 0
} latch_path_stack;

/// Raises "PATH: what", with the line that has put the table there to which it belongs.
void latch_path_stack_error(lua_State *L, const latch_path_stack *path_stack, const char *what);
/// The same for a value that does not fit the type of its place.
void latch_path_stack_misfit(
  lua_State *L, const latch_path_stack *path_stack, uint32_t type, int value);
/// True if a machine owns the field of the record's data, and records of that shape do not have it:
/// the field stays with the collection that has the machine.
bool latch_stays_behind(lua_State *L, int data, int key, int shape);
/// Raises if the record may not have the field.
void latch_check_declared(lua_State *L, int shape, int key, const latch_path_stack *path_stack);
/// Raises if the type does not allow the key. Replaces the key if the type converts it.
void latch_check_map_key(
  lua_State *L, const latch_type *type, int key, const latch_path_stack *path_stack);
/// Raises for a table of another kind than that of the type: an empty table fits any kind.
void latch_check_kind(lua_State *L, const latch_type *type, int shape, int mark, int value,
  int source, const latch_path_stack *path_stack);
/// Raises if the table to copy is too long or too short.
void latch_check_copied_length(lua_State *L, const latch_type *type, int shape, int value,
  int source, const latch_path_stack *path_stack);

#endif
