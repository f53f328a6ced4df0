/// string.find, match, gmatch and gsub, on the matcher in match.c.

#include <string.h>

#include "library/match.h"
#include "library/text.h"

// MARK: Plain search

/// True if each byte of the pattern only matches itself.
static bool is_plain(const char *pattern, size_t length) {
  for (size_t i = 0; i < length; i++) {
    if (pattern[i] != 0 && strchr("^$*+?.([%-", pattern[i]) != NULL) return false;
  }
  return true;
}

/// The first position of `needle`, or NULL. Each byte compared is charged for, so the worst case
/// (much repetition in both) ends with the budget.
static const char *find_plain(
  lua_State *L, const char *text, size_t length, const char *needle, size_t needle_length) {
  if (needle_length == 0) return text;
  if (needle_length > length) return NULL;
  const char *last = text + (length - needle_length);
  size_t units = 0;
  for (const char *s = text; s <= last; s++) {
    const char *hit = memchr(s, *needle, (size_t)(last - s) + 1);
    units += (size_t)((hit == NULL ? last : hit) - s) + 8;
    size_t same = 1;
    if (hit != NULL) {
      while (same < needle_length && hit[same] == needle[same]) same++;
      units += same;
    }
    if (units >= 4096 || hit == NULL || same == needle_length) {
      latch_charge(L, units);
      units = 0;
    }
    if (hit == NULL) return NULL;
    if (same == needle_length) return hit;
    s = hit;
  }
  latch_charge(L, units);
  return NULL;
}

// MARK: find and match

static int find_or_match(lua_State *L, bool find) {
  size_t length, pattern_length;
  const char *subject = luaL_checklstring(L, 1, &length);
  const char *pattern = luaL_checklstring(L, 2, &pattern_length);
  size_t start = latch_range_start(latch_opt_integer(L, 3, 1), length) - 1;
  if (start > length) {
    lua_pushnil(L);
    return 1;
  }
  latch_charge(L, pattern_length);
  if (find && (lua_toboolean(L, 4) || is_plain(pattern, pattern_length))) {
    const char *found = find_plain(L, subject + start, length - start, pattern, pattern_length);
    if (found == NULL) {
      lua_pushnil(L);
      return 1;
    }
    lua_pushinteger(L, found - subject + 1);
    lua_pushinteger(L, found - subject + (lua_Integer)pattern_length);
    return 2;
  }
  latch_matcher matcher;
  latch_matcher_open(&matcher, L, subject, length, pattern + pattern_length);
  bool anchored = *pattern == '^' && pattern_length > 0;
  if (anchored) pattern++;
  const char *s = subject + start, *end;
  do {
    end = latch_match(&matcher, s, pattern);
  } while (end == NULL && s++ < matcher.subject_end && !anchored);
  latch_matcher_finish(&matcher);
  if (end == NULL) {
    lua_pushnil(L);
    return 1;
  }
  if (!find) return latch_push_captures(&matcher, s, end);
  lua_pushinteger(L, s - subject + 1);
  lua_pushinteger(L, end - subject);
  return latch_push_captures(&matcher, NULL, NULL) + 2;
}

int latch_string_find(lua_State *L) { return find_or_match(L, true); }
int latch_string_match(lua_State *L) { return find_or_match(L, false); }

// MARK: gmatch

/// The iterator's upvalues. Both positions are offsets; the end of the last match is -1 at first: a
/// match may not end where the one before it ended.
enum { SUBJECT = 1, PATTERN, NEXT_PLACE, LAST_END };

static int next_match(lua_State *L) {
  size_t length, pattern_length;
  const char *subject = lua_tolstring(L, lua_upvalueindex(SUBJECT), &length);
  const char *pattern = lua_tolstring(L, lua_upvalueindex(PATTERN), &pattern_length);
  lua_Integer place = lua_tointeger(L, lua_upvalueindex(NEXT_PLACE));
  lua_Integer last_end = lua_tointeger(L, lua_upvalueindex(LAST_END));
  latch_matcher matcher;
  latch_matcher_open(&matcher, L, subject, length, pattern + pattern_length);
  for (; place <= (lua_Integer)length; place++) {
    const char *end = latch_match(&matcher, subject + place, pattern);
    if (end == NULL || end - subject == last_end) continue;
    latch_matcher_finish(&matcher);
    lua_pushinteger(L, end - subject);
    lua_copy(L, -1, lua_upvalueindex(NEXT_PLACE));
    lua_replace(L, lua_upvalueindex(LAST_END));
    return latch_push_captures(&matcher, subject + place, end);
  }
  latch_matcher_finish(&matcher);
  lua_pushinteger(L, (lua_Integer)length + 1);
  lua_replace(L, lua_upvalueindex(NEXT_PLACE));
  return 0;
}

int latch_string_gmatch(lua_State *L) {
  size_t length, pattern_length;
  luaL_checklstring(L, 1, &length);
  luaL_checklstring(L, 2, &pattern_length);
  size_t start = latch_range_start(latch_opt_integer(L, 3, 1), length) - 1;
  latch_charge(L, pattern_length);
  lua_settop(L, 2);
  lua_pushinteger(L, (lua_Integer)(start > length ? length + 1 : start));
  lua_pushinteger(L, -1);
  lua_pushcclosure(L, next_match, 4);
  return 1;
}

// MARK: gsub

/// Adds the replacement text, with the captures for its `%0` to `%9` and with `%` for `%%`.
static void add_template(latch_matcher *m, latch_text *text, const char *start, const char *end) {
  size_t length;
  const char *p = lua_tolstring(m->L, 3, &length), *p_end = p + length;
  while (p < p_end) {
    const char *escape = memchr(p, '%', (size_t)(p_end - p));
    if (escape == NULL) escape = p_end;
    latch_text_add(text, p, (size_t)(escape - p));
    if (escape == p_end) return;
    char c = escape + 1 < p_end ? escape[1] : 0;
    if (c == '%') {
      latch_text_byte(text, '%');
    } else if (c == '0') {
      latch_text_add(text, start, (size_t)(end - start));
    } else if (c >= '1' && c <= '9') {
      latch_push_capture(m, c - '1', start, end);
      latch_text_value(text);
    } else {
      luaL_error(m->L, "invalid use of '%%' in replacement string");
    }
    p = escape + 2;
  }
}

/// Adds the replacement of one match. False: the match stays unchanged.
static bool add_replacement(
  latch_matcher *m, latch_text *text, const char *start, const char *end) {
  lua_State *L = m->L;
  latch_matcher_finish(m);
  switch (lua_type(L, 3)) {
    case LUA_TFUNCTION:
      lua_pushvalue(L, 3);
      lua_call(L, latch_push_captures(m, start, end), 1);
      break;
    case LUA_TTABLE:
      latch_push_capture(m, 0, start, end);
      latch_charge_links(L, 3, LATCH_ELEMENT_READ);
      lua_gettable(L, 3);
      break;
    default: add_template(m, text, start, end); return true;
  }
  if (!lua_toboolean(L, -1)) {
    lua_pop(L, 1);
    latch_text_add(text, start, (size_t)(end - start));
    return false;
  }
  if (!lua_isstring(L, -1)) {
    luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
  }
  latch_text_value(text);
  return true;
}

typedef struct {
  latch_matcher matcher;
  latch_text text;
} latch_gsub;

/// The subject, the pattern and the replacement are at 1 to 3.
static int replace(lua_State *L, latch_gsub *gsub, lua_Integer most) {
  size_t length, pattern_length;
  const char *subject = lua_tolstring(L, 1, &length);
  const char *pattern = lua_tolstring(L, 2, &pattern_length);
  lua_Integer count = 0;
  latch_charge(L, pattern_length);
  latch_matcher_open(&gsub->matcher, L, subject, length, pattern + pattern_length);
  latch_text_open(&gsub->text, L);
  bool anchored = *pattern == '^' && pattern_length > 0, changed = false;
  if (anchored) pattern++;
  const char *s = subject, *last_end = NULL;
  while (count < most) {
    const char *end = latch_match(&gsub->matcher, s, pattern);
    if (end != NULL && end != last_end) {
      count++;
      if (add_replacement(&gsub->matcher, &gsub->text, s, end)) changed = true;
      s = last_end = end;
    } else if (s < gsub->matcher.subject_end) {
      latch_text_byte(&gsub->text, *s++);
    } else {
      break;
    }
    if (anchored) break;
  }
  latch_matcher_finish(&gsub->matcher);
  if (changed) {
    latch_text_add(&gsub->text, s, (size_t)(gsub->matcher.subject_end - s));
    latch_text_push(&gsub->text);
  } else {
    lua_pushvalue(L, 1);
  }
  lua_pushinteger(L, count);
  return 2;
}

__attribute__((noinline)) static int replace_by_text(lua_State *L, lua_Integer most) {
  latch_gsub gsub;
  return replace(L, &gsub, most);
}

int latch_string_gsub(lua_State *L) {
  size_t length;
  luaL_checklstring(L, 1, &length);
  luaL_checkstring(L, 2);
  int type = lua_type(L, 3);
  luaL_argexpected(L,
    type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE, 3,
    "string/function/table");
  lua_Integer most = latch_opt_integer(L, 4, (lua_Integer)length + 1);
  lua_settop(L, 3);
  if (type == LUA_TNUMBER) lua_tolstring(L, 3, NULL);
  if (type == LUA_TNUMBER || type == LUA_TSTRING) return replace_by_text(L, most);
  // The function may call gsub again, so the buffers are not on the C stack.
  return replace(L, lua_newuserdatauv(L, sizeof(latch_gsub), 0), most);
}
