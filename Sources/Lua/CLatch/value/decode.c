/// Decodes bytes to plain tables; see encode.c for the format.

#include <string.h>

#include "value/value.h"

static size_t read_count(lua_State *L, const uint8_t **cursor, const uint8_t *end) {
  size_t count = 0;
  for (int shift = 0; shift < 63; shift += 7) {
    if (*cursor == end) break;
    uint8_t byte = *(*cursor)++;
    count |= (size_t)(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return count;
  }
  luaL_error(L, "an encoded value is cut short");
  return 0;
}

static const uint8_t *take(lua_State *L, const uint8_t **cursor, const uint8_t *end, size_t n) {
  if (n > (size_t)(end - *cursor)) luaL_error(L, "an encoded value is cut short");
  const uint8_t *start = *cursor;
  *cursor += n;
  return start;
}

static uint64_t read_word(lua_State *L, const uint8_t **cursor, const uint8_t *end) {
  const uint8_t *bytes = take(L, cursor, end, 8);
  uint64_t value = 0;
  for (int i = 0; i < 8; i++) value |= (uint64_t)bytes[i] << (8 * i);
  return value;
}

static void push_text(lua_State *L, const uint8_t **cursor, const uint8_t *end) {
  size_t length = read_count(L, cursor, end);
  lua_pushlstring(L, (const char *)take(L, cursor, end, length), length);
}

void latch_decode_name(lua_State *L, const uint8_t **cursor, const uint8_t *end) {
  push_text(L, cursor, end);
}

/// Reads the number of elements or pairs, each of which takes at least one byte.
static size_t read_pairs(lua_State *L, const uint8_t **cursor, const uint8_t *end) {
  size_t count = read_count(L, cursor, end);
  if (count > (size_t)(end - *cursor)) luaL_error(L, "an encoded value is cut short");
  return count;
}

size_t latch_decode_record(lua_State *L, const uint8_t **cursor, const uint8_t *end) {
  uint8_t tag = *take(L, cursor, end, 1);
  if (tag == LATCH_TAG_EMPTY) return 0;
  if (tag != LATCH_TAG_RECORD) luaL_error(L, "an encoded value is not a record");
  return read_pairs(L, cursor, end);
}

size_t latch_decode_list(lua_State *L, const uint8_t **cursor, const uint8_t *end) {
  uint8_t tag = *take(L, cursor, end, 1);
  if (tag == LATCH_TAG_EMPTY) return 0;
  if (tag != LATCH_TAG_LIST) luaL_error(L, "an encoded value is no list");
  return read_pairs(L, cursor, end);
}

static void set_mark(lua_State *L, int mark) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, mark);
  lua_setmetatable(L, -2);
}

static void push_keyed(
  lua_State *L, const uint8_t **cursor, const uint8_t *end, latch_tag tag, int depth) {
  size_t count = read_pairs(L, cursor, end);
  lua_createtable(L, 0, (int)count);
  for (size_t i = 0; i < count; i++) {
    if (tag == LATCH_TAG_MAP) lua_pushinteger(L, (lua_Integer)read_word(L, cursor, end));
    else push_text(L, cursor, end);
    latch_decode(L, cursor, end, depth + 1);
    lua_rawset(L, -3);
  }
  if (tag != LATCH_TAG_RECORD) set_mark(L, LATCH_R_MAP);
}

void latch_decode(lua_State *L, const uint8_t **cursor, const uint8_t *end, int depth) {
  if (depth > LATCH_DEEPEST_BYTES) luaL_error(L, "an encoded value is nested too deeply");
  latch_check_stack(L, 6, "an encoded value is nested too deeply");
  latch_tag tag = (latch_tag)*take(L, cursor, end, 1);
  switch (tag) {
    case LATCH_TAG_NIL: lua_pushnil(L); return;
    case LATCH_TAG_FALSE: lua_pushboolean(L, 0); return;
    case LATCH_TAG_TRUE: lua_pushboolean(L, 1); return;
    case LATCH_TAG_INTEGER: lua_pushinteger(L, (lua_Integer)read_word(L, cursor, end)); return;
    case LATCH_TAG_NUMBER: {
      uint64_t bits = read_word(L, cursor, end);
      lua_Number number;
      memcpy(&number, &bits, sizeof number);
      lua_pushnumber(L, number);
      return;
    }
    case LATCH_TAG_STRING: push_text(L, cursor, end); return;
    case LATCH_TAG_LIST: {
      size_t count = read_count(L, cursor, end);
      if (count > (size_t)(end - *cursor)) luaL_error(L, "an encoded value is cut short");
      lua_createtable(L, (int)count, 0);
      for (size_t i = 1; i <= count; i++) {
        latch_decode(L, cursor, end, depth + 1);
        lua_rawseti(L, -2, (lua_Integer)i);
      }
      if (count == 0) set_mark(L, LATCH_R_LIST);  // otherwise its keys decide
      return;
    }
    case LATCH_TAG_RECORD:
    case LATCH_TAG_MAP:
    case LATCH_TAG_OPEN: push_keyed(L, cursor, end, tag, depth); return;
    case LATCH_TAG_EMPTY:
      lua_newtable(L);
      if (latch_of(L)->keeps_kinds) set_mark(L, LATCH_R_EMPTY);
      return;
    case LATCH_TAG_NONE: lua_pushlightuserdata(L, latch_none()); return;
    case LATCH_TAG_UNNAMED_MAP: break;  // never passed to Lua
  }
  luaL_error(L, "an encoded value has an unknown tag");
}

void latch_skip(lua_State *L, const uint8_t **cursor, const uint8_t *end, int depth) {
  if (depth > LATCH_DEEPEST_BYTES) luaL_error(L, "an encoded value is nested too deeply");
  latch_tag tag = (latch_tag)*take(L, cursor, end, 1);
  size_t count;
  switch (tag) {
    case LATCH_TAG_NIL:
    case LATCH_TAG_FALSE:
    case LATCH_TAG_TRUE:
    case LATCH_TAG_EMPTY:
    case LATCH_TAG_NONE: return;
    case LATCH_TAG_UNNAMED_MAP: break;
    case LATCH_TAG_INTEGER:
    case LATCH_TAG_NUMBER: take(L, cursor, end, 8); return;
    case LATCH_TAG_STRING: take(L, cursor, end, read_count(L, cursor, end)); return;
    case LATCH_TAG_LIST:
      for (count = read_count(L, cursor, end); count > 0; count--)
        latch_skip(L, cursor, end, depth + 1);
      return;
    case LATCH_TAG_RECORD:
    case LATCH_TAG_MAP:
    case LATCH_TAG_OPEN:
      for (count = read_count(L, cursor, end); count > 0; count--) {
        take(L, cursor, end, tag == LATCH_TAG_MAP ? 8 : read_count(L, cursor, end));
        latch_skip(L, cursor, end, depth + 1);
      }
      return;
  }
  luaL_error(L, "an encoded value has an unknown tag");
}
