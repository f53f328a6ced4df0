/// A string under construction, in Lua's own memory.

#ifndef LATCH_TEXT_H
#define LATCH_TEXT_H

#include "library/library.h"

/// Short texts are in `first`; longer ones are moved to a userdata in one stack slot, so values may
/// be pushed and popped above it freely. (luaL_Buffer would move the top of the stack, and fail at
/// the memory limit without letting Lua collect garbage first.)
typedef struct {
  lua_State *L;
  int slot;
  char *bytes;
  size_t length, capacity, charged;
  char first[256];
} latch_text;

/// Starts an empty text. Pushes one slot, which remains until the caller's frame ends.
void latch_text_open(latch_text *text, lua_State *L);

/// Reserves `count` more bytes: the caller writes them there and adds `count` to `length`. Raises
/// "resulting string too large".
char *latch_text_reserve(latch_text *text, size_t count);

void latch_text_add(latch_text *text, const char *bytes, size_t count);
void latch_text_fill(latch_text *text, char byte, size_t count);

static inline void latch_text_byte(latch_text *text, char byte) {
  if (text->length == text->capacity) latch_text_reserve(text, 1);
  text->bytes[text->length++] = byte;
}

/// Pops the string or number on top of the stack and adds it.
void latch_text_value(latch_text *text);

/// Pushes the finished string.
void latch_text_push(latch_text *text);

/// (codes...): pushes the text that `add` creates from them. Each must be at most `most`.
int latch_text_of_codes(
  lua_State *L, lua_Unsigned most, void (*add)(latch_text *text, lua_Unsigned code));

#endif
