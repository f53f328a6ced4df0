/// UTF-8 is told from other bytes as byte after byte would tell it, and ASCII a word at a time.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The library's own is linked too, without a count of its steps.
static unsigned long steps;
#define LATCH_UTF8_STEP() (steps++)
#define latch_is_utf8 counted_is_utf8
#define latch_character_length counted_character_length
#include "value/utf8_text.c"
#undef latch_is_utf8
bool latch_is_utf8(const char *text, size_t length);

static int checks, faults;

static void check(bool fine, const char *what, int line) {
  checks++;
  if (fine) return;
  faults++;
  fprintf(stderr, "utf8_text_test.c:%d: %s\n", line, what);
}
#define CHECK(condition) check(condition, #condition, __LINE__)

static uint64_t seed = 1;
static size_t chance(size_t below) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (size_t)(seed >> 33) % below;
}

/// The definition (RFC 3629): each character gives a number, and no shorter one gives the same.
static bool is_defined(const uint8_t *text, size_t length) {
  static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
  for (size_t i = 0; i < length;) {
    uint8_t first = text[i++];
    int more = first < 0x80           ? 0
               : (first & 0xe0) == 0xc0 ? 1
               : (first & 0xf0) == 0xe0 ? 2
               : (first & 0xf8) == 0xf0 ? 3
                                        : -1;
    if (more < 0) return false;
    uint32_t number = more == 0 ? first : first & (0x3fu >> more);
    for (int left = more; left > 0; left--) {
      if (i == length || (text[i] & 0xc0) != 0x80) return false;
      number = number << 6 | (text[i++] & 0x3fu);
    }
    if (number < least[more] || number > 0x10ffff) return false;
    if (number >= 0xd800 && number <= 0xdfff) return false;
  }
  return true;
}

/// Compares on a copy that ends where its block does, at each distance from an aligned address: a read
/// beyond either end is found with `--sanitize`.
static void compare(const uint8_t *text, size_t length) {
  bool wanted = is_defined(text, length);
  size_t shift = chance(sizeof(uint64_t));
  char *copy = malloc(shift + length > 0 ? shift + length : 1);
  if (copy == NULL) exit(70);
  if (length > 0) memcpy(copy + shift, text, length);
  CHECK(latch_is_utf8(copy + shift, length) == wanted);
  CHECK(counted_is_utf8(copy + shift, length) == wanted);
  free(copy);
}

static void every_short_text_is_told(void) {
  uint8_t text[3];
  compare(text, 0);
  for (int a = 0; a < 256; a++) {
    text[0] = (uint8_t)a;
    compare(text, 1);
    for (int b = 0; b < 256; b++) {
      text[1] = (uint8_t)b;
      compare(text, 2);
      text[2] = (uint8_t)chance(256);
      compare(text, 3);
    }
  }
}

static size_t add_character(uint8_t *at) {
  switch (chance(8)) {
    case 0: at[0] = (uint8_t)(0xc2 + chance(30)), at[1] = (uint8_t)(0x80 + chance(64)); return 2;
    case 1: memcpy(at, "\xe2\x82\xac", 3); return 3;
    case 2: memcpy(at, "\xf0\x9f\x98\x80", 4); return 4;
    case 3: memcpy(at, "\xed\x9f\xbf", 3); return 3;  // the last one before the surrogates
    default: {
      size_t count = 1 + chance(20);
      memset(at, 'a', count);
      return count;
    }
  }
}

/// Texts of characters of all lengths, and the same with one byte changed or cut.
static void generated_texts_are_told(void) {
  enum { LONGEST = 200 };
  uint8_t text[LONGEST + 32];
  int fine = 0;
  for (int i = 0; i < 200000; i++) {
    size_t length = 0, wanted = chance(LONGEST);
    while (length < wanted) length += add_character(text + length);
    if (length > 0 && chance(2) == 0) text[chance(length)] = (uint8_t)chance(256);
    if (length > 3 && chance(4) == 0) length -= chance(4);
    fine += is_defined(text, length);
    compare(text, length);
  }
  CHECK(fine > 20000 && fine < 180000);
}

static void ascii_takes_a_step_a_word(void) {
  static char text[10000];
  memset(text, 'x', sizeof text);
  for (size_t length = 100; length <= sizeof text; length *= 10) {
    for (size_t shift = 0; shift < 8; shift++) {
      steps = 0;
      CHECK(counted_is_utf8(text + shift, length - shift));
      CHECK(steps <= length / 8 + 8);
    }
  }
}

int main(void) {
  every_short_text_is_told();
  generated_texts_are_told();
  ascii_takes_a_step_a_word();
  printf("utf8_text: %d checks, %d failed\n", checks, faults);
  return faults == 0 ? 0 : 1;
}
