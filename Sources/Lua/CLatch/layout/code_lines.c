/// Finds the lines of a compiled chunk that have instructions, in Lua 5.4's binary format: the
/// functions of a chunk can be inspected only after they have been called.
///
/// The bytes come from the linked library; if they are not as expected, there are no lines.

#include <stdlib.h>

#include "clatch.h"
#include "layout/layout.h"

enum {
  MOST_FUNCTIONS_DEEP = 250,
  SIZE_OF_INSTRUCTION = 4,
  SIZE_OF_UPVALUE = 3,
  SIZE_OF_NUMBER = 8
};

/// The first byte of a constant, as in `lobject.h`: the type, and a variant.
enum { NIL, FALSE, NUMBER = 3, TEXT = 4, TRUE = 0x11, INTEGER = 0x13, LONG_TEXT = 0x14 };

typedef struct {
  const uint8_t *bytes;
  size_t length, position;
  bool failed;  ///< it is not as expected, or there is no memory: nothing more is read
  int32_t *lines;
  size_t count, capacity;
} latch_reading;

static void skip(latch_reading *reading, size_t count) {
  if (count > reading->length - reading->position) reading->failed = true;
  if (!reading->failed) reading->position += count;
}

static void skip_each(latch_reading *reading, size_t count, size_t size) {
  if (count > reading->length / size) reading->failed = true;
  else skip(reading, count * size);
}

static uint8_t read_byte(latch_reading *reading) {
  size_t position = reading->position;
  skip(reading, 1);
  return reading->failed ? 0 : reading->bytes[position];
}

/// Reads seven bits per byte, the most significant first; the last byte has its highest bit set.
static size_t read_number(latch_reading *reading) {
  size_t value = 0;
  while (!reading->failed && value < (size_t)1 << 50) {
    uint8_t byte = read_byte(reading);
    value = value << 7 | (byte & 0x7f);
    if (byte & 0x80) return value;
  }
  reading->failed = true;
  return 0;
}

static void skip_text(latch_reading *reading) {
  size_t size = read_number(reading);
  if (size > 0) skip(reading, size - 1);
}

static void skip_constants(latch_reading *reading) {
  for (size_t left = read_number(reading); left > 0 && !reading->failed; left--) {
    switch (read_byte(reading)) {
      case NUMBER:
      case INTEGER: skip(reading, SIZE_OF_NUMBER); break;
      case TEXT:
      case LONG_TEXT: skip_text(reading); break;
      case NIL:
      case FALSE:
      case TRUE: break;
      default: reading->failed = true;
    }
  }
}

static void note(latch_reading *reading, int32_t line) {
  if (reading->count > 0 && reading->lines[reading->count - 1] == line) return;
  if (reading->count == reading->capacity) {
    size_t capacity = reading->capacity < 64 ? 64 : 2 * reading->capacity;
    int32_t *moved = realloc(reading->lines, capacity * sizeof *moved);
    reading->failed = reading->failed || moved == NULL;
    if (moved == NULL) return;
    reading->lines = moved;
    reading->capacity = capacity;
  }
  reading->lines[reading->count++] = line;
}

/// The line of an instruction is stored as the difference to the one before, and now and then,
/// marked by -128, as it is. The first `set_up` instructions and the last one are left out.
static void read_lines(latch_reading *reading, size_t first, size_t instructions, size_t set_up) {
  enum { TOLD_AS_ITSELF = -128 };
  size_t count = read_number(reading), start = reading->position;
  if (count != 0 && count != instructions) reading->failed = true;
  skip(reading, count);
  size_t left = read_number(reading);
  int64_t line = (int64_t)first;
  for (size_t at = 0; at < count && !reading->failed; at++) {
    int8_t difference = (int8_t)reading->bytes[start + at];
    if (difference != TOLD_AS_ITSELF) {
      line += difference;
    } else if (left > 0) {
      left--;
      if (read_number(reading) != at) reading->failed = true;
      line = (int64_t)read_number(reading);
    }
    bool is_line = line > 0 && line <= INT32_MAX;
    if (at >= set_up && at + 1 < count && is_line) note(reading, (int32_t)line);
  }
  for (; left > 0 && !reading->failed; left--) {
    read_number(reading);
    read_number(reading);
  }
}

static void read_function(latch_reading *reading, int depth) {
  if (depth == MOST_FUNCTIONS_DEEP) reading->failed = true;
  if (reading->failed) return;
  skip_text(reading);
  size_t first = read_number(reading);
  if (first > 0 && first <= INT32_MAX) note(reading, -(int32_t)first);
  read_number(reading);
  skip(reading, 1);
  // A variadic function begins by setting up `...`, which has no line of its own.
  size_t set_up = read_byte(reading) != 0 ? 1 : 0;
  skip(reading, 1);
  size_t instructions = read_number(reading);
  skip_each(reading, instructions, SIZE_OF_INSTRUCTION);
  skip_constants(reading);
  skip_each(reading, read_number(reading), SIZE_OF_UPVALUE);
  size_t functions = read_number(reading);
  for (; functions > 0 && !reading->failed; functions--) read_function(reading, depth + 1);
  read_lines(reading, first, instructions, set_up);
  for (size_t locals = read_number(reading); locals > 0 && !reading->failed; locals--) {
    skip_text(reading);
    read_number(reading);
    read_number(reading);
  }
  for (size_t upvalues = read_number(reading); upvalues > 0 && !reading->failed; upvalues--) {
    skip_text(reading);
  }
}

int32_t *latch_code_lines(const uint8_t *code, size_t length, size_t *count) {
  // Signature, version, format, six bytes of data, three sizes, an integer and a number to check,
  // and the number of upvalues of the main function.
  enum { VERSION = 4, SIZES = 12, HEADER = 4 + 1 + 1 + 6 + 3 + 8 + 8 + 1 };
  *count = 0;
  if (length <= HEADER || code[VERSION] != 0x54) return NULL;
  bool is_usual = code[SIZES] == SIZE_OF_INSTRUCTION && code[SIZES + 1] == SIZE_OF_NUMBER &&
                  code[SIZES + 2] == SIZE_OF_NUMBER;
  if (!is_usual) return NULL;
  latch_reading reading = {.bytes = code, .length = length, .position = HEADER};
  read_function(&reading, 0);
  if (!reading.failed) {
    *count = reading.count;
    return reading.lines;
  }
  free(reading.lines);
  return NULL;
}
