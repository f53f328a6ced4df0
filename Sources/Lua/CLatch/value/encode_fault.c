/// Errors of values that cannot be encoded. Their paths are built when the error is returned:
/// keeping a path ready all the time would cost too much.

#include <stdio.h>
#include <string.h>

#include "value/value.h"

const char *latch_list_with_holes(void) {
  return "a list has keys 1 to n without holes (map { } takes any integer)";
}

bool latch_encode_fault(latch_encoder *encoder, const char *what) {
  snprintf(encoder->fault, sizeof encoder->fault, "%s", what);
  encoder->has_place = true;
  return false;
}

bool latch_encode_too_deep(latch_encoder *encoder, int depth) {
  for (int inner = encoder->depth + 1; inner < depth; inner++) {
    for (int outer = encoder->depth; outer < inner; outer++) {
      if (encoder->around[outer] != encoder->around[inner]) continue;
      encoder->most_told = inner;
      return latch_encode_fault(encoder, "a table cannot contain itself (a cycle)");
    }
  }
  char what[80];
  snprintf(
    what, sizeof what, "values are nested more than %d deep", (int)encoder->vm->limits.nesting);
  return latch_encode_fault(encoder, what);
}

bool latch_encode_fault_below(
  latch_encoder *encoder, const char *name, lua_Integer index, int depth) {
  if (encoder->most_told > 0 && depth > encoder->most_told) return false;
  char path[sizeof encoder->path];
  int step = name != NULL ? snprintf(path, sizeof path, ".%s", name)
                          : snprintf(path, sizeof path, "[%lld]", (long long)index);
  if (step > 0 && (size_t)step < sizeof path)
    snprintf(path + step, sizeof path - (size_t)step, "%s", encoder->path);
  memcpy(encoder->path, path, sizeof path);
  return false;
}

void latch_encode_fault_at(latch_encoder *encoder) {
  char text[sizeof encoder->fault], where[sizeof encoder->path];
  const char *path = encoder->path, *start = encoder->start;
  if (start == NULL && path[0] == '.') path++;
  if (start == NULL && path[0] == 0) path = "the value";
  snprintf(where, sizeof where, "%s%s", start == NULL ? "" : start, path);
  snprintf(text, sizeof text, "%.180s: %.70s", where, encoder->fault);
  memcpy(encoder->fault, text, sizeof text);
}
