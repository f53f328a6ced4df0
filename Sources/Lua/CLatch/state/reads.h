/// The form in which the reads of readers are stored (reads.c, stale_reads.c).

#ifndef LATCH_READS_H
#define LATCH_READS_H

#include "state/state.h"

/// The index of that read in the list of the reader at (node, key), in one number with the reader.
/// If there are several readers, there is a table reader -> index instead.
enum { LATCH_READER_BITS = 32 };

static inline lua_Integer latch_packed(int32_t reader, lua_Integer place) {
  return place << LATCH_READER_BITS | reader;
}
static inline int32_t latch_packed_reader(lua_Integer packed) {
  return (int32_t)(packed & 0x7fffffff);
}

/// Sets the bit of a read of the place. A read of the whole table has the bit of key 0, which a few
/// other keys share.
void latch_note_place(latch_vm *vm, lua_State *L, int node, int key);

#endif
