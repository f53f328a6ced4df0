/// Traced runs: what is noted of them (trace.c), and the nodes that tell it (traced_nodes.c).

#ifndef LATCH_TRACE_H
#define LATCH_TRACE_H

#include "run/run.h"

struct latch_trace {
  bool is_on;
  bool is_full;
  bool fails;           ///< there was no memory
  const void **tables;  ///< nodes by their address, and what number each has
  uint32_t *numbers;
  uint32_t capacity, count;
  latch_buffer events, state;
};

// MARK: What is noted (trace.c)

/// Gives a node the next number; 0: there is no memory.
uint32_t latch_trace_number(latch_trace *trace, const void *node);
void latch_trace_add_number(latch_buffer *out, uint32_t number);
/// Whether what is done now is to be told.
bool latch_is_traced(const latch_vm *vm);
/// Tells what was done with a node, or with what it has under the key at `key`.
void latch_trace_event_of(latch_vm *vm, const void *node, latch_trace_event event);
void latch_trace_event_at(lua_State *L, const void *node, int key, latch_trace_event event);
/// The node at that index is read under a key.
void latch_trace_read(lua_State *L, int node, int key);
/// All that the node holds is read, and what keys it has; of tables in it no more than that they
/// are there.
void latch_trace_whole(latch_vm *vm, const void *node);
/// How long the node is, or what keys it has, is read.
void latch_trace_length(latch_vm *vm, const void *node);
/// Where machines of records stand is looked at.
void latch_trace_records(latch_vm *vm);
/// The value at that index is put into the state, with the nodes in it.
void latch_trace_value(lua_State *L, int index);
/// An element of the list at that index comes or goes at the position.
void latch_trace_splice(lua_State *L, int index, lua_Integer position, latch_trace_event event);
/// The elements of the list at that index get another order.
void latch_trace_sort(lua_State *L, int index);

void latch_trace_free(latch_vm *vm);

#endif
