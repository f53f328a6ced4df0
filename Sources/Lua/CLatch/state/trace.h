/// Traced runs: what is noted of them (trace.c), and the nodes that tell it (traced_nodes.c).

#ifndef LATCH_TRACE_H
#define LATCH_TRACE_H

#include <string.h>

#include "layout/layout.h"
#include "run/run.h"

/// A number of 128 bits by which values are known that would be long to compare.
typedef struct {
  uint64_t first, second;
} latch_digest;

static inline void latch_mix(latch_digest *hash, uint64_t word) {
  uint64_t first = (hash->first ^ word) * 0x9e3779b97f4a7c15u;
  first = (first ^ first >> 32) * 0xd6e8feb86659fd93u;
  uint64_t second = hash->second + (word ^ 0xa0761d6478bd642fu);
  second = (second << 23 | second >> 41) * 0xff51afd7ed558ccdu;
  hash->first = first ^ first >> 29;
  hash->second = second ^ second >> 31 ^ hash->first << 1;
}

static inline void latch_mix_text(latch_digest *hash, const char *text, size_t length) {
  latch_mix(hash, length);
  for (size_t at = 0; at < length; at += 8) {
    uint64_t word = 0;
    memcpy(&word, text + at, length - at < 8 ? length - at : 8);
    latch_mix(hash, word);
  }
}

enum { LATCH_MOST_LIVE = 64 };

/// The live registers of a function, if they are known.
typedef struct {
  const lua_code_part *code;
  latch_registers *before;
  bool is_known;
} latch_live;

struct latch_trace {
  bool is_on;
  bool is_full;
  bool fails;           ///< there was no memory
  const void **tables;  ///< nodes by their address, and what number each has
  uint32_t *numbers;
  uint32_t capacity, count;
  latch_digest *places;  ///< of tables, by their numbers
  uint32_t place_capacity;
  latch_buffer events, state;
  // continuation.c
  void (*before_event)(latch_vm *vm);  ///< reports the continuation; NULL: none is reported
  bool is_hidden;    ///< the run has used a value that was kept: its reads are not seen
  bool has_numbers;  ///< what was there before any run is known by numbers
  bool knows_all;
  latch_live live[LATCH_MOST_LIVE];
  int64_t reported_at;  ///< what was left of the budget when an event was reported last
};

// MARK: What is noted (trace.c)

/// Gives a node at a place the next number; 0: there is no memory.
uint32_t latch_trace_number(latch_trace *trace, const void *node, latch_digest place);
/// The place of a node; NULL if it was not there when the run began.
const latch_digest *latch_trace_place(const latch_trace *trace, const void *node);
void latch_trace_add_number(latch_buffer *out, uint32_t number);
void latch_trace_forget_live(latch_trace *trace);
/// True if accesses to the state are reported now.
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
/// Reports a look at the states of machines of records.
void latch_trace_records(latch_vm *vm);
/// The value at that index is put into the state, with the nodes in it.
void latch_trace_value(lua_State *L, int index);
/// An element of the list at that index comes or goes at the position.
void latch_trace_splice(lua_State *L, int index, lua_Integer position, latch_trace_event event);
/// The elements of the list at that index get another order.
void latch_trace_sort(lua_State *L, int index);

// MARK: What continuations consist of (written_digest.c)

/// Mixes in a value that is no table of Lua's. False: what it is cannot be seen.
bool latch_mix_scalar(const latch_cell *cell, latch_digest *hash);
/// Mixes in what the transition under way has written so far, by content. False: it cannot be seen,
/// or there is too much of it.
bool latch_mix_written(lua_State *L, latch_digest *hash);

// MARK: Walks (recorder.c, traced_walks.c)

/// The node at that index, or that behind the recording node there.
const void *latch_node_behind(lua_State *L, int index);
/// Pushes the data of the table at index 1, at index 2, to walk through it. Where runs are traced,
/// who walks through a node tells each element that is read.
latch_table_kind latch_push_walked(lua_State *L);
/// True for a step of `pairs` or `ipairs` that reads one element of a node each time.
bool latch_is_traced_step(lua_CFunction function);
/// Pushes what `pairs` or `ipairs` returns for the node, or recording node, at index 1, whose data
/// is at index 2, so that each element is told as it is read.
int latch_traced_pairs(lua_State *L);
int latch_traced_ipairs(lua_State *L);

void latch_trace_free(latch_vm *vm);

#endif
