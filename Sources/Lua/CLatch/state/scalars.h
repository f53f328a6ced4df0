/// Values that are not tables, in the form of the log of a transaction: a few packed words each.

#ifndef LATCH_SCALARS_H
#define LATCH_SCALARS_H

#include <string.h>

#include "run/run.h"

/// Lua has each string up to this length once: its address identifies it.
enum { LATCH_LONGEST_KNOWN = 40 };

/// The value in a cell in the form of the log. If it has no such form, or if the state stores
/// another value for it, it has the tag of a list.
static inline latch_scalar latch_scalar_of(const latch_cell *cell) {
  latch_scalar scalar = {{0}, 0, LATCH_TAG_LIST};
  size_t length;
  switch (cell->type) {
    case LATCH_CELL_FALSE: scalar.tag = LATCH_TAG_FALSE; break;
    case LATCH_CELL_TRUE: scalar.tag = LATCH_TAG_TRUE; break;
    case LATCH_CELL_INTEGER:
      scalar.tag = LATCH_TAG_INTEGER;
      scalar.word = (uint64_t)cell->integer;
      break;
    case LATCH_CELL_FLOAT:  // neither NaN nor -0.0
      if (cell->number != cell->number || (cell->number == 0 && cell->integer != 0)) break;
      scalar.tag = LATCH_TAG_NUMBER;
      scalar.word = (uint64_t)cell->integer;
      break;
    case LATCH_CELL_SHORT_TEXT:
    case LATCH_CELL_LONG_TEXT:
      scalar.text = latch_text_of(cell, &length);
      if (length > UINT32_MAX) break;
      scalar.length = (uint32_t)length;
      scalar.tag = LATCH_TAG_STRING;
      break;
    default:
      if ((cell->type & 15) == LUA_TNIL) scalar.tag = LATCH_TAG_NIL;
  }
  return scalar;
}

/// A number in the form of the log: neither NaN nor -0.0, which the state does not store as they
/// are.
static inline bool latch_is_number(const latch_cell *cell) {
  if (cell->type == LATCH_CELL_INTEGER) return true;
  return cell->type == LATCH_CELL_FLOAT && cell->number == cell->number &&
         (cell->number != 0 || cell->integer == 0);
}
static inline latch_scalar latch_number_of(const latch_cell *cell) {
  bool is_integer = cell->type == LATCH_CELL_INTEGER;
  return (latch_scalar){
    {(uint64_t)cell->integer}, 0, is_integer ? LATCH_TAG_INTEGER : LATCH_TAG_NUMBER};
}

/// False for a table, and for a value that the state does not store as it is.
static inline bool latch_is_scalar(latch_scalar scalar) { return scalar.tag <= LATCH_TAG_STRING; }
static inline bool latch_scalar_equals(latch_scalar a, latch_scalar b) {
  if (a.tag != b.tag) return false;
  if (a.tag != LATCH_TAG_STRING || a.text == b.text) return a.word == b.word;
  return a.length > LATCH_LONGEST_KNOWN && a.length == b.length &&
         memcmp(a.text, b.text, a.length) == 0;
}

/// The most bytes of its encoding.
static inline size_t latch_most_scalar_bytes(latch_scalar scalar) {
  return 11 + (size_t)scalar.length;
}

/// Copies what is usually a few bytes, without a call.
static inline void latch_copy_few(uint8_t *to, const void *from, size_t count) {
  const uint8_t *source = from;
  if (count > 16 || count < 4) {
    if (count > 16) memcpy(to, source, count);
    else
      for (size_t i = 0; i < count; i++) to[i] = source[i];
  } else if (count >= 8) {  // the two may overlap
    uint64_t first, last;
    memcpy(&first, source, 8);
    memcpy(&last, source + count - 8, 8);
    memcpy(to, &first, 8);
    memcpy(to + count - 8, &last, 8);
  } else {
    uint32_t first, last;
    memcpy(&first, source, 4);
    memcpy(&last, source + count - 4, 4);
    memcpy(to, &first, 4);
    memcpy(to + count - 4, &last, 4);
  }
}

/// Writes its bytes at `out`, which has space for them, and returns the end.
static inline uint8_t *latch_write_scalar(uint8_t *out, latch_scalar scalar) {
  *out++ = scalar.tag;
  if (scalar.tag == LATCH_TAG_INTEGER || scalar.tag == LATCH_TAG_NUMBER) {
    for (int i = 0; i < 8; i++) out[i] = (uint8_t)(scalar.word >> (8 * i));
    return out + 8;
  }
  if (scalar.tag != LATCH_TAG_STRING) return out;
  out = latch_write_count(out, scalar.length);
  latch_copy_few(out, scalar.text, scalar.length);
  return out + scalar.length;
}

#endif
