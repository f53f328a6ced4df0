/// One byte format for every value that crosses the border: a tag, then
///
///   integer   8 bytes, little-endian two's complement
///   number    8 bytes, IEEE 754
///   string    length, bytes
///   list      count, values
///   record    count, then for each key in ascending order: length, bytes, value
///   map       as record, with integer keys: 8 bytes, value
///   open      as record, for a `map {}` of a declaration, whose keys stay open
///   empty     an empty table, which may be a list or a record
///   none      a field without a value yet
///
/// Lengths and counts are varints, seven bits a byte, lowest first. Equal values have equal bytes.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "value/value.h"

enum { LATCH_FEW_KEYS = 16, LATCH_TABLE_UNITS = 64 };

static void add_tag(latch_buffer *out, latch_tag tag) {
  uint8_t byte = (uint8_t)tag;
  latch_buffer_add(out, &byte, 1);
}

void latch_encode_count(latch_buffer *out, size_t count) {
  uint8_t bytes[10];
  size_t length = 0;
  do {
    bytes[length] = (uint8_t)(count & 0x7f);
    count >>= 7;
    if (count > 0) bytes[length] |= 0x80;
    length++;
  } while (count > 0);
  latch_buffer_add(out, bytes, length);
}

static void add_word(latch_buffer *out, uint64_t value) {
  uint8_t bytes[8];
  for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(value >> (8 * i));
  latch_buffer_add(out, bytes, 8);
}

static bool fault(latch_encoder *encoder, const char *what) {
  const char *path = encoder->path_length > 0 ? encoder->path : "the value";
  if (path[0] == '.') path++;
  snprintf(encoder->fault, sizeof encoder->fault, "%s: %s", path, what);
  return false;
}

/// Appends ".name" or "[1]" to the path, and gives the length to go back to.
static size_t enter(latch_encoder *encoder, const char *name, lua_Integer index) {
  size_t before = encoder->path_length, room = sizeof encoder->path - before;
  if (name == NULL) {
    int written = snprintf(encoder->path + before, room, "[%lld]", (long long)index);
    if (written > 0) encoder->path_length += (size_t)written < room ? (size_t)written : room - 1;
    return before;
  }
  // As "%s" would, which takes longer than the value itself.
  const char *end = memchr(name, 0, room);
  size_t length = end == NULL ? room : (size_t)(end - name);
  if (room > 1) encoder->path[encoder->path_length++] = '.';
  if (length + 2 > room) length = room > 2 ? room - 2 : 0;
  memcpy(encoder->path + encoder->path_length, name, length);
  encoder->path_length += length;
  encoder->path[encoder->path_length] = 0;
  return before;
}

static void leave(latch_encoder *encoder, size_t length) {
  encoder->path_length = length;
  encoder->path[length] = 0;
}

// MARK: Keys

typedef struct {
  const char *text;  ///< anchored by the table that is being read; NULL for an integer key
  size_t length;
  lua_Integer integer;
} latch_encoded_key;

static int compare_keys(const void *a, const void *b) {
  const latch_encoded_key *x = a, *y = b;
  if (x->text == NULL) return x->integer < y->integer ? -1 : x->integer > y->integer;
  int order = memcmp(x->text, y->text, x->length < y->length ? x->length : y->length);
  if (order != 0) return order;
  return x->length < y->length ? -1 : x->length > y->length;
}

typedef enum {
  KEYS_NONE,
  KEYS_SEQUENCE,
  KEYS_TEXT,
  KEYS_INTEGER,
  KEYS_MIXED,
  KEYS_FOREIGN
} latch_key_survey;

/// What kind of keys the raw table at `data` has, and how many.
static latch_key_survey survey_keys(lua_State *L, int data, size_t *count) {
  lua_Integer sequence = (lua_Integer)lua_rawlen(L, data);
  size_t texts = 0, inside = 0, outside = 0;
  lua_pushnil(L);
  while (lua_next(L, data)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) == LUA_TSTRING) {
      texts++;
    } else if (lua_isinteger(L, -1)) {
      lua_Integer key = lua_tointeger(L, -1);
      *(key >= 1 && key <= sequence ? &inside : &outside) += 1;
    } else {
      lua_pop(L, 1);
      return KEYS_FOREIGN;
    }
  }
  *count = texts + inside + outside;
  if (*count == 0) return KEYS_NONE;
  if (texts == *count) return KEYS_TEXT;
  if (texts > 0) return KEYS_MIXED;
  return inside == (size_t)sequence && outside == 0 ? KEYS_SEQUENCE : KEYS_INTEGER;
}

/// Fills `keys` with the keys of the table in ascending order.
static void read_keys(lua_State *L, int data, latch_encoded_key *keys, size_t count) {
  size_t i = 0;
  lua_pushnil(L);
  while (lua_next(L, data)) {
    lua_pop(L, 1);
    if (i == count) continue;
    keys[i] = (latch_encoded_key){0};
    if (lua_type(L, -1) == LUA_TSTRING) keys[i].text = lua_tolstring(L, -1, &keys[i].length);
    else keys[i].integer = lua_tointeger(L, -1);
    i++;
  }
  qsort(keys, count, sizeof *keys, compare_keys);
}

// MARK: Values

static bool encode_value(latch_encoder *encoder, lua_State *L, int index, int depth);

/// A table is read through `reader` (the data, or a recording node, whose reads must be noticed).
typedef struct {
  int data, reader;
} latch_source;

static bool encode_list(
  latch_encoder *encoder, lua_State *L, latch_source source, size_t count, int depth) {
  add_tag(encoder->out, LATCH_TAG_LIST);
  latch_encode_count(encoder->out, count);
  for (size_t i = 1; i <= count; i++) {
    size_t before = enter(encoder, NULL, (lua_Integer)i);
    lua_geti(L, source.reader, (lua_Integer)i);
    if (!encode_value(encoder, L, lua_gettop(L), depth + 1) || encoder->out->failed) return false;
    lua_pop(L, 1);
    leave(encoder, before);
  }
  return true;
}

static bool encode_keyed(latch_encoder *encoder, lua_State *L, latch_source source, size_t count,
  latch_tag tag, int depth) {
  latch_encoded_key few[LATCH_FEW_KEYS];
  latch_encoded_key *keys = few;
  if (count > LATCH_FEW_KEYS) keys = lua_newuserdatauv(L, count * sizeof *keys, 0);
  read_keys(L, source.data, keys, count);
  add_tag(encoder->out, tag);
  latch_encode_count(encoder->out, count);
  for (size_t i = 0; i < count; i++) {
    size_t before = enter(encoder, keys[i].text, keys[i].integer);
    if (keys[i].text != NULL) {
      latch_encode_count(encoder->out, keys[i].length);
      latch_buffer_add(encoder->out, keys[i].text, keys[i].length);
      lua_pushlstring(L, keys[i].text, keys[i].length);
    } else {
      add_word(encoder->out, (uint64_t)keys[i].integer);
      lua_pushinteger(L, keys[i].integer);
    }
    lua_gettable(L, source.reader);
    if (!encode_value(encoder, L, lua_gettop(L), depth + 1) || encoder->out->failed) return false;
    lua_pop(L, 1);
    leave(encoder, before);
  }
  if (keys != few) lua_pop(L, 1);
  return true;
}

/// A value of few bytes may hold one and the same table a million times: each time is paid for.
static bool pay_for_table(latch_encoder *encoder, lua_State *L) {
  if (!encoder->pays) {
    latch_charge(L, LATCH_TABLE_UNITS);
    return true;
  }
  if (!latch_is_at_work(encoder->vm)) return true;
  latch_spend(encoder->vm, LATCH_TABLE_UNITS / LATCH_UNITS_PER_INSTRUCTION);
  if (encoder->vm->budget.left >= 0) return true;
  snprintf(encoder->fault, sizeof encoder->fault,
    "the instruction limit is reached (%lld) by reading the value that was worked out",
    (long long)encoder->vm->budget.most);
  return false;
}

static bool encode_table(latch_encoder *encoder, lua_State *L, int index, int depth) {
  if (encoder->out->failed || !pay_for_table(encoder, L)) return false;
  if (depth >= encoder->vm->limits.nesting) {
    char what[80];
    snprintf(what, sizeof what, "values are nested more than %d deep, or form a cycle",
      (int)encoder->vm->limits.nesting);
    return fault(encoder, what);
  }
  latch_check_stack(L, 10, "values are nested too deeply");
  latch_table_kind kind = latch_push_data(L, index);
  latch_source source = {lua_gettop(L), lua_gettop(L)};
  if (kind == LATCH_RECORDER) source.reader = index;
  const void *mark = NULL;
  if (lua_getmetatable(L, source.data)) {
    mark = lua_topointer(L, -1);
    lua_pop(L, 1);
  }
  if (kind == LATCH_PLAIN && mark != NULL && !latch_is_mark(encoder->vm, mark)) {
    return fault(encoder, "a table with a metatable is not plain data");
  }
  size_t count = 0;
  bool open = mark == encoder->vm->map_mark;
  switch (survey_keys(L, source.data, &count)) {
    case KEYS_NONE:
      if (mark == encoder->vm->list_mark) {
        add_tag(encoder->out, LATCH_TAG_LIST);
        latch_encode_count(encoder->out, 0);
      } else if (mark == NULL || mark == encoder->vm->empty_mark) {
        add_tag(encoder->out, LATCH_TAG_EMPTY);
      } else {
        add_tag(encoder->out, open ? LATCH_TAG_OPEN : LATCH_TAG_RECORD);
        latch_encode_count(encoder->out, 0);
      }
      break;
    case KEYS_SEQUENCE:
      if (open) {
        if (!encode_keyed(encoder, L, source, count, LATCH_TAG_MAP, depth)) return false;
      } else if (!encode_list(encoder, L, source, count, depth)) {
        return false;
      }
      break;
    case KEYS_INTEGER:
      if (!open) {
        return fault(encoder, "a list has keys 1 to n without holes (map { } takes any integer)");
      }
      if (!encode_keyed(encoder, L, source, count, LATCH_TAG_MAP, depth)) return false;
      break;
    case KEYS_TEXT: {
      latch_tag tag = open ? LATCH_TAG_OPEN : LATCH_TAG_RECORD;
      if (mark == encoder->vm->list_mark) return fault(encoder, "a list has no named keys");
      if (!encode_keyed(encoder, L, source, count, tag, depth)) return false;
      break;
    }
    case KEYS_MIXED:
      return fault(encoder, "a table has either named keys or the keys 1 to n, not both");
    case KEYS_FOREIGN: return fault(encoder, "keys are strings or integers");
  }
  lua_settop(L, source.data - 1);
  return true;
}

static bool encode_value(latch_encoder *encoder, lua_State *L, int index, int depth) {
  latch_buffer *out = encoder->out;
  switch (lua_type(L, index)) {
    case LUA_TNIL: add_tag(out, LATCH_TAG_NIL); return true;
    case LUA_TBOOLEAN:
      add_tag(out, lua_toboolean(L, index) ? LATCH_TAG_TRUE : LATCH_TAG_FALSE);
      return true;
    case LUA_TNUMBER:
      if (lua_isinteger(L, index)) {
        add_tag(out, LATCH_TAG_INTEGER);
        add_word(out, (uint64_t)lua_tointeger(L, index));
      } else {
        lua_Number number = lua_tonumber(L, index);
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        add_tag(out, LATCH_TAG_NUMBER);
        add_word(out, bits);
      }
      return true;
    case LUA_TSTRING: {
      size_t length;
      const char *text = lua_tolstring(L, index, &length);
      add_tag(out, LATCH_TAG_STRING);
      latch_encode_count(out, length);
      latch_buffer_add(out, text, length);
      return true;
    }
    case LUA_TTABLE: return encode_table(encoder, L, index, depth);
    case LUA_TLIGHTUSERDATA:
      if (lua_touserdata(L, index) == latch_none()) {
        add_tag(out, LATCH_TAG_NONE);
        return true;
      }
      // fall through
    default: {
      char what[64];
      snprintf(what, sizeof what, "a %s is not plain data", luaL_typename(L, index));
      return fault(encoder, what);
    }
  }
}

bool latch_try_encode(latch_encoder *encoder, lua_State *L, int index) {
  int top = lua_gettop(L);
  bool fine = encode_value(encoder, L, lua_absindex(L, index), encoder->depth);
  lua_settop(L, top);
  return fine && !encoder->out->failed;
}

bool latch_encode(latch_encoder *encoder, lua_State *L, int index) {
  int top = lua_gettop(L);
  size_t before = encoder->out->length;
  bool fine = encode_value(encoder, L, lua_absindex(L, index), encoder->depth);
  lua_settop(L, top);
  if (encoder->out->failed) latch_raise_no_memory(L);
  latch_charge(L, encoder->out->length - before);
  return fine;
}
