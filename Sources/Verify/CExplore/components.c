/// Strongly connected components of the states that loops may go through, and which of them a fair
/// run can stay in (Pearce, An improved algorithm for finding the strongly connected components of
/// a directed graph, 2005).
///
/// The way down and the states that wait for their component are never both: one array has the
/// first from its beginning and the others from its end. A component is numbered from the top, and
/// a state that is on its way by when it was come to, so that what is done is greater.

#include <string.h>

#include "live.h"
#include "tries.h"

typedef struct {
  explore_look *look;
  uint32_t *index;      // when a state was come to, or its component; 0: not yet
  uint32_t *states;     // the way down, and those that wait
  uint32_t *positions;  // of the way down: what has been tried
  uint32_t depth, waiting, next, component;
} descent;

static void come_to(descent *d, uint32_t state) {
  d->states[d->depth] = state;
  d->positions[d->depth++] = 0;
  d->index[state] = d->next++;
  d->look->flags[state] |= LIVE_ROOT;
}

static void note_lower(descent *d, uint32_t state, uint32_t other) {
  if (d->index[other] >= d->index[state]) return;
  d->index[state] = d->index[other];
  d->look->flags[state] &= (uint8_t)~LIVE_ROOT;
}

static bool may_loop(const explore_look *look, uint32_t state) {
  return state < look->states && look->flags[state] & LIVE_LOOPS;
}

// MARK: Fairness

/// Adds the groups that a state of a component satisfies: those that rest there, and those that
/// take a step within the component.
static explore_status satisfy(explore_look *look, uint32_t state, uint64_t *satisfied) {
  explore_way way;
  explore_ways_of(look, state, 0, &way);
  uint64_t enabled = 0;
  while (explore_next_way(&way)) {
    enabled |= look->groups[way.mover];
    if (may_loop(look, way.target) && look->components[way.target] == look->components[state])
      *satisfied |= look->groups[way.mover];
  }
  *satisfied |= look->all_groups & ~(enabled & ~way.still);
  return (explore_status)atomic_load(&look->search->status);
}

/// `members` are all states of a component of several.
static explore_status judge(descent *d, const uint32_t *members, uint32_t count) {
  explore_look *look = d->look;
  uint64_t satisfied = 0;
  for (uint32_t i = 0; i < count && satisfied != look->all_groups; i++) {
    explore_status status = satisfy(look, members[i], &satisfied);
    if (status != EXPLORE_OK) return status;
  }
  if (satisfied != look->all_groups) return EXPLORE_OK;
  for (uint32_t i = 0; i < count; i++) look->flags[members[i]] |= LIVE_BROKEN;
  return EXPLORE_OK;
}

// MARK: Descending

/// The state at the end of the way is done: either it waits, or it and some that wait are a
/// component.
static explore_status finish(descent *d) {
  uint32_t state = d->states[--d->depth], all = d->look->states;
  if (!(d->look->flags[state] & LIVE_ROOT)) {
    d->states[--d->waiting] = state;
    return EXPLORE_OK;
  }
  uint32_t first = d->waiting, count = 1;
  uint32_t number = d->component--;
  d->next--;
  while (d->waiting < all && d->index[d->states[d->waiting]] >= d->index[state]) {
    d->index[d->states[d->waiting++]] = number;
    d->next--;
    count++;
  }
  d->index[state] = number;
  if (count == 1) return EXPLORE_OK;
  // The state itself is put before those that waited: there is room, it was on the way.
  d->states[first - 1] = state;
  return judge(d, d->states + first - 1, count);
}

static explore_status go_on(descent *d) {
  explore_look *look = d->look;
  uint32_t at = d->depth - 1, state = d->states[at];
  explore_way way;
  explore_ways_of(look, state, d->positions[at], &way);
  while (explore_next_way(&way)) {
    if (!may_loop(look, way.target)) continue;
    if (d->index[way.target] == 0) {
      d->positions[at] = way.position;
      come_to(d, way.target);
      return EXPLORE_OK;
    }
    note_lower(d, state, way.target);
  }
  explore_status status = (explore_status)atomic_load(&look->search->status);
  if (status == EXPLORE_OK) status = finish(d);
  if (status == EXPLORE_OK && d->depth > 0) note_lower(d, d->states[d->depth - 1], state);
  return status;
}

explore_status explore_find_components(explore_look *look) {
  uint32_t count = look->states;
  descent d = {.look = look, .waiting = count, .next = 1, .component = UINT32_MAX};
  d.index = look->components = explore_look_take(look, count, sizeof *d.index);
  d.states = explore_look_take(look, (size_t)count + 1, sizeof *d.states);
  d.positions = explore_look_take(look, (size_t)count + 1, sizeof *d.positions);
  explore_status status = EXPLORE_OK;
  if (d.index == NULL || d.states == NULL || d.positions == NULL) status = EXPLORE_NO_MEMORY;
  for (uint32_t state = 0; state < count && status == EXPLORE_OK; state++) {
    if (!may_loop(look, state) || d.index[state] != 0) continue;
    come_to(&d, state);
    while (d.depth > 0 && status == EXPLORE_OK) status = go_on(&d);
  }
  explore_look_drop(look, d.states, (size_t)count + 1, sizeof *d.states);
  explore_look_drop(look, d.positions, (size_t)count + 1, sizeof *d.positions);
  return status;
}
