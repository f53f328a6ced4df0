/// The records of views, invariants and conditions: plain data. This layer knows only its layout.

#ifndef LATCH_READER_PARTS_H
#define LATCH_READER_PARTS_H

#include "clatch.h"
#include "layout/layout.h"

/// The record of a reader (readers.c).
typedef struct {
  int64_t runs;
  int64_t reads;                         ///< the length of its list (reads.c)
  int64_t cost;                          ///< the instructions that its last run used
  uint32_t paid;                         ///< the grant that has paid for them (vm->budget.grant)
  int32_t next_touched, next_undecided;  ///< the next in the list that it is in
  uint8_t known;                         ///< what is known of it (readers.c)
  int8_t field_count;                    ///< -1: it may read anything (conditions.c)
  uint32_t fields[LATCH_MOST_FIELDS];    ///< otherwise it reads these fields of the state, and no
                                         ///< others
  latch_ref function;
  bool keeps;  ///< it may keep tables of the state from run to run, whose reads would be missed
} latch_reader;

#endif
