/// Rejects source text that Lua would take too long to compile.
///
/// Lua's compiler keeps some things in lists that it walks to the end for each addition: the jumps
/// of an expression joined by `and` and `or`, those at the end of each branch of an `if`, the
/// `goto`s, `break`s and labels of a function. Thousands of them take a moment, a hundred thousand
/// half a minute, and no limit ends that. So the words of a text are scanned first, and the steps
/// of Lua's compiler are added up.

#include <stdio.h>
#include <string.h>

#include "language/language.h"

/// The limits of steps along such lists, of terms and of jumps: together a fifth of a second.
enum { LATCH_MOST_STEPS = 80 * 1000 * 1000, TERM = 4, JUMP = 1 };

/// Lua itself rejects more nested levels.
enum { LATCH_MOST_LEVELS = 512 };

/// Shorter texts cannot contain so many.
enum { LATCH_SHORT_TEXT = 16 << 10 };

typedef enum { OTHER_LEVEL, LOOP, FUNCTION } latch_level_kind;

typedef struct {
  latch_level_kind kind;
  int terms;     ///< `and` and `or` in the expression so far
  int branches;  ///< `elseif` in the statement so far
  int jumps;     ///< of a loop: its `break`s so far; of a function: `goto` and labels
} latch_level;

typedef struct {
  const char *at, *end;
  int line;
  int64_t steps;
  const char *fault;
  bool begins_loop;  ///< after `while` and `for`, up to their `do`
  bool in_label;
  int depth;
  latch_level levels[LATCH_MOST_LEVELS];
} latch_words_read;

// MARK: Levels

static latch_level *level(latch_words_read *read) {
  return &read->levels[read->depth < LATCH_MOST_LEVELS ? read->depth : LATCH_MOST_LEVELS - 1];
}

static void open_level(latch_words_read *read, latch_level_kind kind) {
  if (++read->depth < LATCH_MOST_LEVELS) *level(read) = (latch_level){.kind = kind};
}

static void close_level(latch_words_read *read) {
  if (read->depth > 0) read->depth--;
}

static void count(latch_words_read *read, int *number, int weight, const char *fault) {
  *number += 1;
  read->steps += weight * (int64_t)*number;
  if (read->steps > LATCH_MOST_STEPS && read->fault == NULL) read->fault = fault;
}

/// Counts for the innermost function, or for the loop inside it if there is one.
static void count_jump(latch_words_read *read, bool for_loop) {
  int depth = read->depth < LATCH_MOST_LEVELS ? read->depth : LATCH_MOST_LEVELS - 1;
  while (depth > 0 && read->levels[depth].kind != FUNCTION &&
         !(for_loop && read->levels[depth].kind == LOOP)) {
    depth--;
  }
  count(read, &read->levels[depth].jumps, JUMP, "too many `goto`, `break` and labels");
}

// MARK: Words

static bool is(const char *word, size_t length, const char *other) {
  return strlen(other) == length && memcmp(word, other, length) == 0;
}

/// A word that is not Lua's, or one after which the same expression continues, changes nothing.
static void take_word(latch_words_read *read, const char *word, size_t length) {
  static const char *const ENDS[] = {
    "local", "return", "while", "for", "in", "then", "else", "until"};
  if (is(word, length, "and") || is(word, length, "or")) {
    count(read, &level(read)->terms, TERM, "too many terms joined by `and` and `or`");
  } else if (is(word, length, "function")) {
    open_level(read, FUNCTION);
  } else if (is(word, length, "if")) {
    open_level(read, OTHER_LEVEL);
  } else if (is(word, length, "do") || is(word, length, "repeat")) {
    open_level(read, read->begins_loop || length > 2 ? LOOP : OTHER_LEVEL);
    read->begins_loop = false;
  } else if (is(word, length, "end")) {
    close_level(read);
  } else if (is(word, length, "elseif")) {
    count(read, &level(read)->branches, TERM, "too many `elseif` in one statement");
    level(read)->terms = 0;
  } else if (is(word, length, "goto") || is(word, length, "break")) {
    count_jump(read, length > 4);
  } else {
    for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; i++) {
      if (!is(word, length, ENDS[i])) continue;
      if (is(word, length, "until")) close_level(read);
      if (is(word, length, "while") || is(word, length, "for")) read->begins_loop = true;
      level(read)->terms = 0;
    }
  }
}

static bool is_word_byte(char c) {
  return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

static void read_word(latch_words_read *read) {
  const char *start = read->at;
  while (read->at < read->end && is_word_byte(*read->at)) read->at++;
  take_word(read, start, (size_t)(read->at - start));
}

// MARK: Texts and comments

static void skip_line(latch_words_read *read) {
  while (read->at < read->end && *read->at != '\n') read->at++;
}

/// At a `[`: skips a text in long brackets. Returns false if there is none.
static bool skip_long(latch_words_read *read) {
  const char *p = read->at + 1;
  while (p < read->end && *p == '=') p++;
  if (p == read->end || *p != '[') return false;
  size_t marks = (size_t)(p - read->at) - 1;
  for (p++; p < read->end; p++) {
    if (*p == '\n') read->line++;
    if (*p != ']') continue;
    const char *q = p + 1;
    while (q < read->end && *q == '=') q++;
    if (q < read->end && *q == ']' && (size_t)(q - p) - 1 == marks) {
      read->at = q + 1;
      return true;
    }
    p = q - 1;
  }
  read->at = read->end;
  return true;
}

static void skip_text(latch_words_read *read) {
  char quote = *read->at++;
  while (read->at < read->end && *read->at != quote && *read->at != '\n') {
    if (*read->at == '\\' && read->at + 1 < read->end) {
      read->at++;
      if (*read->at == '\n') read->line++;
    }
    read->at++;
  }
  if (read->at < read->end && *read->at == quote) read->at++;
}

static void skip_comment(latch_words_read *read) {
  read->at += 2;
  if (read->at < read->end && *read->at == '[' && skip_long(read)) return;
  skip_line(read);
}

static void read_sign(latch_words_read *read, char sign, char next) {
  switch (sign) {
    case '(':
    case '{':
    case '[': open_level(read, OTHER_LEVEL); break;
    case ')':
    case '}':
    case ']': close_level(read); break;
    case ',':
    case ';': level(read)->terms = 0; break;
    case ':':
      if (next != ':') break;
      read->at++;
      read->in_label = !read->in_label;
      if (read->in_label) count_jump(read, false);
      break;
    default: break;
  }
  read->at++;
}

/// `=` begins an expression; `==`, `<=`, `>=` and `~=` do not.
static void read_equals(latch_words_read *read) {
  if (read->at + 1 < read->end && read->at[1] == '=') {
    read->at++;
  } else {
    char before = read->at[-1];
    if (before != '<' && before != '>' && before != '~') level(read)->terms = 0;
  }
  read->at++;
}

void latch_refuse_slow_text(lua_State *L, const char *text, size_t length, const char *name) {
  if (length < LATCH_SHORT_TEXT) return;
  latch_words_read *read = lua_newuserdatauv(L, sizeof *read, 0);
  *read = (latch_words_read){.at = text, .end = text + length, .line = 1};
  read->levels[0].kind = FUNCTION;
  while (read->at < read->end && read->fault == NULL) {
    char c = *read->at, next = read->at + 1 < read->end ? read->at[1] : 0;
    if (c == '\n') read->line++;
    if (is_word_byte(c)) read_word(read);
    else if (c == '-' && next == '-') skip_comment(read);
    else if (c == '"' || c == '\'') skip_text(read);
    else if (c == '[' && skip_long(read)) continue;
    else if (c == '=' && read->at > text) read_equals(read);
    else read_sign(read, c, next);
  }
  if (read->fault != NULL) {
    luaL_error(L, "%s:%d: %s: it would take too long to compile; write it as a table, or in parts",
      latch_chunk_name(name), read->line, read->fault);
  }
  lua_pop(L, 1);
}
