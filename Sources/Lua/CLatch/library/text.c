/// Strings under construction: see text.h.

#include <string.h>

#include "library/text.h"

void latch_text_open(latch_text *text, lua_State *L) {
  latch_check_stack(L, 4, NULL);
  lua_pushnil(L);
  text->L = L;
  text->slot = lua_gettop(L);
  text->bytes = text->first;
  text->length = text->charged = 0;
  text->capacity = sizeof text->first;
}

/// Charges the bytes up to `length` that have not been charged yet.
static void charge_up_to(latch_text *text, size_t length) {
  if (length <= text->charged) return;
  latch_charge(text->L, length - text->charged);
  text->charged = length;
}

char *latch_text_reserve(latch_text *text, size_t count) {
  if (count <= text->capacity - text->length) return text->bytes + text->length;
  if (count > LATCH_LONGEST_STRING - text->length) {
    luaL_error(text->L, "resulting string too large");
  }
  size_t needed = text->length + count;
  charge_up_to(text, needed);
  size_t capacity = text->capacity * 2 > needed ? text->capacity * 2 : needed;
  latch_check_stack(text->L, 1, NULL);
  char *moved = lua_newuserdatauv(text->L, capacity, 0);
  memcpy(moved, text->bytes, text->length);
  lua_replace(text->L, text->slot);
  text->bytes = moved;
  text->capacity = capacity;
  return moved + text->length;
}

void latch_text_add(latch_text *text, const char *bytes, size_t count) {
  if (count == 0) return;
  memcpy(latch_text_reserve(text, count), bytes, count);
  text->length += count;
}

void latch_text_fill(latch_text *text, char byte, size_t count) {
  if (count == 0) return;
  memset(latch_text_reserve(text, count), byte, count);
  text->length += count;
}

void latch_text_value(latch_text *text) {
  size_t length;
  const char *bytes = lua_tolstring(text->L, -1, &length);
  // The value stays on the stack while it is copied: reserving may collect garbage.
  latch_text_add(text, bytes, length);
  lua_pop(text->L, 1);
}

void latch_text_push(latch_text *text) {
  charge_up_to(text, text->length);
  latch_check_stack(text->L, 1, NULL);
  lua_pushlstring(text->L, text->bytes, text->length);
}

int latch_text_of_codes(
  lua_State *L, lua_Unsigned most, void (*add)(latch_text *text, lua_Unsigned code)) {
  int count = lua_gettop(L);
  latch_charge_arguments(L);
  latch_text text;
  latch_text_open(&text, L);
  for (int i = 1; i <= count; i++) {
    lua_Unsigned code = (lua_Unsigned)latch_check_integer(L, i);
    luaL_argcheck(L, code <= most, i, "value out of range");
    add(&text, code);
  }
  latch_text_push(&text);
  return 1;
}
