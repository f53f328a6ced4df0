/// UTF-8, which every text in the state must be: no surrogates, nothing above U+10FFFF, and each
/// character in its shortest form.

#include <string.h>

#include "value/value.h"

/// The number of checks; a test reads it.
#ifndef LATCH_UTF8_STEP
#define LATCH_UTF8_STEP() ((void)0)
#endif

enum { LATCH_WORD = sizeof(uint64_t) };

/// The first byte that is not ASCII, or the end. Most texts are ASCII only, so whole words are
/// skipped at once.
static const uint8_t *skip_ascii(const uint8_t *at, const uint8_t *end) {
  const uint64_t high_bits = 0x8080808080808080u;
  for (; end - at >= LATCH_WORD; at += LATCH_WORD) {
    LATCH_UTF8_STEP();
    uint64_t word;
    memcpy(&word, at, sizeof word);  // it may be unaligned
    if ((word & high_bits) != 0) break;
  }
  for (; at < end && *at < 0x80; at++) LATCH_UTF8_STEP();
  return at;
}

/// The length of the character at `at`, which is not ASCII; 0 if it is not valid.
size_t latch_character_length(const uint8_t *at, const uint8_t *end) {
  size_t more = *at >= 0xc2 && *at <= 0xdf   ? 1
                : *at >= 0xe0 && *at <= 0xef ? 2
                : *at >= 0xf0 && *at <= 0xf4 ? 3
                                             : 0;
  if (more == 0 || (size_t)(end - at) <= more) return 0;
  uint8_t low = *at == 0xe0 ? 0xa0 : *at == 0xf0 ? 0x90 : 0x80;
  uint8_t high = *at == 0xed ? 0x9f : *at == 0xf4 ? 0x8f : 0xbf;
  if (at[1] < low || at[1] > high) return 0;
  for (size_t i = 2; i <= more; i++) {
    if (at[i] < 0x80 || at[i] > 0xbf) return 0;
  }
  return more + 1;
}

bool latch_is_utf8(const char *text, size_t length) {
  if (length == 0) return true;
  const uint8_t *at = (const uint8_t *)text, *end = at + length;
  while ((at = skip_ascii(at, end)) < end) {
    do {
      LATCH_UTF8_STEP();
      size_t character = latch_character_length(at, end);
      if (character == 0) return false;
      at += character;
    } while (at < end && *at >= 0x80);
  }
  return true;
}
