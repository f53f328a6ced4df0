/// Declarations that the files of the search for lassos share.

#ifndef EXPLORE_LIVE_PARTS_H
#define EXPLORE_LIVE_PARTS_H

#include "explore_live.h"
#include "parts.h"

enum {
  LIVE_OPEN = 1,     // gone on from, and what is wanted is not so
  LIVE_WHEN = 2,     // the promise is given
  LIVE_ALIVE = 4,    // a run without end may go on from here in open states
  LIVE_STAYS = 8,    // it may be one that stays
  LIVE_BROKEN = 16,  // a fair loop goes through it
  LIVE_ROOT = 32,
  LIVE_LOOPS = 64,     // a loop may go through it, or be gone on to from it
  LIVE_REACHED = 128,  // a run in which the promise is given and not kept comes here
};

typedef struct {
  explore *search;
  const explore_promise *promise;
  uint8_t *flags;    // of each state
  uint64_t *groups;  // of each mover, by its ordinal
  uint64_t all_groups;
  uint32_t *components;  // of each state, once they are known
  uint32_t states;       // those that were gone on from
  uint32_t asked;        // how often ways were asked for
  size_t bytes, most_bytes;
} explore_look;

/// The ways on from a state that lead to another one.
typedef struct {
  explore_worker *worker;
  uint32_t state, position;  // `position`: mover and way; 0 to begin with
  uint32_t mover;            // ordinal
  uint32_t target;           // EXPLORE_NONE: it is not kept
  uint32_t leaf;             // EXPLORE_NONE: the mover is played
  explore_draws draws;
  const uint64_t *groups;  // of each mover
  uint64_t still;          // groups of which a mover passed so far and changed nothing
} explore_way;

typedef struct explore_loop_pair explore_loop_pair;
/// A step of a loop: from which state, and the position of its way there.
typedef struct {
  uint32_t state, position;
} explore_loop_step;

/// The search for short loops (loops.c).
typedef struct {
  explore_look *look;
  explore_loop_pair *pairs;  // those of the search under way
  uint32_t *chains, count, capacity;
  uint64_t left;             // so many pairs may be gone on from still
  explore_loop_step *steps;  // of the shortest loop that was found
  uint32_t home, length;
} explore_loops;

/// Memory of a look. NULL: there is none.
void *explore_look_take(explore_look *look, size_t count, size_t size);
void explore_look_drop(explore_look *look, void *block, size_t count, size_t size);

/// Asks the owner, from time to time, whether the look may go on; where it may not, the status of
/// the search says so (ways.c).
void explore_look_on(explore_look *look);
/// The ways on from a state, from a position on (ways.c).
void explore_ways_of(explore_look *look, uint32_t state, uint32_t position, explore_way *way);
/// The next of them. False: there is none, or something went wrong, which is noted.
bool explore_next_way(explore_way *way);
/// The next one, without looking up where it leads: the words there follow those of the state in
/// the view of the worker.
bool explore_next_words(explore_way *way);
/// Groups that a run satisfies in a state without a step on: those that are not enabled there, and
/// those of which a mover passes there and changes nothing. It may do that for ever.
uint64_t explore_resting_groups(explore_look *look, uint32_t state);

/// Marks the states of fair loops (components.c).
explore_status explore_find_components(explore_look *look);
/// Finds the shortest loop from a state that satisfies all groups, if it has at most so many steps.
/// One that is found is kept. False: something went wrong.
bool explore_find_loop(explore_loops *loops, uint32_t home, uint32_t most);
void explore_close_loops(explore_loops *loops);
/// Finds a stem and a loop that are the shortest together (lasso.c).
explore_status explore_find_lasso(explore_look *look, explore_lasso *lasso);

#endif
