/// Finds the shortest fair loop from a state: a breadth-first search over pairs of a state and the
/// set of fairness groups that are satisfied so far.

#include <stdlib.h>
#include <string.h>

#include "liveness.h"
#include "tries.h"

/// A pair that was reached.
struct explore_loop_pair {
  uint64_t satisfied;
  uint32_t state;
  uint32_t parent;    // the previous pair; the first pair is its own parent
  uint32_t position;  // of the transition from there
  uint32_t next;      // the next pair in the chain of the same hash, plus one
};

static uint32_t hash_of(uint32_t state, uint64_t satisfied, uint32_t mask) {
  uint64_t mixed = (state + (satisfied + 1) * 0x9e3779b97f4a7c15) * 0xd6e8feb86659fd93;
  return (uint32_t)(mixed >> 32) & mask;
}

/// Doubles the capacity. Returns false without memory.
static bool grow(explore_loops *l) {
  uint32_t capacity = l->capacity > 0 ? 2 * l->capacity : 1024;
  explore_loop_pair *pairs = realloc(l->pairs, capacity * sizeof *pairs);
  if (pairs != NULL) l->pairs = pairs;
  uint32_t *chains = realloc(l->chains, capacity * sizeof *chains);
  if (chains != NULL) l->chains = chains;
  if (pairs == NULL || chains == NULL) return false;
  l->capacity = capacity;
  memset(chains, 0, capacity * sizeof *chains);
  for (uint32_t i = 0; i < l->count; i++) {
    uint32_t at = hash_of(pairs[i].state, pairs[i].satisfied, capacity - 1);
    pairs[i].next = chains[at];
    chains[at] = i + 1;
  }
  return true;
}

static bool reach(explore_loops *l, explore_loop_pair pair) {
  if (l->count == l->capacity && !grow(l)) return false;
  uint32_t at = hash_of(pair.state, pair.satisfied, l->capacity - 1);
  for (uint32_t i = l->chains[at]; i != 0; i = l->pairs[i - 1].next) {
    const explore_loop_pair *known = &l->pairs[i - 1];
    if (known->state == pair.state && known->satisfied == pair.satisfied) return true;
  }
  pair.next = l->chains[at];
  l->pairs[l->count++] = pair;
  l->chains[at] = l->count;
  return true;
}

static void forget(explore_loops *l) {
  for (uint32_t i = 0; i < l->count; i++) {
    l->chains[hash_of(l->pairs[i].state, l->pairs[i].satisfied, l->capacity - 1)] = 0;
  }
  l->count = 0;
}

/// Stores the steps to a pair, and a last step from there.
static bool keep(explore_loops *l, uint32_t home, uint32_t at, uint32_t position) {
  uint32_t length = 1;
  for (uint32_t i = at; i != 0; i = l->pairs[i].parent) length++;
  explore_loop_step *steps = realloc(l->steps, length * sizeof *steps);
  if (steps == NULL) return false;
  l->steps = steps;
  l->home = home;
  l->length = length;
  for (; length-- > 0; at = l->pairs[at].parent) {
    steps[length] = (explore_loop_step){l->pairs[at].state, position};
    position = l->pairs[at].position;
  }
  return true;
}

/// Follows all transitions from a pair within the strongly connected component. Returns false after
/// an error.
static bool go_on(explore_loops *l, uint32_t at, uint32_t home, bool is_last, bool *is_found) {
  explore_liveness *live = l->live;
  explore_loop_pair pair = l->pairs[at];
  uint32_t component = live->components[home];
  pair.satisfied |= explore_resting_groups(live, pair.state);
  explore_transition transition;
  explore_transitions_of(live, pair.state, 0, &transition);
  while (explore_next_transition(&transition)) {
    if (transition.target >= live->states || !(live->flags[transition.target] & LIVE_ALIVE) ||
        live->components[transition.target] != component)
      continue;
    uint64_t satisfied = pair.satisfied | live->groups[transition.mover];
    if (transition.target == home && satisfied == live->all_groups) {
      *is_found = true;
      return keep(l, home, at, transition.position - 1);
    }
    explore_loop_pair next = {satisfied, transition.target, at, transition.position - 1, 0};
    if (!is_last && !reach(l, next)) return false;
  }
  return atomic_load(&live->search->status) == EXPLORE_OK;
}

bool explore_find_loop(explore_loops *l, uint32_t home, uint32_t most) {
  bool is_found = false;
  if (most == 0 || l->left == 0) return true;
  if (!reach(l, (explore_loop_pair){.state = home})) return false;
  uint32_t at = 0;
  for (uint32_t length = 1; length <= most && at < l->count && !is_found; length++) {
    for (uint32_t last = l->count; at < last && !is_found && l->left > 0; at++, l->left--) {
      if (!go_on(l, at, home, length == most, &is_found)) return false;
    }
    if (l->left == 0) break;
  }
  forget(l);
  return true;
}

void explore_close_loops(explore_loops *l) {
  free(l->pairs);
  free(l->chains);
  free(l->steps);
}
