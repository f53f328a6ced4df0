/// Lua 5.4's patterns, with every step charged.

#ifndef LATCH_MATCH_H
#define LATCH_MATCH_H

#include "library/library.h"

enum { LATCH_MOST_CAPTURES = 32 };

/// Special lengths of a capture that has no end yet.
enum { LATCH_CAPTURE_OPEN = -1, LATCH_CAPTURE_POSITION = -2 };

typedef struct {
  lua_State *L;
  const char *subject, *subject_end, *pattern_end;
  unsigned steps;  ///< not charged yet
  int depth;       ///< recursion that is left
  int count;       ///< captures, open ones included
  struct {
    const char *start;
    ptrdiff_t length;
  } captures[LATCH_MOST_CAPTURES];
} latch_matcher;

/// Subject and pattern must stay on the stack of `L` as long as the matcher is used.
void latch_matcher_open(latch_matcher *matcher, lua_State *L, const char *subject,
  size_t subject_length, const char *pattern_end);

/// Matches the pattern at exactly this position. Returns the end of the match, or NULL. Raises on a
/// malformed pattern, but, as in Lua, only when it reaches the malformed part.
const char *latch_match(latch_matcher *matcher, const char *subject, const char *pattern);

/// Charges the steps that have not been charged yet. Must be called at the end, and before code of
/// a script runs.
void latch_matcher_finish(latch_matcher *matcher);

/// Pushes one capture: number `index` from 0; the whole match for 0 if there are no captures.
void latch_push_capture(latch_matcher *matcher, int index, const char *start, const char *end);

/// Pushes all captures; the whole match if there are none and `start` is not NULL. Returns their
/// number.
int latch_push_captures(latch_matcher *matcher, const char *start, const char *end);

#endif
