/// Lassos: promises about random models are kept or broken as a naive look at all pairs of states
/// says, and what breaks them does, by the shortest stem and loop together.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore_liveness.h"
#include "model.h"

enum { MOST = 300, MOST_EDGES = 256, GROUPS = 2 };
static char label[128];

typedef struct {
  uint32_t count;
  explore_edge edges[MOST][MOST_EDGES];
  uint32_t edge_count[MOST], depth[MOST];
  uint64_t enabled[MOST];
  bool open[MOST], given[MOST], leaves[MOST];
  uint32_t far[MOST][MOST];  // steps within open states; EXPLORE_NONE: none
  uint64_t groups[MOST_TRIES];
} graph;
static graph g;

static bool says_yes(const owner *o, uint32_t trie, uint32_t state) {
  static run r;
  uint32_t values[MOST_SLOTS];
  values_of(o, state, values);
  start_run(&r, o->m, values, NULL, NULL, 0);
  return o->m->leaf(o->m, &r, trie) == EXPLORE_PASSES;
}

/// True if the question does not say yes of a state outside, to which an edge leads.
static bool is_open_beyond(
  const owner *o, uint32_t wanted, uint32_t state, const explore_edge *edge) {
  static run r, beyond;
  uint32_t values[MOST_SLOTS];
  values_of(o, state, values);
  start_run(&r, o->m, values, NULL, edge->draws, edge->draw_count);
  o->m->leaf(o->m, &r, edge->mover);
  start_run(&beyond, o->m, r.now, NULL, NULL, 0);
  return o->m->leaf(o->m, &beyond, wanted) != EXPLORE_PASSES;
}

static void measure(uint32_t from) {
  uint32_t queue[MOST], first = 0, last = 0;
  memset(g.far[from], 0xff, sizeof g.far[from]);
  if (!g.open[from]) return;
  g.far[from][from] = 0;
  queue[last++] = from;
  for (; first < last; first++) {
    for (uint32_t i = 0; i < g.edge_count[queue[first]]; i++) {
      uint32_t to = g.edges[queue[first]][i].state;
      if (to == EXPLORE_NONE || !g.open[to] || g.far[from][to] != EXPLORE_NONE) continue;
      g.far[from][to] = g.far[from][queue[first]] + 1;
      queue[last++] = to;
    }
  }
}

static void make_graph(const owner *o, const explore_promise *promise) {
  g.count = explore_states(o->search);
  for (uint32_t state = 0; state < g.count; state++) {
    g.open[state] = !says_yes(o, promise->wanted, state);
    uint32_t parent = explore_parent(o->search, state, NULL);
    g.depth[state] = parent == EXPLORE_NONE ? 0 : g.depth[parent] + 1;
    g.given[state] =
      promise->when == EXPLORE_NONE ? parent == EXPLORE_NONE : says_yes(o, promise->when, state);
    g.enabled[state] = 0;
    g.leaves[state] = false;
    uint64_t still = 0;
    uint32_t all = explore_edges(o->search, state, g.edges[state], MOST_EDGES), kept = 0;
    for (uint32_t i = 0; i < all && i < MOST_EDGES; i++) {
      if (g.edges[state][i].state == state) {
        still |= g.groups[g.edges[state][i].mover];
        continue;
      }
      if (g.edges[state][i].state == EXPLORE_NONE)
        g.leaves[state] |= is_open_beyond(o, promise->wanted, state, &g.edges[state][i]);
      g.edges[state][kept++] = g.edges[state][i];
      g.enabled[state] |= g.groups[g.edges[state][i].mover];
    }
    g.edge_count[state] = kept;
    g.enabled[state] &= ~still;
  }
  for (uint32_t state = 0; state < g.count; state++) measure(state);
}

/// The length of the shortest fair loop from a state, 0 where a run may stay there, or
/// EXPLORE_NONE: a search through pairs of a state and the groups that are satisfied by then.
static uint32_t shortest_loop(uint32_t home, const explore_promise *promise) {
  enum { MASKS = 1 << GROUPS };
  static uint32_t far[MOST][MASKS], queue[MOST * MASKS];
  uint32_t all = MASKS >> (GROUPS - promise->group_count), first = 0, last = 0;
  if (promise->stays ? g.enabled[home] == 0 : g.edge_count[home] == 0) return 0;
  all -= 1;
  memset(far, 0xff, sizeof far);
  uint32_t rest = all & (uint32_t)~g.enabled[home];
  far[home][rest] = 0;
  queue[last++] = home * MASKS + rest;
  for (; first < last; first++) {
    uint32_t state = queue[first] / MASKS, mask = queue[first] % MASKS;
    for (uint32_t i = 0; i < g.edge_count[state]; i++) {
      uint32_t to = g.edges[state][i].state;
      if (to == EXPLORE_NONE || !g.open[to]) continue;
      uint32_t satisfied = mask | (uint32_t)g.groups[g.edges[state][i].mover];
      if (to == home && satisfied == all) return far[state][mask] + 1;
      satisfied |= all & (uint32_t)~g.enabled[to];
      if (far[to][satisfied] != EXPLORE_NONE) continue;
      far[to][satisfied] = far[state][mask] + 1;
      queue[last++] = to * MASKS + satisfied;
    }
  }
  return EXPLORE_NONE;
}

/// The length of the shortest stem and loop together, or EXPLORE_NONE.
static uint32_t shortest(const explore_promise *promise) {
  uint32_t best = EXPLORE_NONE;
  for (uint32_t state = 0; state < g.count; state++) {
    uint32_t loop = g.open[state] ? shortest_loop(state, promise) : EXPLORE_NONE;
    if (loop == EXPLORE_NONE) continue;
    for (uint32_t from = 0; from < g.count; from++) {
      if (!g.given[from] || g.far[from][state] == EXPLORE_NONE) continue;
      uint32_t length = g.depth[from] + g.far[from][state] + loop;
      if (length < best) best = length;
    }
  }
  return best;
}

/// True if a beginning is out of the bounds.
static bool begins_outside(const owner *o) {
  static run r;
  const model *m = o->m;
  for (uint32_t begin = 0; begin < m->begins; begin++) {
    for (uint32_t trie = 0; trie < m->tries; trie++) {
      if (m->kind(m, trie) != EXPLORE_BOUND) continue;
      start_run(&r, m, m->begin[begin], NULL, NULL, 0);
      if (m->leaf(m, &r, trie) != EXPLORE_PASSES) return true;
    }
  }
  return false;
}

/// True if a run leaves in which the promise is given and not kept.
static bool leaves(const owner *o, const explore_promise *promise) {
  if (promise->when == EXPLORE_NONE && begins_outside(o)) return true;
  for (uint32_t from = 0; from < g.count; from++) {
    for (uint32_t state = 0; state < g.count; state++) {
      if (g.leaves[state] && g.given[from] && g.far[from][state] != EXPLORE_NONE) return true;
    }
  }
  return false;
}

static bool has_edge(uint32_t from, const explore_edge *edge) {
  for (uint32_t i = 0; i < g.edge_count[from]; i++) {
    explore_edge *other = &g.edges[from][i];
    if (other->state == edge->state && other->mover == edge->mover &&
        other->draw_count == edge->draw_count &&
        memcmp(other->draws, edge->draws, edge->draw_count * sizeof(uint32_t)) == 0)
      return true;
  }
  return false;
}

static void check_lasso(
  const owner *o, const explore_promise *promise, const explore_lasso *lasso) {
  uint32_t at = lasso->begin, home = EXPLORE_NONE, given = EXPLORE_NONE;
  uint64_t satisfied = 0, all = ((uint64_t)1 << promise->group_count) - 1;
  bool is_way = explore_parent(o->search, at, NULL) == EXPLORE_NONE, is_open = true;
  for (uint32_t i = 0;; i++) {
    // Once the promise is given, what is wanted is not so.
    if (given == EXPLORE_NONE && g.given[at] && g.open[at]) given = i;
    if (i >= lasso->stem) is_open &= g.open[at];
    if (i == lasso->stem) home = at;
    if (i >= lasso->stem) satisfied |= all & ~g.enabled[at];
    if (i == lasso->stem + lasso->loop) break;
    is_way &= has_edge(at, &lasso->steps[i]);
    if (i >= lasso->stem) satisfied |= g.groups[lasso->steps[i].mover];
    at = lasso->steps[i].state;
  }
  check(is_way, "a way from a beginning", label);
  check(is_open, "the loop is open", label);
  check(given != EXPLORE_NONE, "the promise is given", label);
  check(at == home, "the loop closes", label);
  if (lasso->loop > 0) {
    check(satisfied == all, "the loop is fair", label);
  } else {
    check(promise->stays ? g.enabled[at] == 0 : g.edge_count[at] == 0, "it can stay", label);
  }
}

static void compare(const owner *o, const explore_promise *promise, uint32_t *broken) {
  explore_lasso lasso;
  make_graph(o, promise);
  uint32_t expected = shortest(promise);
  check_number(explore_live(o->search, promise, &lasso), EXPLORE_OK, "status", label);
  check_number(lasso.is_kept, expected == EXPLORE_NONE, "kept", label);
  check_number(lasso.leaves, leaves(o, promise), "leaves", label);
  if (!lasso.is_kept && expected != EXPLORE_NONE) {
    ++*broken;
    check_number(lasso.stem + lasso.loop, expected, "length of stem and loop", label);
    check_lasso(o, promise, &lasso);
  }
  explore_lasso_free(&lasso);
}

static void try_model(uint32_t seed, uint32_t *tried, uint32_t *broken) {
  static model m;
  random_model(&m, seed);
  if (m.tries <= m.n) return;
  for (uint32_t variant = 0; variant < 4; variant++) {
    owner o = {0};
    own_and_run(
      &o, &m, (explore_options){.threads = 1, .max_states = MOST, .keeps_going = true}, true);
    uint32_t count = explore_states(o.search);
    if (count > 3 && count < MOST) {
      uint32_t sizes[GROUPS] = {1, 1 + seed % 2}, movers[] = {seed % m.n, 1, 0};
      uint32_t groups = seed / 3 % (GROUPS + 1);
      explore_promise promise = {.when = variant & 1 && m.tries > m.n + 4 ? m.n + 4 : EXPLORE_NONE,
        .wanted = m.n,
        .movers = movers,
        .group_sizes = sizes,
        .group_count = groups,
        .stays = variant & 2};
      memset(g.groups, 0, sizeof g.groups);
      if (groups > 0) g.groups[movers[0]] |= 1;
      for (uint32_t i = 0; groups > 1 && i < sizes[1]; i++) g.groups[movers[1 + i]] |= 2;
      snprintf(label, sizeof label, "promise about model %u, variant %u", seed, variant);
      compare(&o, &promise, broken);
      ++*tried;
    }
    disown(&o);
  }
}

int main(int count, char **arguments) {
  uint32_t models = count > 1 ? (uint32_t)atoi(arguments[1]) : 300, tried = 0, broken = 0;
  uint32_t seed = count > 2 ? (uint32_t)atoi(arguments[2]) : 1;
  for (uint32_t i = 0; i < models; i++) try_model(seed + i, &tried, &broken);
  printf("promises (%u, %u of them broken): %d passed, %d failed\n", tried, broken, passed, failed);
  return failed != 0;
}
