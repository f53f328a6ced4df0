/// Declarations of the liveness check: a search for lassos after the search for states.

#ifndef EXPLORE_LIVENESS_PARTS_H
#define EXPLORE_LIVENESS_PARTS_H

#include "explore_liveness.h"
#include "parts.h"

enum {
  LIVE_OPEN = 1,     // the state was expanded, and the goal does not hold in it
  LIVE_WHEN = 2,     // the trigger holds
  LIVE_ALIVE = 4,    // an infinite run of open states may start here
  LIVE_STAYS = 8,    // a run may stay here forever
  LIVE_BROKEN = 16,  // a fair loop goes through the state
  LIVE_ROOT = 32,
  LIVE_LOOPS = 64,     // a loop goes through the state, or can be reached from it
  LIVE_REACHED = 128,  // a run reaches the state after the trigger and without the goal
};

typedef struct {
  explore *search;
  const explore_promise *promise;
  uint8_t *flags;    // of each state
  uint64_t *groups;  // of each mover, by its ordinal
  uint64_t all_groups;
  uint32_t *components;  // of each state, once they are known
  uint32_t states;       // the number of expanded states
  uint32_t asked;        // the number of requests for transitions
  size_t bytes, most_bytes;
} explore_liveness;

/// An iterator over the transitions from a state to other states.
typedef struct {
  explore_worker *worker;
  uint32_t state, position;  // `position`: mover and draws; 0 at the start
  uint32_t mover;            // ordinal
  uint32_t target;           // EXPLORE_NONE: the state is not stored
  uint32_t leaf;             // EXPLORE_NONE: the mover is played
  explore_draws draws;
  const uint64_t *groups;  // of each mover
  uint64_t still;          // groups of which a mover has passed without a change so far
} explore_transition;

typedef struct explore_loop_pair explore_loop_pair;
/// A step of a loop: its state, and the position of the transition in the iterator.
typedef struct {
  uint32_t state, position;
} explore_loop_step;

/// The search for short loops (loops.c).
typedef struct {
  explore_liveness *live;
  explore_loop_pair *pairs;  // those of the search under way
  uint32_t *chains, count, capacity;
  uint64_t left;             // how many more pairs may be expanded
  explore_loop_step *steps;  // of the shortest loop that was found
  uint32_t home, length;
} explore_loops;

/// Allocates memory of a liveness check; returns NULL if there is none.
void *explore_liveness_allocate(explore_liveness *live, size_t count, size_t size);
void explore_liveness_free(explore_liveness *live, void *block, size_t count, size_t size);

/// Calls the owner's `progress` from time to time; if it returns false, sets the status of the
/// search (transitions.c).
void explore_liveness_poll(explore_liveness *live);
/// Starts to iterate over the transitions from a state, from a position on (transitions.c).
void explore_transitions_of(
  explore_liveness *live, uint32_t state, uint32_t position, explore_transition *transition);
/// Moves to the next transition. Returns false if there is none, or after an error, which sets the
/// status.
bool explore_next_transition(explore_transition *transition);
/// Moves to the next transition without looking its target up. The words of the target follow those
/// of the state in the worker's view.
bool explore_next_words(explore_transition *transition);
/// Returns the fairness groups that a run satisfies if it stays in a state: those that are not
/// enabled there, and those of which a mover passes without a change.
uint64_t explore_resting_groups(explore_liveness *live, uint32_t state);

/// Marks the states of strongly connected components with a fair loop (components.c).
explore_status explore_find_components(explore_liveness *live);
/// Finds and stores the shortest loop from a state that satisfies all groups, if it has at most
/// `most` steps. Returns false after an error.
bool explore_find_loop(explore_loops *loops, uint32_t home, uint32_t most);
void explore_close_loops(explore_loops *loops);
/// Finds a shortest lasso: stem and loop together (lasso.c).
explore_status explore_find_lasso(explore_liveness *live, explore_lasso *lasso);

#endif
