/// "did you mean": the declared name that is nearest to a misspelt one.

#include <string.h>

#include "value/value.h"

enum { LATCH_LONGEST_NAME = 64 };

static int smaller(int a, int b) { return a < b ? a : b; }

/// The largest distance of a name that can be suggested.
enum { LATCH_NEAR = 3 };

static int distance(const char *a, size_t n, const char *b, size_t m) {
  if (n > LATCH_LONGEST_NAME || m > LATCH_LONGEST_NAME || n > m + LATCH_NEAR ||
      m > n + LATCH_NEAR) {
    return LATCH_LONGEST_NAME;
  }
  int rows[3][LATCH_LONGEST_NAME + 1];  // Damerau: the last two rows, for swapped neighbours
  for (size_t j = 0; j <= m; j++) rows[0][j] = (int)j;
  for (size_t i = 1; i <= n; i++) {
    int *now = rows[i % 3], *last = rows[(i - 1) % 3], *before = rows[(i + 1) % 3];
    now[0] = (int)i;
    for (size_t j = 1; j <= m; j++) {
      int change = last[j - 1] + (a[i - 1] != b[j - 1]);
      now[j] = smaller(change, smaller(last[j], now[j - 1]) + 1);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        now[j] = smaller(now[j], before[j - 2] + 1);
      }
    }
  }
  return rows[n % 3][m];
}

int latch_edit_distance(const char *a, const char *b) {
  return distance(a, strlen(a), b, strlen(b));
}

/// The largest distance at which a name of one length is suggested for one of the other: a third of
/// the longer one.
static int tolerance(size_t n, size_t m) { return smaller((int)((n > m ? n : m) / 3), LATCH_NEAR); }

/// True if the letters of the shorter name occur in order in the longer one, from the first on:
/// `qty` in `quantity`.
static bool abbreviates(const char *a, size_t n, const char *b, size_t m) {
  const char *shorter = n < m ? a : b, *longer = n < m ? b : a;
  size_t length = n < m ? n : m, end = n < m ? m : n, found = 0;
  if (length < 3 || length == end || end > LATCH_LONGEST_NAME || a[0] != b[0]) return false;
  if (strchr(a, '.') != NULL || strchr(b, '.') != NULL) return false;  // a path tells more
  for (size_t i = 0; i < end && found < length; i++) found += longer[i] == shorter[found];
  return found == length;
}

/// Returns how near two names are, by their edit distance `found`; less is nearer.
static int nearness(const char *a, size_t n, const char *b, size_t m, int found) {
  if (found <= tolerance(n, m) && found < (int)n) return found;
  return abbreviates(a, n, b, m) ? LATCH_NEAR + 1 : LATCH_LONGEST_NAME;
}

int latch_nearness(const char *name, const char *candidate) {
  size_t n = strlen(name), m = strlen(candidate);
  int found = nearness(name, n, candidate, m, distance(name, n, candidate, m));
  return found < LATCH_LONGEST_NAME ? found : -1;
}

void latch_push_suggestion(lua_State *L, int names, const char *name) {
  names = lua_absindex(L, names);
  size_t length = strlen(name), candidate_length, units = length;
  const char *best = NULL;
  int best_distance = LATCH_LONGEST_NAME;
  lua_pushnil(L);
  while (lua_next(L, names)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) != LUA_TSTRING) continue;
    const char *candidate = lua_tolstring(L, -1, &candidate_length);
    int found = distance(name, length, candidate, candidate_length);
    units += found < LATCH_LONGEST_NAME ? length * candidate_length : LATCH_UNITS_PER_INSTRUCTION;
    found = nearness(name, length, candidate, candidate_length, found);
    bool earlier = found == best_distance && best != NULL && strcmp(candidate, best) < 0;
    if (found < best_distance || earlier) {
      best = candidate;
      best_distance = found;
    }
  }
  latch_charge(L, units);
  if (best == NULL) lua_pushliteral(L, "");
  else lua_pushfstring(L, "; did you mean %s?", best);
}

void latch_refuse_undeclared(lua_State *L, int fields, int path, int key) {
  latch_push_where(L);
  if (lua_type(L, key) == LUA_TSTRING) {
    const char *name = lua_tostring(L, key);
    lua_pushfstring(L, "%s has no field %s", lua_tostring(L, path), name);
    latch_push_suggestion(L, fields, name);
  } else {
    lua_pushfstring(L, "%s is a record and has no field", lua_tostring(L, path));
    lua_pushfstring(
      L, lua_isinteger(L, key) ? " [%I]" : " of that kind", (LUAI_UACINT)lua_tointeger(L, key));
  }
  lua_concat(L, 3);
  lua_error(L);
}
