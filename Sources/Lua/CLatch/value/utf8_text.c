/// UTF-8, which every text in the state is: no surrogates, nothing beyond U+10FFFF, and each
/// character in its shortest form.

#include <string.h>

#include "value/value.h"

/// A test counts them.
#ifndef LATCH_UTF8_STEP
#define LATCH_UTF8_STEP() ((void)0)
#endif

enum { LATCH_WORD = sizeof(uint64_t) };

/// The first byte that is not ASCII, or the end. Most texts hold nothing else, so whole words are
/// passed at once.
static const uint8_t *skip_ascii(const uint8_t *at, const uint8_t *end) {
  const uint64_t high_bits = 0x8080808080808080u;
  for (; end - at >= LATCH_WORD; at += LATCH_WORD) {
    LATCH_UTF8_STEP();
    uint64_t word;
    memcpy(&word, at, sizeof word);  // it need not be aligned
    if ((word & high_bits) != 0) break;
  }
  for (; at < end && *at < 0x80; at++) LATCH_UTF8_STEP();
  return at;
}

/// The length of the character at `at`, which is not ASCII; 0 for what is none.
static size_t character_length(const uint8_t *at, const uint8_t *end) {
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
      size_t character = character_length(at, end);
      if (character == 0) return false;
      at += character;
    } while (at < end && *at >= 0x80);
  }
  return true;
}

/// Writes the next character, or the escape of a byte that is none; gives how many bytes of the
/// text that takes.
static size_t next_printable(const uint8_t *at, const uint8_t *end, char escape[5]) {
  size_t character = *at < 0x80 ? 1 : character_length(at, end);
  size_t length = character > 0 ? character : 4;
  const char digits[] = {
    '\\', (char)('0' + *at / 100), (char)('0' + *at / 10 % 10), (char)('0' + *at % 10)};
  memcpy(escape, character > 0 ? (const char *)at : digits, length);
  escape[length] = 0;
  return character > 0 ? character : 1;
}

void latch_make_printable(lua_State *L, int index) {
  index = lua_absindex(L, index);
  size_t length;
  const char *text = lua_tolstring(L, index, &length);
  if (latch_is_utf8(text, length)) return;
  latch_check_stack(L, 6, NULL);
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  const uint8_t *at = (const uint8_t *)text, *end = at + length;
  char shown[5];
  while (at < end) {
    if (*at == 0) luaL_addchar(&buffer, 0);
    at += next_printable(at, end, shown);
    luaL_addstring(&buffer, shown);
  }
  luaL_pushresult(&buffer);
  lua_replace(L, index);
}

void latch_add_printable(latch_buffer *out, const char *text, size_t length) {
  if (latch_is_utf8(text, length)) {
    latch_buffer_add(out, text, length);
    return;
  }
  const uint8_t *at = (const uint8_t *)text, *end = at + length;
  char shown[5];
  while (at < end) {
    if (*at == 0) latch_buffer_add(out, "", 1);
    at += next_printable(at, end, shown);
    latch_buffer_text(out, shown);
  }
}
