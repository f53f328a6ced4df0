/// A plain search with arrays, which learns nothing, and models made at random for it and the real
/// one.

#include <stdlib.h>
#include <string.h>

#include "model.h"

typedef struct {
  plain *p;
  const model *m;
  run *r;
  uint32_t *table, table_size;
} work;

static uint32_t hash_of(const uint32_t *values, uint32_t count) {
  uint64_t hash = 1;
  for (uint32_t i = 0; i < count; i++) hash = (hash ^ values[i]) * 0x9e3779b97f4a7c15u ^ hash >> 29;
  return (uint32_t)(hash >> 32);
}

static uint32_t find(work *w, const uint32_t *values, uint32_t *at) {
  uint32_t slots = w->m->slots;
  for (*at = hash_of(values, slots) & (w->table_size - 1);; *at = (*at + 1) & (w->table_size - 1)) {
    if (w->table[*at] == 0) return EXPLORE_NONE;
    uint32_t state = w->table[*at] - 1;
    if (memcmp(w->p->states + (size_t)state * slots, values, slots * sizeof *values) == 0)
      return state;
  }
}

static explore_leaf_kind ask(
  work *w, uint32_t trie, const uint32_t *before, const uint32_t *after, uint32_t by) {
  start_run(w->r, w->m, before, after, NULL, 0);
  w->r->by = by;
  return w->m->leaf(w->m, w->r, trie);
}

/// The first of an answer is that of the least depth, then of the least number, by which a state
/// that is outside has that of the one before.
static void ask_all(work *w, explore_kind kind, const uint32_t *before, const uint32_t *after,
  uint32_t by, uint32_t state, uint32_t depth) {
  plain *p = w->p;
  for (uint32_t trie = 0; trie < w->m->tries; trie++) {
    if (w->m->kind(w->m, trie) != kind) continue;
    switch (ask(w, trie, before, after, by)) {
      case EXPLORE_PASSES: p->yes[trie]++; break;
      case EXPLORE_REFUSED:
        if (p->no[trie]++ == 0 || (depth == p->depth_no[trie] && state < p->first_no[trie])) {
          p->first_no[trie] = state;
          p->depth_no[trie] = depth;
        }
        break;
      default: p->failed[trie]++;
    }
  }
}

static bool is_within(work *w, const uint32_t *values) {
  bool within = true;
  for (uint32_t trie = 0; trie < w->m->tries; trie++) {
    if (w->m->kind(w->m, trie) == EXPLORE_BOUND && ask(w, trie, values, NULL, 0) != EXPLORE_PASSES)
      within = false;
  }
  return within;
}

static void reach(
  work *w, const uint32_t *values, uint32_t parent, uint32_t mover, uint32_t depth) {
  plain *p = w->p;
  uint32_t at, slots = w->m->slots;
  p->generated++;
  if (find(w, values, &at) != EXPLORE_NONE) return;
  if (!is_within(w, values)) {
    p->outside++;
    ask_all(w, EXPLORE_QUESTION, values, NULL, 0, parent, depth);
    return;
  }
  if (p->distinct == p->capacity) return;
  uint32_t state = (uint32_t)p->distinct++;
  memcpy(p->states + (size_t)state * slots, values, slots * sizeof *values);
  p->parents[state] = parent, p->movers[state] = mover, p->depths[state] = depth;
  p->depth = depth;
  w->table[at] = state + 1;
  ask_all(w, EXPLORE_QUESTION, values, NULL, 0, state, depth);
}

static bool next_draws(run *r, uint32_t *draws, uint32_t *count) {
  uint32_t outcomes[8], n = 0;
  for (uint32_t i = 0; i < r->read_count; i++) {
    if (!(r->reads[i].slot & EXPLORE_DRAW)) continue;
    draws[n] = r->reads[i].value;
    outcomes[n++] = r->reads[i].slot & ~EXPLORE_DRAW;
  }
  while (n > 0 && ++draws[n - 1] == outcomes[n - 1]) n--;
  *count = n;
  return n > 0;
}

static bool is_end(work *w, const uint32_t *values) {
  for (uint32_t trie = 0; trie < w->m->tries; trie++) {
    if (w->m->kind(w->m, trie) == EXPLORE_END && ask(w, trie, values, NULL, 0) == EXPLORE_PASSES)
      return true;
  }
  return false;
}

static void go_on(work *w, uint32_t state) {
  plain *p = w->p;
  const model *m = w->m;
  uint32_t values[MOST_SLOTS], after[MOST_SLOTS], draws[8], count;
  bool is_stuck = true;
  memcpy(values, p->states + (size_t)state * m->slots, m->slots * sizeof *values);
  for (uint32_t trie = 0; trie < m->tries; trie++) {
    if (m->kind(m, trie) != EXPLORE_MOVER) continue;
    count = 0;
    do {
      start_run(w->r, m, values, NULL, draws, count);
      explore_leaf_kind kind = m->leaf(m, w->r, trie);
      run made = *w->r;
      if (kind != EXPLORE_REFUSED) is_stuck = false;
      if (kind == EXPLORE_REFUSED) p->refused[trie]++;
      if (kind == EXPLORE_FAILED) p->failed[trie]++;
      if (kind == EXPLORE_PASSES) {
        p->passed[trie]++;
        memcpy(after, made.now, m->slots * sizeof *after);
        ask_all(w, EXPLORE_STEP, values, after, trie, state, p->depths[state] + 1);
        reach(w, after, state, trie, p->depths[state] + 1);
      }
      *w->r = made;
    } while (next_draws(w->r, draws, &count));
  }
  if (is_stuck && !is_end(w, values) && p->deadlocks++ == 0) p->first_deadlock = state;
}

void plain_search(plain *p, const model *m, uint64_t most) {
  memset(p, 0, sizeof *p);
  p->capacity = (uint32_t)most;
  p->states = malloc((size_t)most * m->slots * sizeof *p->states);
  p->parents = malloc(most * sizeof *p->parents);
  p->movers = malloc(most * sizeof *p->movers);
  p->depths = malloc(most * sizeof *p->depths);
  work w = {.p = p, .m = m, .r = malloc(sizeof *w.r), .table_size = 64};
  while (w.table_size < 2 * most) w.table_size *= 2;
  w.table = calloc(w.table_size, sizeof *w.table);
  for (uint32_t i = 0; i < m->begins; i++) reach(&w, m->begin[i], EXPLORE_NONE, i, 1);
  for (uint32_t state = 0; state < p->distinct; state++) go_on(&w, state);
  free(w.r);
  free(w.table);
}

void plain_free(plain *p) {
  free(p->states);
  free(p->parents);
  free(p->movers);
  free(p->depths);
}

// MARK: Random models

static uint32_t mix(uint32_t a, uint32_t b) {
  uint64_t hash = ((uint64_t)a << 32 | b) + 0x9e3779b97f4a7c15u;
  hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9u;
  hash = (hash ^ hash >> 27) * 0x94d049bb133111ebu;
  return (uint32_t)(hash >> 32);
}

static explore_kind random_kind(const model *m, uint32_t trie) {
  if (trie < m->n) return EXPLORE_MOVER;
  static const explore_kind kinds[] = {
    EXPLORE_QUESTION, EXPLORE_STEP, EXPLORE_END, EXPLORE_BOUND, EXPLORE_QUESTION};
  return kinds[trie - m->n];
}

/// Reads slots at random: each next read depends on the values read before.
static uint32_t look_around(const model *m, run *r, uint32_t trie, uint32_t most) {
  uint32_t path = mix(m->seed, trie);
  bool is_step = random_kind(m, trie) == EXPLORE_STEP, is_mover = trie < m->n;
  uint32_t times = path % (most + 1);
  for (uint32_t i = 0; i < times; i++) {
    uint32_t what = mix(path, 7 + i), slot = what % m->slots;
    if (is_mover && what % 23 == 0) {
      path = mix(path, 1 + draw(r, 1 + what % 3));
    } else if (is_step && what % 3 == 0) {
      path = mix(path, 5 + get_after(r, slot));
    } else if (is_step && what % 7 == 0) {
      path = mix(path, 5 + get_by(r));
    } else {
      path = mix(path, 100 + get(r, slot));
    }
  }
  return path;
}

static explore_leaf_kind random_leaf(const model *m, run *r, uint32_t trie) {
  if (trie >= m->n) {
    uint32_t path = look_around(m, r, trie, 4);
    r->reason = path % 3;
    if (path % 97 == 0) return EXPLORE_FAILED;
    return path % 16 < (random_kind(m, trie) == EXPLORE_BOUND ? 1 : 5) ? EXPLORE_REFUSED
                                                                       : EXPLORE_PASSES;
  }
  uint32_t path = look_around(m, r, trie, 5), writes = path % 4;
  r->reason = path % 5;
  if (path % 8 < 4) return EXPLORE_REFUSED;
  if (path % 101 == 0) return EXPLORE_FAILED;
  for (uint32_t i = 0; i < writes; i++) {
    uint32_t what = mix(path, 1000 + i), slot = what % m->slots;
    // Something is added to what is there, or a value is set.
    uint32_t value = what % 5 == 0 ? get(r, slot) + 1 : what >> 8;
    put(r, slot, value % (1 + mix(m->seed, slot + 77) % m->values));
  }
  return EXPLORE_PASSES;
}

void random_model(model *m, uint32_t seed) {
  memset(m, 0, sizeof *m);
  m->name = "random";
  m->seed = seed;
  m->slots = 2 + mix(seed, 1) % 12;
  if (mix(seed, 9) % 4 == 0) m->slots += mix(seed, 2) % 100;
  m->values = 2 + mix(seed, 3) % (mix(seed, 4) % 3 == 0 ? 60 : 4);
  m->n = 2 + mix(seed, 5) % 14;
  m->tries = m->n + mix(seed, 6) % 6;
  m->begins = 1 + mix(seed, 8) % 3;
  for (uint32_t i = 0; i < m->begins; i++) {
    for (uint32_t slot = 0; slot < m->slots; slot++) {
      m->begin[i][slot] = mix(seed, 500 + i * 200 + slot) % (1 + mix(seed, slot + 77) % m->values);
    }
  }
  m->kind = random_kind;
  m->leaf = random_leaf;
}
