/// Traced runs: the data of a trace (trace.c), and the nodes that report (traced_nodes.c).

#ifndef LATCH_TRACE_H
#define LATCH_TRACE_H

#include <string.h>

#include "layout/layout.h"
#include "run/run.h"

/// A number of 128 bits that identifies values which would take long to compare.
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
  bool fails;           ///< memory ran out
  const void **tables;  ///< nodes by their address, and the number of each
  uint32_t *numbers;
  uint32_t capacity, count;
  latch_digest *places;  ///< of tables, by their numbers
  uint32_t place_capacity;
  latch_buffer events, state;
  // continuation.c
  void (*before_event)(latch_vm *vm);  ///< reports the continuation; NULL: none is reported
  bool is_hidden;    ///< the run has used a value that was kept: the reads for it are not seen
  bool has_numbers;  ///< tables and functions that existed before any run have numbers
  bool knows_all;
  latch_live live[LATCH_MOST_LIVE];
  int64_t reported_at;  ///< the rest of the budget at the last reported event
};

// MARK: What is noted (trace.c)

/// Gives a node at a place the next number; 0 if memory runs out.
uint32_t latch_trace_number(latch_trace *trace, const void *node, latch_digest place);
/// The place of a node; NULL if it did not exist when the run began.
const latch_digest *latch_trace_place(const latch_trace *trace, const void *node);
void latch_trace_add_number(latch_buffer *out, uint32_t number);
void latch_trace_forget_live(latch_trace *trace);
/// True if reads and writes of the state are reported now.
bool latch_is_traced(const latch_vm *vm);
/// Reports a read or write of a node, or of its value under the key at `key`.
void latch_trace_event_of(latch_vm *vm, const void *node, latch_trace_event event);
void latch_trace_event_at(lua_State *L, const void *node, int key, latch_trace_event event);
/// Reports that the node at that index is read under a key.
void latch_trace_read(lua_State *L, int node, int key);
/// Reports that the whole node is read, its keys and its values; of tables in it only that they
/// exist.
void latch_trace_whole(latch_vm *vm, const void *node);
/// Reports that the length of the node, or its keys, are read.
void latch_trace_length(latch_vm *vm, const void *node);
/// Reports a read of the states of machines of records.
void latch_trace_records(latch_vm *vm);
/// Reports that the value at that index, with the nodes in it, is put into the state.
void latch_trace_value(lua_State *L, int index);
/// Reports that an element of the list at that index is inserted or removed at the position.
void latch_trace_splice(lua_State *L, int index, lua_Integer position, latch_trace_event event);
/// Reports that the elements of the list at that index are put in another order.
void latch_trace_sort(lua_State *L, int index);

// MARK: What continuations consist of (written_digest.c)

/// Mixes in a value that is not a table. False: its contents cannot be seen.
bool latch_mix_scalar(const latch_cell *cell, latch_digest *hash);
/// Mixes in the writes of the current transaction so far, by content. False: they cannot be seen,
/// or there are too many.
bool latch_mix_written(lua_State *L, latch_digest *hash);

// MARK: Walks (recorder.c, traced_walks.c)

/// Pushes the data of the table at index 1 to index 2, for a walk. In traced runs, a walk through a
/// node reports each element that is read.
latch_table_kind latch_push_walked(lua_State *L);
/// True for an iterator of `pairs` or `ipairs` that reads one element of a node each time.
bool latch_is_traced_step(lua_CFunction function);
/// Pushes the results of `pairs` or `ipairs` for the node at index 1, whose
/// data is at index 2; each element is reported when it is read.
int latch_traced_pairs(lua_State *L);
int latch_traced_ipairs(lua_State *L);

void latch_trace_free(latch_vm *vm);

#endif
