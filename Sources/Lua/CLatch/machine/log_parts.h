/// The parts of the log of a transaction (state/log.c): plain data. This layer knows only its
/// layout.

#ifndef LATCH_LOG_PARTS_H
#define LATCH_LOG_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A growing byte buffer in C memory: it survives whatever happens to Lua (buffer.c).
typedef struct {
  uint8_t *bytes;
  size_t length, capacity;
  size_t most;  ///< bytes that it may hold, 0 for no limit
  bool failed;  ///< memory ran out; later writes are missing
} latch_buffer;

/// A value other than a table, or no value (LATCH_TAG_NIL), in the log.
typedef struct {
  union {
    uint64_t word;     ///< of a number
    const char *text;  ///< of a string, which something else keeps alive
  };
  uint32_t length;  ///< of a string
  uint8_t tag;
} latch_scalar;

/// A node that the current transaction has written to, or an ancestor of one, with its path at that
/// time.
typedef struct {
  const void *node;
  uint32_t anchor;  ///< its index in LATCH_R_ANCHORS, once it was written to
  uint32_t above;   ///< the number of its parent; its own for the root
  size_t path;      ///< the start of the encoded keys that lead to it, in the log's `paths`
  uint32_t length;
  uint32_t depth;    ///< the number of those keys
  bool is_in_state;  ///< otherwise it has no path
  latch_scalar key;  ///< its key in its parent
} latch_written_node;

#define LATCH_PLACE_ENTRY UINT32_MAX

/// One write, in the order in which they happened (log.c).
typedef struct {
  uint32_t node;   ///< the number of the written node
  uint32_t entry;  ///< the undo log's entry for it; 0: no table was added or removed, and nothing
                   ///< else is stored;
                   ///< LATCH_PLACE_ENTRY: a node left its place, and nothing else is stored
  uint32_t anchor : 31;  ///< the index in LATCH_R_ANCHORS of the old value, if it is a string
  uint32_t is_told : 1;  ///< readers have been told, if no table was added or removed (reads.c)
  uint32_t key_anchor;   ///< the same for the key, if nothing else keeps it alive; 0: something
                         ///< does
  union {
    struct {
      latch_scalar key, old, new;
    };
    struct {
      size_t start, end;  ///< the change in the log's `pieces`, without its holes
    };
    struct {
      const void *moved, *parent;  ///< the node, and its parent: NULL for none
      latch_scalar place;          ///< its key there
    };
  };
} latch_written;

/// A table whose contents in the patch are known only when the transaction ends.
typedef struct {
  size_t at;  ///< its place in the log's `pieces`
  union {
    struct {
      const void *table;  ///< its address
      uint32_t anchor;    ///< its index in LATCH_R_ANCHORS, and later that of the node that it has
                          ///< become
      uint32_t depth;     ///< its depth in the state
    };
    struct {
      size_t start, length;  ///< its contents in the log's `fillings`
    };
  };
  uint32_t entry;  ///< the undo log's entry that has put it there
  bool is_known;   ///< the node that it has become is known
  bool is_filled;  ///< its contents were stored before something was written to that node
} latch_hole;

/// A growing array in C memory, which counts as memory of the VM.
typedef struct {
  void *items;
  uint32_t count, capacity;
} latch_array;

/// An index of an array's items; none for a few.
typedef struct {
  uint32_t *slots;  ///< numbers of items + 1
  uint32_t mask, capacity;
} latch_index;

/// The writes of the current transaction.
typedef struct {
  latch_array writes, nodes, holes;
  latch_index writes_by_place, nodes_by_address, holes_by_address;
  uint32_t first_write;  ///< writes before it are no longer amended
  uint32_t first_node;   ///< nodes before it had other paths
  uint32_t last_node;    ///< the node that was looked up last
  uint32_t anchors;
  const void *last_parent;  ///< the node that was anchored last
  uint32_t holes_end;       ///< bytes after it belong to a change that was never made
  size_t pieces_end;
  bool has_long_texts;  ///< among the anchored values
  uint32_t idle;        ///< the number of consecutive transactions that have used little of large
                        ///< arrays
  latch_buffer paths, pieces, fillings;
} latch_log;

#endif
