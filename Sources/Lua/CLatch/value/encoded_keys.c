/// The keys of a table that is encoded: their kind and their order.

#include <stdlib.h>
#include <string.h>

#include "value/value.h"

static int compare_keys(const void *a, const void *b) {
  const latch_encoded_key *x = a, *y = b;
  if (x->text == NULL) return x->integer < y->integer ? -1 : x->integer > y->integer;
  int order = memcmp(x->text, y->text, x->length < y->length ? x->length : y->length);
  if (order != 0) return order;
  return x->length < y->length ? -1 : x->length > y->length;
}

latch_key_survey latch_survey_keys(lua_State *L, int data, size_t *count) {
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

void latch_read_encoded_keys(lua_State *L, int data, latch_encoded_key *keys, size_t count) {
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

void latch_order_names(latch_names *names, const latch_encoded_key *keys, int count) {
  bool known = names->count == count;
  for (int i = 0; known && i < count; i++) known = names->texts[i] == keys[i].text;
  if (known) return;
  names->count = count;
  for (int i = 0; i < count; i++) {
    int at = i;
    names->texts[i] = keys[i].text;
    for (; at > 0 && compare_keys(&keys[names->order[at - 1]], &keys[i]) > 0; at--) {
      names->order[at] = names->order[at - 1];
    }
    names->order[at] = (uint8_t)i;
  }
}
