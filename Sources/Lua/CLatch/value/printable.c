/// Texts as messages show them: a byte that is not part of a UTF-8 character is escaped as Lua
/// would escape it.

#include <string.h>

#include "value/value.h"

/// Writes the next character, or the escape of a byte that is not one. Returns its number of bytes
/// in the text.
static size_t next_printable(const uint8_t *at, const uint8_t *end, char escape[5]) {
  size_t character = *at < 0x80 ? 1 : latch_character_length(at, end);
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
