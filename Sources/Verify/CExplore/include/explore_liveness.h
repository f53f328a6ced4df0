/// Liveness: checks, after a search, that something happens eventually.
///
/// A promise is broken by an infinite run that never keeps it: a *lasso*, a path from an initial
/// state and a loop that can be repeated for ever. Weak fairness leaves out loops in which a group
/// of movers is always enabled and never acts.

#ifndef EXPLORE_LIVENESS_H
#define EXPLORE_LIVENESS_H

#include "explore.h"

typedef struct {
  uint32_t when;    ///< the trigger: a question; EXPLORE_NONE: each initial state
  uint32_t wanted;  ///< the goal: a question that must be true then or later
  /// Movers (their tries) under weak fairness, one group after the other. A group is enabled in a
  /// state if one of its movers passes there and leads to another state. A loop is fair to a group
  /// if the group is not enabled in some state of the loop, if one of its movers makes a step of
  /// the loop, or if one passes in a state of the loop and changes nothing.
  const uint32_t *movers;
  const uint32_t *group_sizes;
  uint32_t group_count;  ///< at most 64
  /// True: a run may stay forever (stutter) in each state in which no group is enabled. False: only
  /// in states without a successor.
  bool stays;
} explore_promise;

typedef struct {
  bool is_kept;
  /// True: a run leaves the bounds of the search before it keeps the promise.
  bool leaves;
  uint32_t begin;       ///< the initial state of the stem
  explore_edge *steps;  ///< of the stem, then of the loop
  uint32_t stem, loop;  ///< numbers of steps; a loop of 0 steps: the run stutters
  uint64_t bytes;       ///< the peak memory of the check
} explore_lasso;

/// Looks for a run that breaks a promise among the expanded states; a state that was not expanded
/// breaks nothing. Returns a lasso with the fewest steps, stem and loop together. The questions
/// must be tries of the search; if an answer is not learned yet, the owner is asked.
/// EXPLORE_STOPPED: the owner's `progress` returned false. EXPLORE_BOUNDED: with `hashes` there are
/// no states. EXPLORE_INCONSISTENT: a question or mover does not exist.
explore_status explore_live(explore *search, const explore_promise *promise, explore_lasso *lasso);
void explore_lasso_free(explore_lasso *lasso);

#endif
