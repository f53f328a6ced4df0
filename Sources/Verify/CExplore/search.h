/// The steps of a search: expand states, store new ones, ask questions, record findings, count.

#ifndef EXPLORE_SEARCH_H
#define EXPLORE_SEARCH_H

#include "parts.h"

// MARK: Findings (findings.c)

/// Records a finding about the worker's state, or, with `is_moved`, about the transition of its
/// mover and draws from there. `depth`: states on the path.
bool explore_note(explore_worker *worker, explore_found found, uint32_t trie, uint32_t reason,
  uint32_t depth, bool is_moved);
/// Reserves memory for the findings of the workers in a run.
explore_status explore_prepare_findings(explore *search);
/// Merges the findings of the workers into those of the search.
explore_status explore_gather(explore *search);
/// Sorts the findings so far by depth.
explore_status explore_sort_findings(explore *search);
/// Stops asking questions for which both answers have occurred.
void explore_drop_questions(explore *search);

// MARK: Questions (questions.c)

/// Asks all questions about the state in view. Here and below, false means an error.
bool explore_ask_all(explore_worker *worker, uint32_t depth, bool is_moved);
/// Sets `*is_within` to true if the state in view is within all bounds.
bool explore_ask_within(explore_worker *worker, uint32_t depth, bool is_moved, bool *is_within);
/// Asks the questions about steps, from the state in view to `after`.
bool explore_ask_steps(explore_worker *worker, const uint64_t *after);
/// Records a deadlock in the state in view, unless the state is an end.
bool explore_ask_stuck(explore_worker *worker);
/// Asks all questions about the new states of a round: a job.
void explore_ask_fresh(explore_worker *worker);

// MARK: Groups (groups.c)

/// Rebuilds the groups if they are out of date. Without memory there are no groups.
void explore_make_groups(explore *search);
/// Adds the refusals of rows to the counts of leaves.
void explore_count_rows(explore *search);
/// Sets the bits of the movers that must be tried in the state in view.
void explore_ready_movers(explore_worker *worker);

// MARK: The search (expand.c, fill.c)

/// Returns true if the self-check includes the leaf of a trie in a state.
bool explore_is_checked(const explore *search, uint32_t state, uint32_t decision);
/// Returns true if the self-check includes some leaf in a state.
bool explore_has_checks(const explore *search, uint32_t state);
/// Reserves memory for so many more successors in a batch. Returns false without memory.
bool explore_batch_room(explore *search, explore_batch *batch, uint64_t more);
/// Computes the successors of the states of a round: a job.
void explore_expand(explore_worker *worker);
/// Removes from a batch the states that are stored already, and those outside of the bounds.
bool explore_sift(explore_worker *worker, explore_batch *batch);
/// Sorts a batch by regions of the hash table, for `explore_append_together`.
bool explore_sort(explore *search, explore_batch *batch);
/// Stores the new states of a batch.
explore_status explore_append(explore *search, explore_batch *batch);
/// Stores the new states of all batches of a round, with all workers.
explore_status explore_append_together(explore *search);

// MARK: Undoing (undo.c)

/// Saves the counts at the start of a round, so that the round can be undone.
void explore_mark_round(explore *search);
/// Restores the counts of the workers, and drops their findings of the round. Returns false if
/// nothing was saved.
bool explore_undo_round(explore *search);

// MARK: Counts (counts.c)

/// Returns the number of generated states, the initial ones included.
uint64_t explore_generated(const explore *search);

// MARK: Reading (reading.c)

/// Copies the words of a state. If they were freed (hash compaction), recomputes them along the
/// path from an initial state. Returns false if that fails.
bool explore_find_words(explore *search, uint32_t state, uint64_t *words);

#endif
