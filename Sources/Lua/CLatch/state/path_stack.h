/// The path of a copy that is being made of what a script has put into the state.

#ifndef LATCH_PATH_STACK_H
#define LATCH_PATH_STACK_H

#include "state/types.h"

/// The path of the copy: the keys from the node down, as indices of the Lua stack.
typedef struct latch_path_stack {
  const struct latch_path_stack *up;
  const void *source;  ///< the table that is being copied
  int node, key;
  int depth;          ///< from the root of the state, which is 1
  lua_Integer entry;  ///< of the undo log: that which has put it there, or 0
} latch_path_stack;

/// Raises "PATH: what", with where the table was put of which it is a part.
void latch_path_stack_error(lua_State *L, const latch_path_stack *path_stack, const char *what);
/// The same for a value that is none of the type of its place.
void latch_path_stack_misfit(
  lua_State *L, const latch_path_stack *path_stack, uint32_t type, int value);
/// True if a machine owns the field of the record's data, and records of that shape do not have it:
/// the field stays with the collection that has the machine.
bool latch_stays_behind(lua_State *L, int data, int key, int shape);
/// Raises for a field that the record does not have.
void latch_check_declared(lua_State *L, int shape, int key, const latch_path_stack *path_stack);
/// Raises for a key that the type does not have; what stands for it takes its place.
void latch_check_map_key(
  lua_State *L, const latch_type *type, int key, const latch_path_stack *path_stack);
/// Raises for a table of another kind than the type's: an empty one is of any.
void latch_check_kind(lua_State *L, const latch_type *type, int shape, int mark, int value,
  int source, const latch_path_stack *path_stack);
/// Raises where what is to be copied is too long or too short.
void latch_check_copied_length(lua_State *L, const latch_type *type, int shape, int value,
  int source, const latch_path_stack *path_stack);

#endif
