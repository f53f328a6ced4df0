/// Liveness: checks, after a search, that something happens eventually.
///
/// A promise is broken by an infinite run that never keeps it: a *lasso*, a path from an initial
/// state and a loop that can be repeated for ever. Weak fairness leaves out loops in which a group
/// of movers is always enabled and never acts.

#ifndef EXPLORE_LIVE_H
#define EXPLORE_LIVE_H

#include "explore.h"

typedef struct {
  uint32_t
    when;  ///< a question: whenever it says yes, ...; EXPLORE_NONE: from each beginning on ...
  uint32_t wanted;  ///< ... this question says yes then or at some later time
  /// Movers (their tries) that are treated fairly, one group after the other. A group is enabled in
  /// a state where one of its movers passes and leads to another state. A loop is fair to it if it
  /// is not enabled in some state of the loop, or if one of its movers takes some step of the loop,
  /// or passes in a state of the loop and changes nothing.
  const uint32_t *movers;
  const uint32_t *group_sizes;
  uint32_t group_count;  ///< at most 64
  /// A run may stay for ever where no group is enabled, although other movers could lead on. Else
  /// it stays only where nothing leads to another state.
  bool stays;
} explore_promise;

typedef struct {
  bool is_kept;
  /// A run in which it is not kept yet leads to where the search did not go on: out of the bounds.
  bool leaves;
  uint32_t begin;       ///< the state, a beginning, that the way starts at
  explore_edge *steps;  ///< of the stem, then of the loop
  uint32_t stem, loop;  ///< how many steps; a loop of none: the run stays where it is
  uint64_t bytes;       ///< that it took, at most
} explore_lasso;

/// Looks for a run that breaks a promise in all that was gone through; what was not gone on from (a
/// search that was bounded) breaks nothing. Of all lassos, one of the fewest steps, stem and loop
/// together. The questions must be tries of the search; the owner is asked where they have not been
/// learned. EXPLORE_STOPPED: the owner's `progress` said so. EXPLORE_BOUNDED: with hashes, states
/// are not there to be looked at. EXPLORE_INCONSISTENT: no such question or mover.
explore_status explore_live(explore *search, const explore_promise *promise, explore_lasso *lasso);
void explore_lasso_free(explore_lasso *lasso);

#endif
