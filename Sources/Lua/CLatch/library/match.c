/// The pattern matcher: a recursive backtracker over the text of the pattern.
///
/// Bytes are ASCII in every locale. Each item tried and each byte compared is a step. Steps are
/// charged in blocks, so an exponential pattern ends with the budget. The depth of recursion is
/// limited as in Lua; whatever does not branch is a loop.

#include <string.h>

#include "library/match.h"

enum { STEPS_PER_CHARGE = 256, DEEPEST = 200 };

void latch_matcher_open(latch_matcher *m, lua_State *L, const char *subject, size_t subject_length,
  const char *pattern_end) {
  m->L = L;
  m->subject = subject;
  m->subject_end = subject + subject_length;
  m->pattern_end = pattern_end;
  m->steps = 0;
  m->count = 0;
}

void latch_matcher_finish(latch_matcher *m) {
  unsigned steps = m->steps;
  m->steps = 0;
  if (steps > 0) latch_charge_instructions(m->L, steps);
}

static inline void spend(latch_matcher *m, size_t steps) {
  if (m->steps + steps < STEPS_PER_CHARGE) {
    m->steps += (unsigned)steps;
    return;
  }
  steps += m->steps;
  m->steps = 0;
  latch_charge_instructions(m->L, (int64_t)steps);
}

// MARK: One byte

static bool is_lower(int c) { return c >= 'a' && c <= 'z'; }
static bool is_upper(int c) { return c >= 'A' && c <= 'Z'; }
static bool is_digit(int c) { return c >= '0' && c <= '9'; }
static bool is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static bool is_control(int c) { return c < 32 || c == 127; }
static bool is_visible(int c) { return c > 32 && c < 127; }
static bool is_letter(int c) { return is_lower(c) || is_upper(c); }
static bool is_hex(int c) { return is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'f'); }

/// True if `c` is in the class that `%letter` names. An upper-case letter is the complement; a
/// letter that names no class matches itself.
static bool in_class(int c, int letter) {
  bool inside;
  switch (letter | 32) {
    case 'a': inside = is_letter(c); break;
    case 'c': inside = is_control(c); break;
    case 'd': inside = is_digit(c); break;
    case 'g': inside = is_visible(c); break;
    case 'l': inside = is_lower(c); break;
    case 'p': inside = is_visible(c) && !is_letter(c) && !is_digit(c); break;
    case 's': inside = is_space(c); break;
    case 'u': inside = is_upper(c); break;
    case 'w': inside = is_letter(c) || is_digit(c); break;
    case 'x': inside = is_hex(c); break;
    case 'z': inside = c == 0; break;  // no longer in the manual, but still in Lua
    default: return c == letter;
  }
  return is_upper(letter) ? !inside : inside;
}

/// True if `c` is in the set from the `[` at `set` to the `]` at `close`.
static bool in_set(int c, const char *set, const char *close) {
  const char *p = set + 1;
  bool found = true;
  if (*p == '^') {
    found = false;
    p++;
  }
  while (p < close) {
    int first = (unsigned char)*p;
    if (first == '%') {  // after a range such as `a-%` it may even skip the closing bracket
      if (in_class(c, (unsigned char)p[1])) return found;
      p += 2;
    } else if (p + 2 < close && p[1] == '-') {
      if (first <= c && c <= (unsigned char)p[2]) return found;
      p += 3;
    } else {
      if (first == c) return found;
      p++;
    }
  }
  return !found;
}

/// The end of the single-byte item at `p`: a byte, an escape or a set.
static const char *item_end(latch_matcher *m, const char *p) {
  const char *end = m->pattern_end;
  if (*p == '%') {
    if (p + 1 == end) luaL_error(m->L, "malformed pattern (ends with '%%')");
    return p + 2;
  }
  if (*p != '[') return p + 1;
  const char *q = p + 1;
  if (q < end && *q == '^') q++;
  // The first byte of a set belongs to it, even a ']'.
  for (bool first = true;; first = false) {
    if (q >= end) luaL_error(m->L, "malformed pattern (missing ']')");
    if (*q == ']' && !first) return q + 1;
    q += *q == '%' && q + 1 < end ? 2 : 1;
  }
}

/// True if the byte at `s` matches the item from `p` to `end`.
static inline bool item_takes(latch_matcher *m, const char *s, const char *p, const char *end) {
  spend(m, 1);
  if (s >= m->subject_end) return false;
  int c = (unsigned char)*s;
  switch (*p) {
    case '.': return true;
    case '%': return in_class(c, (unsigned char)p[1]);
    case '[': spend(m, (size_t)(end - p) / 8); return in_set(c, p, end - 1);
    default: return (unsigned char)*p == c;
  }
}

// MARK: What recurses

static const char *match_items(latch_matcher *m, const char *s, const char *p);

static const char *match_rest(latch_matcher *m, const char *s, const char *p) {
  if (m->depth == 0) luaL_error(m->L, "pattern too complex");
  m->depth--;
  const char *end = match_items(m, s, p);
  m->depth++;
  return end;
}

static const char *open_capture(latch_matcher *m, const char *s, const char *p, ptrdiff_t length) {
  if (m->count >= LATCH_MOST_CAPTURES) luaL_error(m->L, "too many captures");
  m->captures[m->count].start = s;
  m->captures[m->count].length = length;
  m->count++;
  const char *end = match_rest(m, s, p);
  if (end == NULL) m->count--;
  return end;
}

static const char *close_capture(latch_matcher *m, const char *s, const char *p) {
  int open = m->count - 1;
  while (open >= 0 && m->captures[open].length != LATCH_CAPTURE_OPEN) open--;
  if (open < 0) luaL_error(m->L, "invalid pattern capture");
  m->captures[open].length = s - m->captures[open].start;
  const char *end = match_rest(m, s, p);
  if (end == NULL) m->captures[open].length = LATCH_CAPTURE_OPEN;
  return end;
}

/// As many as possible, then fewer and fewer.
static const char *match_most(latch_matcher *m, const char *s, const char *p, const char *end) {
  const char *last = s;
  while (item_takes(m, last, p, end)) last++;
  for (;; last--) {
    const char *found = match_rest(m, last, end + 1);
    if (found != NULL || last == s) return found;
  }
}

/// None, then more and more.
static const char *match_fewest(latch_matcher *m, const char *s, const char *p, const char *end) {
  for (;; s++) {
    const char *found = match_rest(m, s, end + 1);
    if (found != NULL) return found;
    if (!item_takes(m, s, p, end)) return NULL;
  }
}

// MARK: What does not

/// `%bxy`: the end of the balanced part that starts at `s`, or NULL.
static const char *match_balance(latch_matcher *m, const char *s, const char *p) {
  if (p + 3 >= m->pattern_end) {
    luaL_error(m->L, "malformed pattern (missing arguments to '%%b')");
  }
  if (s >= m->subject_end || *s != p[2]) return NULL;
  size_t open = 1;
  const char *q = s + 1;
  for (; q < m->subject_end; q++) {
    if (*q == p[3]) {
      if (--open == 0) break;
    } else if (*q == p[2]) {
      open++;
    }
  }
  spend(m, (size_t)(q - s) / 8);
  return q < m->subject_end ? q + 1 : NULL;
}

/// `%f[set]`: true at a position where the set is entered. Sets `*end` to the end of the item.
static bool at_frontier(latch_matcher *m, const char *s, const char *p, const char **end) {
  const char *set = p + 2;
  if (set >= m->pattern_end || *set != '[') {
    luaL_error(m->L, "missing '[' after '%%f' in pattern");
  }
  *end = item_end(m, set);
  spend(m, (size_t)(*end - p) / 4);
  int before = s == m->subject ? 0 : (unsigned char)s[-1];
  int here = s == m->subject_end ? 0 : (unsigned char)*s;
  return !in_set(before, set, *end - 1) && in_set(here, set, *end - 1);
}

/// `%1`: the end of a repetition of that capture at `s`, or NULL.
static const char *match_again(latch_matcher *m, const char *s, int digit) {
  int index = digit - '1';
  if (index < 0 || index >= m->count || m->captures[index].length == LATCH_CAPTURE_OPEN) {
    luaL_error(m->L, "invalid capture index %%%d", index + 1);
  }
  ptrdiff_t length = m->captures[index].length;
  if (length < 0 || length > m->subject_end - s) return NULL;
  spend(m, (size_t)length / 16);
  return memcmp(m->captures[index].start, s, (size_t)length) == 0 ? s + length : NULL;
}

/// Matches the rest of the pattern, item by item. Only items that may have to be tried again
/// recurse.
static const char *match_items(latch_matcher *m, const char *s, const char *p) {
  const char *pattern_end = m->pattern_end;
  while (p != pattern_end) {
    spend(m, 1);
    if (*p == '(') {
      bool position = p + 1 < pattern_end && p[1] == ')';
      return position ? open_capture(m, s, p + 2, LATCH_CAPTURE_POSITION)
                      : open_capture(m, s, p + 1, LATCH_CAPTURE_OPEN);
    }
    if (*p == ')') return close_capture(m, s, p + 1);
    if (*p == '$' && p + 1 == pattern_end) return s == m->subject_end ? s : NULL;
    if (*p == '%' && p + 1 < pattern_end) {
      if (p[1] == 'b') {
        s = match_balance(m, s, p);
        if (s == NULL) return NULL;
        p += 4;
        continue;
      }
      if (p[1] == 'f') {
        const char *end;
        if (!at_frontier(m, s, p, &end)) return NULL;
        p = end;
        continue;
      }
      if (is_digit((unsigned char)p[1])) {
        s = match_again(m, s, (unsigned char)p[1]);
        if (s == NULL) return NULL;
        p += 2;
        continue;
      }
    }
    const char *end = item_end(m, p);
    if (*p == '[') spend(m, (size_t)(end - p) / 8);
    char suffix = end < pattern_end ? *end : 0;
    if (!item_takes(m, s, p, end)) {
      // If the item is absent here, there is only one way to continue, and it needs no recursion.
      if (suffix != '*' && suffix != '-' && suffix != '?') return NULL;
      p = end + 1;
      continue;
    }
    switch (suffix) {
      case '*': return match_most(m, s, p, end);
      case '+': return match_most(m, s + 1, p, end);
      case '-': return match_fewest(m, s, p, end);
      case '?': {
        const char *found = match_rest(m, s + 1, end + 1);
        if (found != NULL) return found;
        p = end + 1;
        break;
      }
      default: s++; p = end;
    }
  }
  return s;
}

const char *latch_match(latch_matcher *m, const char *subject, const char *pattern) {
  m->count = 0;
  m->depth = DEEPEST;
  return match_rest(m, subject, pattern);
}

// MARK: Captures

void latch_push_capture(latch_matcher *m, int index, const char *start, const char *end) {
  if (index >= m->count) {
    if (index != 0) luaL_error(m->L, "invalid capture index %%%d", index + 1);
    lua_pushlstring(m->L, start, (size_t)(end - start));
    return;
  }
  ptrdiff_t length = m->captures[index].length;
  if (length == LATCH_CAPTURE_OPEN) luaL_error(m->L, "unfinished capture");
  if (length == LATCH_CAPTURE_POSITION) {
    lua_pushinteger(m->L, m->captures[index].start - m->subject + 1);
  } else {
    latch_charge(m->L, (size_t)length);
    lua_pushlstring(m->L, m->captures[index].start, (size_t)length);
  }
}

int latch_push_captures(latch_matcher *m, const char *start, const char *end) {
  int count = m->count == 0 && start != NULL ? 1 : m->count;
  latch_check_stack(m->L, count, "too many captures");
  for (int i = 0; i < count; i++) latch_push_capture(m, i, start, end);
  return count;
}
