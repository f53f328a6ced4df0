/// Finds a lasso: a stem from an initial state, and a loop that an infinite run can repeat.
///
/// Stem and loop together have the fewest steps. If the search for it takes too much work, the stem
/// is a shortest one, and the loop visits the fairness groups one after the other.

#include <stdlib.h>
#include <string.h>

#include "liveness.h"

/// A breadth-first search within a part of the state space.
typedef struct {
  explore_liveness *live;
  uint32_t *parents;  // plus one; 0: not reached; SOURCE: a state at which it began
  uint32_t *queue;
  uint32_t first, last;
} wave;

#define SOURCE UINT32_MAX

static bool open_wave(explore_liveness *live, wave *w) {
  *w = (wave){.live = live};
  w->parents = explore_liveness_allocate(live, live->states, sizeof *w->parents);
  w->queue = explore_liveness_allocate(live, live->states, sizeof *w->queue);
  return w->parents != NULL && w->queue != NULL;
}

static void close_wave(wave *w) {
  explore_liveness_free(w->live, w->parents, w->live->states, sizeof *w->parents);
  explore_liveness_free(w->live, w->queue, w->live->states, sizeof *w->queue);
}

static void begin_wave(wave *w) {
  memset(w->parents, 0, w->live->states * sizeof *w->parents);
  w->first = w->last = 0;
}

static void reach(wave *w, uint32_t state, uint32_t parent) {
  if (w->parents[state] != 0) return;
  w->parents[state] = parent;
  w->queue[w->last++] = state;
}

// MARK: Steps

/// Appends empty steps to a lasso. Returns the first of them; NULL without memory.
static explore_edge *add_steps(explore_lasso *lasso, uint32_t *count, uint32_t more) {
  explore_edge *steps = realloc(lasso->steps, ((size_t)*count + more + 1) * sizeof *steps);
  if (steps == NULL) return NULL;
  lasso->steps = steps;
  *count += more;
  return steps + *count - more;
}

static explore_edge edge_of(const explore_liveness *live, const explore_transition *transition) {
  explore_edge edge = {.mover = live->search->by_kind[EXPLORE_MOVER][transition->mover],
    .state = transition->target,
    .leaf = transition->leaf,
    .draw_count = transition->draws.count};
  memcpy(edge.draws, transition->draws.values, sizeof edge.draws);
  return edge;
}

/// Finds the first transition from a state to another; if `groups` is not 0, only by the movers of
/// these groups.
static bool find_edge(
  explore_liveness *live, uint32_t from, uint32_t to, uint64_t groups, explore_edge *edge) {
  explore_transition transition;
  explore_transitions_of(live, from, 0, &transition);
  while (explore_next_transition(&transition)) {
    if (transition.target != to || (groups != 0 && !(live->groups[transition.mover] & groups)))
      continue;
    *edge = edge_of(live, &transition);
    return true;
  }
  return false;
}

/// Appends the steps of the path to a state that a breadth-first search has found. `*begin`
/// receives the first state of the path.
static explore_status follow(
  wave *w, explore_lasso *lasso, uint32_t *count, uint32_t state, uint32_t *begin) {
  uint32_t length = 0, at = state;
  for (; w->parents[at] != SOURCE; at = w->parents[at] - 1) length++;
  *begin = at;
  explore_edge *steps = add_steps(lasso, count, length);
  if (steps == NULL) return EXPLORE_NO_MEMORY;
  for (at = state; length-- > 0; at = w->parents[at] - 1) {
    if (!find_edge(w->live, w->parents[at] - 1, at, 0, &steps[length])) return EXPLORE_INCONSISTENT;
  }
  return EXPLORE_OK;
}

/// Appends the steps from an initial state to a state, by the parents in the store.
static explore_status lead_in(
  explore_liveness *live, explore_lasso *lasso, uint32_t *count, uint32_t state) {
  const explore *search = live->search;
  uint32_t length = 0, at = state;
  for (; *explore_parent_of(search, at) != EXPLORE_NONE; at = *explore_parent_of(search, at))
    length++;
  lasso->begin = at;
  explore_edge *steps = add_steps(lasso, count, length);
  if (steps == NULL) return EXPLORE_NO_MEMORY;
  for (at = state; length-- > 0; at = *explore_parent_of(search, at)) {
    if (!find_edge(live, *explore_parent_of(search, at), at, 0, &steps[length]))
      return EXPLORE_INCONSISTENT;
  }
  return EXPLORE_OK;
}

// MARK: The stem

static void spread(wave *w, uint32_t state) {
  explore_transition transition;
  explore_transitions_of(w->live, state, 0, &transition);
  while (explore_next_transition(&transition)) {
    if (transition.target < w->live->states && w->live->flags[transition.target] & LIVE_ALIVE)
      reach(w, transition.target, state + 1);
  }
}

enum { MOST_PAIRS = 1 << 18 };

/// Returns the state at which the shortest lasso stays or loops, or EXPLORE_NONE. States in which
/// the trigger holds are added level by level: the level is their distance from an initial state.
static uint32_t find_broken(wave *w, explore_loops *loops) {
  const explore_liveness *live = w->live;
  const explore *search = live->search;
  uint32_t next = 0, nearest = EXPLORE_NONE, shortest = UINT32_MAX;
  begin_wave(w);
  for (uint32_t level = 0; level < search->level_count || w->first < w->last; level++) {
    uint32_t end = level + 1 < search->level_count ? search->levels[level + 1] : live->states;
    for (; next < end && next < live->states; next++) {
      uint8_t both = LIVE_ALIVE | LIVE_WHEN;
      if ((live->flags[next] & both) == both) reach(w, next, SOURCE);
    }
    for (uint32_t last = w->last; w->first < last; w->first++) {
      uint32_t state = w->queue[w->first];
      if (live->flags[state] & LIVE_STAYS) return state;
      if (live->flags[state] & LIVE_BROKEN) {
        if (nearest == EXPLORE_NONE) nearest = state;
        uint32_t before = loops->length, home = loops->home, most = shortest - level - 1;
        if (!explore_find_loop(loops, state, most)) {
          explore_fail(live->search, EXPLORE_NO_MEMORY);
          return EXPLORE_NONE;
        }
        if (loops->length != before || loops->home != home) shortest = level + loops->length;
      }
      spread(w, state);
      if (atomic_load(&live->search->status) != EXPLORE_OK) return EXPLORE_NONE;
    }
    // A loop has at least two steps. A run that stays has a loop of none.
    if (nearest != EXPLORE_NONE && (level + 1 >= shortest || loops->left == 0)) break;
  }
  return loops->length > 0 ? loops->home : nearest;
}

// MARK: The loop

typedef struct {
  uint32_t from, to;  // the last step; without a step, `from` is a state that satisfies the group
  bool is_found, is_step;
} goal;

/// Finds the nearest state or step in the strongly connected component that satisfies a group;
/// without a group, the nearest step to `home`.
static goal find_goal(wave *w, uint32_t from, uint64_t group, uint32_t home) {
  explore_liveness *live = w->live;
  uint32_t component = live->components[from];
  goal found = {0};
  begin_wave(w);
  reach(w, from, SOURCE);
  for (; w->first < w->last; w->first++) {
    uint32_t state = w->queue[w->first];
    if (group != 0 && explore_resting_groups(live, state) & group)
      return (goal){.from = state, .is_found = true};
    explore_transition transition;
    explore_transitions_of(live, state, 0, &transition);
    while (explore_next_transition(&transition)) {
      if (transition.target >= live->states || !(live->flags[transition.target] & LIVE_ALIVE) ||
          live->components[transition.target] != component)
        continue;
      if (group != 0 ? (live->groups[transition.mover] & group) != 0 : transition.target == home)
        return (goal){.from = state, .to = transition.target, .is_found = true, .is_step = true};
      reach(w, transition.target, state + 1);
    }
  }
  return found;
}

static uint64_t taken_by(const explore_liveness *live, const explore_edge *steps, uint32_t count) {
  uint64_t groups = 0;
  for (uint32_t i = 0; i < count; i++) {
    groups |= live->groups[live->search->tries[steps[i].mover].ordinal];
  }
  return groups;
}

/// Appends the steps from a state to the nearest goal of a group; without a group, to `home`.
static explore_status go(
  wave *w, explore_lasso *lasso, uint32_t *count, uint32_t *at, uint64_t group, uint32_t home) {
  goal found = find_goal(w, *at, group, home);
  if (!found.is_found) return EXPLORE_INCONSISTENT;
  uint32_t begin;
  explore_status status = follow(w, lasso, count, found.from, &begin);
  *at = found.from;
  if (status != EXPLORE_OK || !found.is_step) return status;
  explore_edge *step = add_steps(lasso, count, 1);
  if (step == NULL) return EXPLORE_NO_MEMORY;
  *at = found.to;
  return find_edge(w->live, found.from, found.to, group, step) ? EXPLORE_OK : EXPLORE_INCONSISTENT;
}

static explore_status go_round(wave *w, explore_lasso *lasso, uint32_t home) {
  explore_liveness *live = w->live;
  uint32_t count = lasso->stem, at = home;
  for (uint32_t group = 0; group < live->promise->group_count; group++) {
    uint64_t bit = (uint64_t)1 << group;
    if (taken_by(live, lasso->steps + lasso->stem, count - lasso->stem) & bit) continue;
    explore_status status = go(w, lasso, &count, &at, bit, home);
    if (status != EXPLORE_OK) return status;
  }
  if (at != home || count == lasso->stem) {
    explore_status status = go(w, lasso, &count, &at, 0, home);
    if (status != EXPLORE_OK) return status;
  }
  lasso->loop = count - lasso->stem;
  return EXPLORE_OK;
}

/// Appends the shortest loop.
static explore_status add_loop(
  explore_liveness *live, explore_lasso *lasso, const explore_loops *loops) {
  uint32_t count = lasso->stem;
  explore_edge *steps = add_steps(lasso, &count, loops->length);
  if (steps == NULL) return EXPLORE_NO_MEMORY;
  for (uint32_t i = 0; i < loops->length; i++) {
    explore_transition transition;
    explore_transitions_of(live, loops->steps[i].state, loops->steps[i].position, &transition);
    if (!explore_next_transition(&transition)) return EXPLORE_INCONSISTENT;
    steps[i] = edge_of(live, &transition);
  }
  lasso->loop = loops->length;
  return EXPLORE_OK;
}

static explore_status find(wave *w, explore_loops *loops, explore_lasso *lasso) {
  explore_liveness *live = w->live;
  uint32_t broken = find_broken(w, loops), begin, count = 0;
  int first = atomic_load(&live->search->status);
  if (first != EXPLORE_OK || broken == EXPLORE_NONE) return (explore_status)first;
  lasso->is_kept = false;
  for (begin = broken; w->parents[begin] != SOURCE;) begin = w->parents[begin] - 1;
  explore_status status = lead_in(live, lasso, &count, begin);
  if (status == EXPLORE_OK) status = follow(w, lasso, &count, broken, &begin);
  if (status != EXPLORE_OK) return status;
  lasso->stem = count;
  if (live->flags[broken] & LIVE_STAYS) return EXPLORE_OK;
  if (loops->length > 0) return add_loop(live, lasso, loops);
  return go_round(w, lasso, broken);
}

explore_status explore_find_lasso(explore_liveness *live, explore_lasso *lasso) {
  wave w;
  explore_loops loops = {.live = live, .left = MOST_PAIRS, .home = EXPLORE_NONE};
  explore_status status = EXPLORE_NO_MEMORY;
  if (open_wave(live, &w)) status = find(&w, &loops, lasso);
  close_wave(&w);
  explore_close_loops(&loops);
  return status;
}
