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
  0x40000000u  ///< or'ed to a number of outcomes: a draw of chance, in place of
               ///< a slot; its value is which outcome came. Of movers alone;
               ///< at most 8 on one way
#define EXPLORE_BY                                                                                 \
  0x20000000u  ///< in place of a slot, for a question of steps: the mover on the
               ///< way; its value is the number of the mover's trie. For a part:
               ///< what `explore_follow` is given
#define EXPLORE_COPY                                                                               \
  0x80000000u  ///< or'ed to a slot that is written: the value is a slot of the
               ///< same domain, and what stands there before is put

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
  EXPLORE_PLAYED  ///< what it does cannot be learned (its tries would not end): what was learned is
                  ///< dropped, and the owner is asked each time from now on, by `miss`
} explore_leaf_kind;

typedef struct {
  explore_leaf_kind kind;
  uint32_t reason;  ///< the owner's number of the refusal or error; counted by number
  const explore_write *writes;
  uint32_t write_count;
} explore_leaf;

/// Adds the leaf of a trie for states with these values. `reads` are in the order in which they
/// were looked at, none twice. Slots that are written need not have been read. Known reads may come
/// in another order. The same writes must come in the same order, or they count as different.
explore_status explore_learn(explore *search, uint32_t trie, const explore_read *reads,
  uint32_t read_count, explore_leaf leaf);

/// A key determines all that a run does from a read on, as 128 bits: with equal keys, the same slot
/// is read, and with equal values in it, runs go on equally.
typedef struct {
  uint64_t first, second;
} explore_key;

typedef struct {
  explore_read read;
  explore_key key;
  uint32_t cost;  ///< of what was done since the read before
} explore_keyed_read;

typedef struct {
  const explore_keyed_read *reads;
  uint32_t read_count;
  uint32_t rest;       ///< the cost of what was done after the last read
  uint64_t most_cost;  ///< with more, a run ends otherwise than by what it has read
} explore_keyed_run;

/// The same for a question about one state, or for a mover without draws. Reads come in their
/// order, each as often as it was done. Runs that read with equal keys share what is learned from
/// there on: a function that goes through a list needs a node for each element and what it has
/// found so far, not for each path. EXPLORE_TOO_MANY: from such parts runs could be put together
/// that never end or cost too much; forget the trie, and learn without keys. EXPLORE_INCONSISTENT:
/// equal keys, and different runs; the same.
explore_status explore_learn_keyed(
  explore *search, uint32_t trie, const explore_keyed_run *run, explore_leaf leaf);
/// Forgets what was learned of a trie.
void explore_forget(explore *search, uint32_t trie);

/// In `miss`, for a mover that is EXPLORE_PLAYED: answers by what a part says of the state that is
/// asked about, in place of `explore_learn`. `by` is any number. Not known: nothing is answered;
/// the owner finds out, has the part learn it, and follows it again.
explore_status explore_follow(explore *search, uint32_t part, uint32_t by, bool *is_known);

/// Returns a leaf by the number that `check` is given. Valid until something is learned.
explore_leaf explore_leaf_at(const explore *search, uint32_t leaf);

// MARK: The search

/// A state to begin with, before the first run. `values` has one for each slot (those beyond
/// `count` are 0).
explore_status explore_begin(explore *search, const uint32_t *values, uint32_t count);
/// Goes through all states, level by level. The result does not depend on the number of threads.
explore_status explore_run(explore *search);
/// May be called from any thread, or from a handler of a signal.
void explore_stop(explore *search);

typedef struct {
  uint64_t distinct, generated;
  uint64_t outside;          ///< of generated: those that lead out of the bounds
  uint32_t depth;            ///< states on the longest shortest path, the first included
  uint64_t frontier;         ///< states that have not been gone on from
  uint64_t violations;       ///< questions answered no, faults and deadlocks
  uint32_t words, bits;      ///< of a state
  size_t bytes, trie_bytes;  ///< of states with parents and table, and of tries
  uint64_t misses, leaves;
  uint64_t checked;  ///< leaves that the owner has played, those of EXPLORE_BOUND not among them:
                     ///< how often one is asked depends on how the work is divided
  double collision;  ///< with `hashes`: how likely two states were taken for one
} explore_counts;
explore_counts explore_count(const explore *search);
/// Its `depth` alone, while it runs too.
uint32_t explore_depth(const explore *search);

typedef struct {
  uint64_t passed, refused, failed;
} explore_trie_counts;
explore_trie_counts explore_trie_count(const explore *search, uint32_t trie);

typedef struct {
  uint32_t reason;  ///< its number
  uint64_t count;   ///< how often it was given
} explore_reason;
/// The reasons that were given, in the order of their numbers, `most` of them at most. Returns how
/// many there are; 0 without memory.
uint32_t explore_reasons(
  const explore *search, uint32_t trie, explore_reason *reasons, uint32_t most);

// MARK: What was found

typedef enum {
  EXPLORE_NO,       ///< a question was answered no (the first state of the first level where)
  EXPLORE_YES,      ///< and yes: its first witness
  EXPLORE_FAULT,    ///< a mover failed
  EXPLORE_DEADLOCK  ///< a state that is no end, in which no mover passes (one that changes nothing
                    ///< does) or fails
} explore_found;

typedef struct {
  explore_found found;
  uint32_t trie;  ///< of the question or mover
  uint32_t reason;
  uint32_t state;  ///< where; for a step or a fault the state before
  uint32_t mover;  ///< of a step or fault: the mover on the way; else EXPLORE_NONE. A question
                   ///< about a state outside of the bounds: `state` is the one before, and this
                   ///< the mover on the way there (EXPLORE_NONE as a state: `mover` is the
                   ///< number of a beginning)
  uint32_t depth;  ///< states on the way there, the first included (a fault: before the mover)
  uint64_t count;  ///< in how many states (or transitions) the same was found
  uint32_t draw_count;  ///< what chance gave the mover
  uint32_t draws[8];
} explore_finding;
#define EXPLORE_NONE UINT32_MAX

/// Each found once for its trie (a fault: once for its reason), in the order of their depth.
uint32_t explore_finding_count(const explore *search);
explore_finding explore_finding_at(const explore *search, uint32_t n);
/// Notes what chance gave the mover, where the finding is about a state outside of the bounds: the
/// first draws that lead to one of which the same is to be said.
void explore_find_draws(explore *search, explore_finding *finding);

/// The values of a state's slots.
void explore_values(const explore *search, uint32_t state, uint32_t *values, uint32_t count);
/// The state that it was first reached from, and by which mover's trie; EXPLORE_NONE for a
/// beginning, `mover` being its number then.
uint32_t explore_parent(const explore *search, uint32_t state, uint32_t *mover);
/// The number of states that are kept, which are numbered from 0 in the order of the search.
uint32_t explore_states(const explore *search);

/// Each transition from a state: mover, its draws, the state it leads to
/// (EXPLORE_NONE where that is outside, or not kept). For drawings, liveness, suites. Returns how
/// many there are; at most `most` are written.
typedef struct {
  uint32_t mover, state, draw_count;  ///< the mover's trie
  uint32_t draws[8];
  uint32_t leaf;  ///< what the mover does there: see `explore_leaf_at`. EXPLORE_NONE: it is played
  explore_leaf_kind kind;
} explore_edge;
uint32_t explore_edges(explore *search, uint32_t state, explore_edge *edges, uint32_t most);
/// The same with the movers that are refused or fail there, which lead nowhere (EXPLORE_NONE).
uint32_t explore_decisions(explore *search, uint32_t state, explore_edge *edges, uint32_t most);

#endif
