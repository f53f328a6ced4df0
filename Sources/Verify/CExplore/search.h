/// The steps of a search: going on from states, adding what is new, asking, finding, counting.

#ifndef EXPLORE_SEARCH_H
#define EXPLORE_SEARCH_H

#include "parts.h"

// MARK: Findings (findings.c)

/// Notes a finding about the state that the worker is at, or, with `is_moved`, about what its mover
/// and draws do there. `depth`: states on the way.
bool explore_note(explore_worker *worker, explore_found found, uint32_t trie, uint32_t reason,
  uint32_t depth, bool is_moved);
/// Workers have room for what a run may find.
explore_status explore_prepare_findings(explore *search);
/// Merges the findings of the workers into those of the search.
explore_status explore_gather(explore *search);
/// The findings so far stand in the order of their depth.
explore_status explore_sort_findings(explore *search);
/// Questions that have been answered both ways are not asked any more.
void explore_drop_questions(explore *search);

// MARK: Questions (questions.c)

/// Asks all questions about the state that is viewed. False, here and below: something went wrong.
bool explore_ask_all(explore_worker *worker, uint32_t depth, bool is_moved);
bool explore_ask_within(explore_worker *worker, uint32_t depth, bool is_moved, bool *is_within);
/// Asks the questions of steps, the state before being viewed.
bool explore_ask_steps(explore_worker *worker, const uint64_t *after);
/// Notes a state that nothing leads on from, if it is no end.
bool explore_ask_stuck(explore_worker *worker);
/// Asks the questions about the states of a round that are new: a job.
void explore_ask_fresh(explore_worker *worker);

// MARK: Groups (groups.c)

/// Makes the groups anew if more is known. Without memory there are none.
void explore_make_groups(explore *search);
/// Adds the refusals of rows to the counts of leaves.
void explore_count_rows(explore *search);
/// Sets the bits of the movers that may not be refused in the state that is viewed.
void explore_ready_movers(explore_worker *worker);

// MARK: The search (expand.c, fill.c)

/// Of which decisions of a state the owner is to play what was learned.
bool explore_is_checked(const explore *search, uint32_t state, uint32_t decision);
/// Some decision of the state is to be played.
bool explore_has_checks(const explore *search, uint32_t state);
/// There is room in a batch for so many more successors.
bool explore_batch_room(explore *search, explore_batch *batch, uint64_t more);
/// Makes the successors of the states of a round: a job.
void explore_expand(explore_worker *worker);
/// Takes from a batch what is kept already, and what is out of the bounds.
bool explore_sift(explore_worker *worker, explore_batch *batch);
/// Sorts a batch by regions of the table, for `explore_append_together`.
bool explore_sort(explore *search, explore_batch *batch);
/// Appends what is new of a batch.
explore_status explore_append(explore *search, explore_batch *batch);
/// The same of all batches of a round, by all workers.
explore_status explore_append_together(explore *search);

// MARK: Undoing (undo.c)

/// A round begins that may have to be undone.
void explore_mark_round(explore *search);
/// Counts and findings of the workers are again as they were then. False: they cannot be.
bool explore_undo_round(explore *search);

// MARK: Counts (counts.c)

uint64_t explore_generated(const explore *search);

// MARK: Reading (reading.c)

/// The words of a state, which, with hashes, are found again from a beginning. False: they cannot
/// be.
bool explore_find_words(explore *search, uint32_t state, uint64_t *words);

#endif
