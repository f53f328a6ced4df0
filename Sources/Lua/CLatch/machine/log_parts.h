/// The parts of the log of a transition (state/log.c): plain data. This layer knows only its
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
  bool failed;  ///< memory ran out; what was written since is missing
} latch_buffer;

/// A value that is no table, or that there is none (LATCH_TAG_NIL), as the log has it.
typedef struct {
  union {
    uint64_t word;     ///< of a number
    const char *text;  ///< of a string, which something else keeps alive
  };
  uint32_t length;  ///< of a string
  uint8_t tag;
} latch_scalar;

/// A node that the transition under way has written to, or that stands above one, and the path that
/// it had then.
typedef struct {
  const void *node;
  uint32_t anchor;  ///< where LATCH_R_ANCHORS has it, once it was written to
  uint32_t above;   ///< the number of its parent's; its own for the root
  size_t path;      ///< where the keys that lead to it begin, encoded, in the log's `paths`
  uint32_t length;
  uint32_t depth;    ///< how many those are
  bool is_in_state;  ///< else it has no path
  latch_scalar key;  ///< under which it stands in its parent
} latch_written_node;

#define LATCH_PLACE_ENTRY UINT32_MAX

/// One write, in the order in which they happened (log.c).
typedef struct {
  uint32_t node;   ///< the number of the node that was written to
  uint32_t entry;  ///< the undo log's entry that has it; 0: no table came or went, and this is all;
                   ///< LATCH_PLACE_ENTRY: a node left its place, and this is all
  uint32_t anchor : 31;  ///< where LATCH_R_ANCHORS has the old value, if it is a text
  uint32_t is_told : 1;  ///< readers know of it, where no table came or went (reads.c)
  uint32_t key_anchor;   ///< the same of the key, where nothing else keeps it; 0: something does
  union {
    struct {
      latch_scalar key, old, new;
    };
    struct {
      size_t start, end;  ///< the change in the log's `pieces`, but for its holes
    };
    struct {
      const void *moved, *parent;  ///< the node, and where it stood: NULL for nowhere
      latch_scalar place;          ///< the key there
    };
  };
} latch_written;

/// A table that becomes what the patch says of it only when the transition ends.
typedef struct {
  size_t at;  ///< where in the log's `pieces` it belongs
  union {
    struct {
      const void *table;  ///< its address
      uint32_t anchor;    ///< where LATCH_R_ANCHORS has it, and later what has become of it
      uint32_t depth;     ///< how deep in the state it stands
    };
    struct {
      size_t start, length;  ///< what fills it in the log's `fillings`
    };
  };
  uint32_t entry;  ///< the undo log's entry that has put it there
  bool is_known;   ///< what that entry's table has become
  bool is_filled;  ///< it was, before something was written to what it had become
} latch_hole;

/// A growing array in C memory, which counts as memory of the VM's.
typedef struct {
  void *items;
  uint32_t count, capacity;
} latch_array;

/// Which of an array's items is where: none for a few.
typedef struct {
  uint32_t *slots;  ///< numbers of items + 1
  uint32_t mask, capacity;
} latch_index;

/// The writes of the transition under way.
typedef struct {
  latch_array writes, nodes, holes;
  latch_index writes_by_place, nodes_by_address, holes_by_address;
  uint32_t first_write;  ///< those before it are not amended any more
  uint32_t first_node;   ///< those before it had other paths
  uint32_t last_node;    ///< the one that was asked for last
  uint32_t anchors;
  const void *last_parent;  ///< the one that was anchored last
  uint32_t holes_end;       ///< what comes behind belongs to a change that was never made
  size_t pieces_end;
  bool has_long_texts;  ///< among the anchored values
  uint32_t idle;        ///< how many transitions in a row have used little of large arrays
  latch_buffer paths, pieces, fillings;
} latch_log;

#endif
