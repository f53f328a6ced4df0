/// Strongly connected components of the states that loops may go through, and which of them a fair
/// run can stay in (Pearce, An improved algorithm for finding the strongly connected components of
/// a directed graph, 2005).
///
/// Invariant: a state is never on both stacks, that of the current path and that of the visited
/// states that have no component yet, so one array holds both, from its two ends. Numbers of
/// components go down from the greatest, and visited states are numbered upwards from 1, so a
/// state with a component has a greater number than every state without one.

#include <string.h>

#include "liveness.h"
#include "tries.h"

typedef struct {
  explore_liveness *live;
  uint32_t *index;      // the order of the visit, or the component; 0: not visited
  uint32_t *states;     // both stacks: the current path, and the states without a component
  uint32_t *positions;  // for each state of the path: the position among its transitions
  uint32_t depth, waiting, next, component;
} descent;

static void come_to(descent *d, uint32_t state) {
  d->states[d->depth] = state;
  d->positions[d->depth++] = 0;
  d->index[state] = d->next++;
  d->live->flags[state] |= LIVE_ROOT;
}

static void note_lower(descent *d, uint32_t state, uint32_t other) {
  if (d->index[other] >= d->index[state]) return;
  d->index[state] = d->index[other];
  d->live->flags[state] &= (uint8_t)~LIVE_ROOT;
}

static bool may_loop(const explore_liveness *live, uint32_t state) {
  return state < live->states && live->flags[state] & LIVE_LOOPS;
}

// MARK: Fairness

/// Adds the groups that a state of a component satisfies: those that are not enabled there, and
/// those that take a step within the component.
static explore_status satisfy(explore_liveness *live, uint32_t state, uint64_t *satisfied) {
  explore_transition transition;
  explore_transitions_of(live, state, 0, &transition);
  uint64_t enabled = 0;
  while (explore_next_transition(&transition)) {
    enabled |= live->groups[transition.mover];
    if (may_loop(live, transition.target) &&
        live->components[transition.target] == live->components[state])
      *satisfied |= live->groups[transition.mover];
  }
  *satisfied |= live->all_groups & ~(enabled & ~transition.still);
  return (explore_status)atomic_load(&live->search->status);
}

/// Marks the states of a component of several states if it satisfies all groups.
static explore_status judge(descent *d, const uint32_t *members, uint32_t count) {
  explore_liveness *live = d->live;
  uint64_t satisfied = 0;
  for (uint32_t i = 0; i < count && satisfied != live->all_groups; i++) {
    explore_status status = satisfy(live, members[i], &satisfied);
    if (status != EXPLORE_OK) return status;
  }
  if (satisfied != live->all_groups) return EXPLORE_OK;
  for (uint32_t i = 0; i < count; i++) live->flags[members[i]] |= LIVE_BROKEN;
  return EXPLORE_OK;
}

// MARK: Depth-first search

/// Finishes the last state of the path. If it is the root of a component, that has the state and
/// the later ones on the other stack; otherwise the state moves to that stack.
static explore_status finish(descent *d) {
  uint32_t state = d->states[--d->depth], all = d->live->states;
  if (!(d->live->flags[state] & LIVE_ROOT)) {
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
  // The root is put before the others. There is room, because it has left the path.
  d->states[first - 1] = state;
  return judge(d, d->states + first - 1, count);
}

static explore_status go_on(descent *d) {
  explore_liveness *live = d->live;
  uint32_t at = d->depth - 1, state = d->states[at];
  explore_transition transition;
  explore_transitions_of(live, state, d->positions[at], &transition);
  while (explore_next_transition(&transition)) {
    if (!may_loop(live, transition.target)) continue;
    if (d->index[transition.target] == 0) {
      d->positions[at] = transition.position;
      come_to(d, transition.target);
      return EXPLORE_OK;
    }
    note_lower(d, state, transition.target);
  }
  explore_status status = (explore_status)atomic_load(&live->search->status);
  if (status == EXPLORE_OK) status = finish(d);
  if (status == EXPLORE_OK && d->depth > 0) note_lower(d, d->states[d->depth - 1], state);
  return status;
}

explore_status explore_find_components(explore_liveness *live) {
  uint32_t count = live->states;
  descent d = {.live = live, .waiting = count, .next = 1, .component = UINT32_MAX};
  d.index = live->components = explore_liveness_allocate(live, count, sizeof *d.index);
  d.states = explore_liveness_allocate(live, (size_t)count + 1, sizeof *d.states);
  d.positions = explore_liveness_allocate(live, (size_t)count + 1, sizeof *d.positions);
  explore_status status = EXPLORE_OK;
  if (d.index == NULL || d.states == NULL || d.positions == NULL) status = EXPLORE_NO_MEMORY;
  for (uint32_t state = 0; state < count && status == EXPLORE_OK; state++) {
    if (!may_loop(live, state) || d.index[state] != 0) continue;
    come_to(&d, state);
    while (d.depth > 0 && status == EXPLORE_OK) status = go_on(&d);
  }
  explore_liveness_free(live, d.states, (size_t)count + 1, sizeof *d.states);
  explore_liveness_free(live, d.positions, (size_t)count + 1, sizeof *d.positions);
  return status;
}
