/// A breadth-first search over packed states that knows no Lua.
///
/// A state is a number for each of its *slots*, packed into words of 64 bits. The effect of an
/// action depends only on the slots that it looks at, so it is learned as a decision tree, a
/// *trie*: a node names the slot to look at, an edge is a value, a leaf is the result. If a trie
/// has no edge yet, the search asks its owner (a *miss*). The owner runs the flow and adds the
/// result with `explore_learn`; from then on the search knows it without asking.
///
/// Nothing here raises or exits: a function that can fail returns an `explore_status`.

#ifndef EXPLORE_H
#define EXPLORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
  EXPLORE_OK,
  EXPLORE_NO_MEMORY,  ///< the system has none, or the bound `options.memory` is reached
  EXPLORE_TOO_MANY,   ///< more than 65,535 movers, or 2^32 - 2 states
  EXPLORE_STOPPED,    ///< by `explore_stop` or by a callback of the owner
  EXPLORE_BOUNDED,    ///< a bound is reached (`max_states`, `max_depth`): the search is incomplete
  EXPLORE_INCONSISTENT  ///< a run contradicts a learned result: it depends on more than the slots
                        ///< that it has read
} explore_status;

typedef struct explore explore;

typedef struct {
  uint64_t max_states;  ///< 0: no bound but 2^32 - 2
  uint32_t max_depth;   ///< levels, the first included; 0: no bound
  size_t memory;        ///< bytes of states, table and tries; 0: no bound
  uint32_t threads;     ///< 1 or more
  bool hashes;       ///< hash compaction: once its level is expanded, only 64 bits of a state are
                     ///< stored
  bool checks_all;   ///< the self-check plays every use of a leaf, not only some
  bool keeps_going;  ///< true: ask each question of all states, and count the answers. False: once
                     ///< both answers have occurred, stop asking from the next level on
} explore_options;

/// The verdict of the gates on a mover that is EXPLORE_PLAYED.
typedef enum {
  EXPLORE_SAYS_NOTHING,
  EXPLORE_SAYS_REFUSED,  ///< nothing happens
  EXPLORE_SAYS_PASSES    ///< the successor is that of a part, as with `explore_follow`
} explore_says;

typedef struct {
  uint32_t trie;  ///< of the mover
  explore_says says;
  uint32_t number;  ///< refused: the owner's number of the reason; passes: `by` of `explore_follow`
  uint32_t part;
} explore_judgement;

/// The callbacks of an owner; each is passed `owner` first. They are called by the thread that
/// misses: `thread` is its number (0, 1, ...). The library lets one call at a time change slots,
/// domains and tries, so a callback may call `explore_learn`, `explore_add_slot` and
/// `explore_grow_domain` without locks. The runs of the flow themselves are concurrent.
typedef struct {
  /// Called if the trie of a mover or question has no leaf for a state. `slots`: the values of all
  /// slots of the state; for a question about steps, of the state before and then of the state
  /// after. `draws`: the outcomes of the random draws so far, in order; for a question about steps,
  /// the number of the mover's trie. The owner answers by `explore_learn`. A mover that is
  /// EXPLORE_PLAYED misses each time; of its answer only the draws and the leaf matter, and nothing
  /// is stored.
  explore_status (*miss)(void *owner, uint32_t thread, uint32_t trie, const uint32_t *slots,
    uint32_t count, const uint32_t *draws, uint32_t draw_count);
  /// Checks a leaf before its use: the first ones, then one in 65,536, or all with `checks_all`.
  /// The owner plays the move, and returns true if the result is that of the leaf
  /// (`explore_leaf_at`). False ends the search with EXPLORE_INCONSISTENT. NULL: no self-check.
  bool (*check)(void *owner, uint32_t thread, uint32_t trie, const uint32_t *slots, uint32_t count,
    const uint32_t *draws, uint32_t draw_count, uint32_t leaf);
  /// Stores the verdicts of the gates on all movers that are EXPLORE_PLAYED in a state. If a
  /// verdict stays EXPLORE_SAYS_NOTHING, or its part has no leaf for the state, the search calls
  /// `miss`. NULL: it always calls `miss`.
  void (*judge)(void *owner, uint32_t thread, const uint32_t *slots, uint32_t count,
    explore_judgement *judgements, uint32_t judgement_count);
  /// Called at the end of a level, after at most 65,536 states, and at intervals while liveness is
  /// checked: for progress and checkpoints. Returns false to stop.
  bool (*progress)(void *owner);
} explore_owner;

explore *explore_open(explore_options options, const explore_owner *callbacks, void *owner);
void explore_close(explore *search);

// MARK: Slots

/// Adds a domain: a set of values that some slots share, such as those of the elements of a list.
/// It begins with one value, 0, which means "absent".
explore_status explore_add_domain(explore *search, uint32_t *domain);
/// Enlarges a domain to at least that many values. States are packed again if a slot needs more
/// bits (a slot has a spare bit if that costs no word).
explore_status explore_grow_domain(explore *search, uint32_t domain, uint32_t values);
/// Adds a slot; it is 0 in all states so far.
explore_status explore_add_slot(explore *search, uint32_t domain, uint32_t *slot);

// MARK: Tries

typedef enum {
  EXPLORE_MOVER,     ///< an action with a payload: leaves are successors; asked of each state
  EXPLORE_QUESTION,  ///< leaves say yes or no; asked of each state once, when it is new
  EXPLORE_STEP,      ///< asked of each transition: slots of the state before, and, with
                     ///< EXPLORE_AFTER, of the one after
  EXPLORE_BOUND,     ///< a question; a state for which it is false is generated and asked the
                     ///< questions, but it is not expanded, and not counted as distinct
  EXPLORE_END,       ///< a question; a state for which it is true may have no successor
  EXPLORE_PART       ///< a part that several results of an EXPLORE_PLAYED mover share; asked of no
                     ///< state by itself: see `explore_follow`
} explore_kind;

#define EXPLORE_AFTER 0x80000000u  ///< or'ed to a slot: of the state after
#define EXPLORE_DRAW                                                                               \
  0x40000000u  ///< or'ed to a number of outcomes: a random draw, in place of
               ///< a slot; its value is the number of the outcome. Only in
               ///< movers and their parts; at most 8 in a run
#define EXPLORE_BY                                                                                 \
  0x20000000u  ///< in place of a slot. In a question about steps: the mover of
               ///< the transition; its value is the number of the mover's
               ///< trie. In a part: the `by` of `explore_follow`
#define EXPLORE_COPY                                                                               \
  0x80000000u  ///< or'ed to the slot of a write: its value is a slot of the same
               ///< domain, whose value before the transition is written

/// Adds an empty trie; not while the search runs. Movers are tried in the order of their numbers.
explore_status explore_add_trie(explore *search, explore_kind kind, uint32_t *trie);

typedef struct {
  uint32_t slot, value;
} explore_read;
typedef explore_read explore_write;

typedef enum {
  EXPLORE_PASSES,   ///< a mover: the successor is the state with the writes. A question: yes
  EXPLORE_REFUSED,  ///< a mover: nothing happens. A question: no
  EXPLORE_FAILED,  ///< the flow is at fault (an error, a broken invariant): reported as a violation
  EXPLORE_PLAYED   ///< the result cannot be learned (the trie would be infinite): the trie is
                   ///< emptied, and from now on each use calls `miss`
} explore_leaf_kind;

typedef struct {
  explore_leaf_kind kind;
  uint32_t reason;  ///< the owner's number of the refusal or error; counted by number
  const explore_write *writes;
  uint32_t write_count;
} explore_leaf;

/// Adds the leaf of a trie for states with these values. `reads` has the slots in the order in
/// which the run read them, each once. A slot can be written without being read. The order may
/// differ from that of the nodes in the trie. The order of the writes matters: leaves are equal
/// only if they have equal writes in the same order.
explore_status explore_learn(explore *search, uint32_t trie, const explore_read *reads,
  uint32_t read_count, explore_leaf leaf);

/// A hash of 128 bits of the state of a run at a read. Runs with equal keys read the same slot, and
/// if it has the same value, they continue equally.
typedef struct {
  uint64_t first, second;
} explore_key;

typedef struct {
  explore_read read;
  explore_key key;
  uint32_t cost;  ///< of the instructions since the previous read
} explore_keyed_read;

typedef struct {
  const explore_keyed_read *reads;
  uint32_t read_count;
  uint32_t rest;       ///< the cost of the instructions after the last read
  uint64_t most_cost;  ///< the bound: a run that costs more is ended by a limit
} explore_keyed_run;

/// The same for a question about one state, or for a mover without draws. `reads` has every read in
/// its order, also repeated ones. Runs that read with equal keys share the nodes from there on: a
/// function that goes through a list needs a node for each element and intermediate result, not for
/// each path. EXPLORE_TOO_MANY: the shared nodes would have a path that is infinite or costs more
/// than `most_cost`. EXPLORE_INCONSISTENT: runs with equal keys differ. After both, call
/// `explore_forget`, and learn without keys.
explore_status explore_learn_keyed(
  explore *search, uint32_t trie, const explore_keyed_run *run, explore_leaf leaf);
/// Removes all nodes of a trie. Its leaves stay for the counts.
void explore_forget(explore *search, uint32_t trie);

/// In `miss`, for a mover that is EXPLORE_PLAYED: answers with the leaf of a part for the current
/// state, in place of `explore_learn`. `by` is any number, which the part can read (EXPLORE_BY). If
/// the part has no leaf for the state, sets `*is_known` to false and answers nothing; the owner
/// then runs the flow, calls `explore_learn` for the part, and calls this function again.
explore_status explore_follow(explore *search, uint32_t part, uint32_t by, bool *is_known);

/// Returns a leaf by the number that is passed to `check`. The result is valid until the next call
/// that learns.
explore_leaf explore_leaf_at(const explore *search, uint32_t leaf);

// MARK: The search

/// Adds an initial state, before the first run. `values` has a value for each slot; slots beyond
/// `count` are 0.
explore_status explore_begin(explore *search, const uint32_t *values, uint32_t count);
/// Searches all reachable states breadth-first, level by level. The result does not depend on the
/// number of threads.
explore_status explore_run(explore *search);
/// Stops the search soon. May be called from any thread, or from a signal handler.
void explore_stop(explore *search);

typedef struct {
  uint64_t distinct, generated;
  uint64_t outside;          ///< of `generated`: those outside of the bounds
  uint32_t depth;            ///< the number of levels: states on the longest of the shortest paths
  uint64_t frontier;         ///< states that are not expanded
  uint64_t violations;       ///< questions answered no, faults and deadlocks
  uint32_t words, bits;      ///< of a state
  size_t bytes, trie_bytes;  ///< of states with parents and hash table; of tries
  uint64_t misses, leaves;
  uint64_t checked;  ///< self-checks of leaves. Those of EXPLORE_BOUND are not counted, because
                     ///< their number depends on how the work is divided among threads
  double collision;  ///< with `hashes`: the probability that two states have the same hash
} explore_counts;
explore_counts explore_count(const explore *search);
/// Returns the `depth` of the counts. May be called while the search runs.
uint32_t explore_depth(const explore *search);

typedef struct {
  uint64_t passed, refused, failed;
} explore_trie_counts;
explore_trie_counts explore_trie_count(const explore *search, uint32_t trie);

typedef struct {
  uint32_t reason;  ///< the owner's number
  uint64_t count;   ///< how often it occurred
} explore_reason;
/// Stores the reasons of refusals and errors of a trie, in the order of their numbers, at most
/// `most`. Returns how many there are; 0 without memory.
uint32_t explore_reasons(
  const explore *search, uint32_t trie, explore_reason *reasons, uint32_t most);

// MARK: Findings

typedef enum {
  EXPLORE_NO,       ///< a question was answered no: the first counterexample
  EXPLORE_YES,      ///< a question was answered yes: the first witness
  EXPLORE_FAULT,    ///< a mover or a question failed
  EXPLORE_DEADLOCK  ///< a state that is no end, in which no mover passes or fails; a mover that
                    ///< changes nothing passes
} explore_found;

typedef struct {
  explore_found found;
  uint32_t trie;  ///< of the question or mover
  uint32_t reason;
  uint32_t state;  ///< the state; for a step or a fault of a mover, the state before it
  uint32_t mover;  ///< for a step or a fault of a mover: that mover; otherwise EXPLORE_NONE. If the
                   ///< finding is about a state outside of the bounds, `state` is its predecessor
                   ///< and `mover` leads to it; if `state` is EXPLORE_NONE then, `mover` is the
                   ///< number of an initial state
  uint32_t depth;  ///< states on the path, the initial one included (a fault: before the mover)
  uint64_t count;  ///< the number of states or transitions with the same finding
  uint32_t draw_count;  ///< the random draws of the mover
  uint32_t draws[8];
} explore_finding;
#define EXPLORE_NONE UINT32_MAX

/// There is one finding of each kind for a trie (one fault for each reason), in the order of their
/// depth.
uint32_t explore_finding_count(const explore *search);
explore_finding explore_finding_at(const explore *search, uint32_t n);
/// Sets the draws of a finding about a state outside of the bounds: the first draws of its mover
/// that lead to a state with the same finding.
void explore_find_draws(explore *search, explore_finding *finding);

/// Stores the values of a state's slots.
void explore_values(const explore *search, uint32_t state, uint32_t *values, uint32_t count);
/// Returns the state from which a state was first reached; `mover` receives the mover's trie. For
/// an initial state returns EXPLORE_NONE, and `mover` receives its number.
uint32_t explore_parent(const explore *search, uint32_t state, uint32_t *mover);
/// Returns the number of stored states. They are numbered from 0 in the order of the search.
uint32_t explore_states(const explore *search);

/// A transition from a state, for graphs, liveness and test suites.
typedef struct {
  uint32_t mover, state, draw_count;  ///< the mover's trie; the successor, EXPLORE_NONE if it is
                                      ///< not stored
  uint32_t draws[8];
  uint32_t leaf;  ///< the result: see `explore_leaf_at`. EXPLORE_NONE: the mover is played
  explore_leaf_kind kind;
} explore_edge;
/// Stores the transitions from a state, at most `most`. Returns how many there are.
uint32_t explore_edges(explore *search, uint32_t state, explore_edge *edges, uint32_t most);
/// The same, also with the movers that are refused or fail; their successor is EXPLORE_NONE.
uint32_t explore_decisions(explore *search, uint32_t state, explore_edge *edges, uint32_t most);

#endif
