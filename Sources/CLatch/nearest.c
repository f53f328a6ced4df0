/// "did you mean": the declared name that is nearest to a mistyped one.

#include <string.h>

#include "vm.h"

enum { LATCH_LONGEST_NAME = 64 };

static int smaller(int a, int b) { return a < b ? a : b; }

int latch_edit_distance(const char *a, const char *b) {
  size_t n = strlen(a), m = strlen(b);
  if (n > LATCH_LONGEST_NAME || m > LATCH_LONGEST_NAME) return LATCH_LONGEST_NAME;
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

/// How far a name may be from another to be meant by it.
static int tolerance(const char *name) {
  size_t length = strlen(name);
  return length < 3 ? 1 : length < 6 ? 2 : 3;
}

void latch_push_suggestion(lua_State *L, int names, const char *name) {
  names = lua_absindex(L, names);
  const char *best = NULL;
  int best_distance = tolerance(name) + 1;
  lua_pushnil(L);
  while (lua_next(L, names)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) != LUA_TSTRING) continue;
    const char *candidate = lua_tostring(L, -1);
    int distance = latch_edit_distance(name, candidate);
    bool earlier = distance == best_distance && best != NULL && strcmp(candidate, best) < 0;
    if (distance < best_distance || earlier) {
      best = candidate;
      best_distance = distance;
    }
  }
  if (best == NULL || best_distance >= (int)strlen(name)) lua_pushliteral(L, "");
  else lua_pushfstring(L, "; did you mean %s?", best);
}
