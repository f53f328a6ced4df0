/// Declarations that the files of the search share. None is visible outside of the search.

#ifndef EXPLORE_PARTS_H
#define EXPLORE_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "symmetry.h"
#include "explore.h"
#include "groups.h"
#include "keys.h"

enum {
  EXPLORE_CHUNK_BITS = 14,  // a chunk of the store has 2^14 states
  EXPLORE_CHUNK = 1 << EXPLORE_CHUNK_BITS,
  EXPLORE_MOST_DRAWS = 8,
  EXPLORE_BATCHES = 64,          // the most batches of a round
  EXPLORE_REGION_BITS = 6,       // the first bits of a hash are the number of its region
  EXPLORE_MOST_PARENTS = 256,    // the most states that a batch expands
  EXPLORE_RECENT = 2048,         // the size of a batch's cache of recent successors
  EXPLORE_ASKED_TOGETHER = 128,  // new states that a worker takes at once to ask questions about
  EXPLORE_SEEN = 8192,           // the size of a worker's cache of recent hashes
  EXPLORE_BATCH_BITS = 20,       // a batch has at most 2^20 successors
  EXPLORE_DIVIDED = 1 << 18,     // a hash table of this size or more has regions
};

// MARK: Memory

typedef enum { EXPLORE_OF_STATES, EXPLORE_OF_TRIES, EXPLORE_USES } explore_use;

// MARK: Layout

/// The place of a slot within a state. A slot of width 0 is 0 in every state.
typedef struct {
  uint32_t word;
  uint8_t shift, width;
} explore_place;

typedef struct {
  explore_place *places;
  uint32_t count;   // slots that have a place
  uint32_t words;   // 1 or more
  uint8_t *filled;  // bits of each word
} explore_layout;

// MARK: Tries

/// An edge of a trie: to a node (its offset in the trie's code), to a leaf (its number, with
/// EXPLORE_LEAF), or 0 if nothing is learned yet. Bits 29 and 30 of a leaf are its kind.
typedef uint32_t explore_cell;
#define EXPLORE_LEAF 0x80000000u
#define EXPLORE_LEAF_NUMBER 0x1fffffffu
#define EXPLORE_SPARSE 0x10000000u  // in a node's key: the children are a hash table
#define EXPLORE_FLAGS 0xf0000000u

/// A node: its key (a slot with flags), the place (word and shift) and mask of the slot, the number
/// of children, and the children by value. The code of a trie begins with the edge to the root.
enum { NODE_KEY, NODE_PLACE, NODE_MASK, NODE_CAPACITY, NODE_CHILDREN };
/// A sparse node has these instead of children, followed by pairs of value plus one and child.
enum { SPARSE_CAPACITY = NODE_CHILDREN, SPARSE_COUNT, SPARSE_PAIRS };

typedef struct {
  explore_kind kind;
  uint32_t number, ordinal;  // among all tries, and among those of its kind
  uint32_t *code;
  uint32_t code_count, code_capacity;
  uint32_t first_leaf;  // EXPLORE_NONE: none
  uint32_t forgotten;   // the number of calls of `explore_forget`
  explore_keys keys;
  bool played, asked;
} explore_trie;

/// The change of a word of a state: the bits to keep, and the bits to put.
typedef struct {
  uint64_t keep, put;
  uint32_t word;
} explore_patch;

/// A copy of one slot's value to another slot.
typedef struct {
  explore_place from, to;
} explore_move;

typedef struct {
  explore_patch first;  // most leaves change one word
  explore_patch *rest;
  explore_move *moves;
  explore_write *writes;
  uint64_t added;  // the sum of the hashes of the written values
  uint32_t rest_count, rest_capacity, move_count, move_capacity, write_count;
  uint32_t trie, reason, next;  // `next`: of the same trie
  explore_leaf_kind kind;
} explore_outcome;

// MARK: Workers

typedef struct {
  uint32_t count;
  uint32_t values[EXPLORE_MOST_DRAWS], outcomes[EXPLORE_MOST_DRAWS];
} explore_draws;

/// Successors, in the order in which they were generated.
typedef struct {
  uint64_t *words, *hashes;
  // With several workers: the table entries of new states, and all successors sorted by region.
  uint64_t *positions;
  uint32_t *order, starts[(1 << EXPLORE_REGION_BITS) + 1];
  uint32_t *parents;
  uint16_t *movers;
  uint32_t *times;  // with bounds: how many recent successors each one stands for
  uint32_t count, capacity, position_capacity, order_capacity, times_capacity;
  uint32_t number;                  // of the first new state
  uint32_t recent[EXPLORE_RECENT];  // recent successors by hash
} explore_batch;

/// Findings: the first one of each kind. A worker's list begins with fixed entries, two for each
/// trie (no and yes) and one for the deadlock; faults follow. `table` is a hash table of items
/// (numbers plus one; 0: empty). It does not have the fixed entries.
typedef struct {
  explore_finding *items;
  uint32_t *table;
  uint32_t count, capacity, table_size;  // a power of two, or 0
  uint32_t listed;                       // how many items are in the table
} explore_tallies;

/// The verdict of the gates on a played mover: the leaf under which it is counted (0: call `miss`),
/// and the leaf of the part that it follows.
typedef struct {
  explore_cell cell;
  uint32_t follows;
} explore_judged;

typedef struct {
  explore *search;
  uint32_t number;
  /// The state in view, the state after it (for a question about steps), and the mover between
  /// them. Tries read the words here. A new layout moves them: pointers are valid until the next
  /// miss.
  uint64_t *view;
  uint32_t view_words;
  uint32_t state, depth;  // its number, and its level
  uint32_t times;         // how many successors it stands for: counts and findings grow by it
  uint32_t mover;         // ordinal
  explore_draws draws;
  uint64_t *counts;  // by leaf
  // The counts at the start of the round, for undo.c.
  uint64_t *marked, marked_generated, marked_outside, marked_checked;
  uint32_t marked_capacity;
  uint32_t *values;
  uint32_t value_capacity;
  uint64_t generated, misses, checked, outside;
  explore_tallies tallies;
  uint64_t *rows;   // how often each row of the groups was used
  uint64_t *ready;  // bits of the movers to try
  uint32_t *cells;  // the cell at which the walk of each continues
  uint32_t row_capacity, cell_capacity, ready_capacity;
  uint64_t *seen;  // hashes of recent successors
  explore_forms forms;
  // The owner's answer for a played trie.
  explore_outcome answer;
  explore_cell answer_cell;  // for counting
  uint32_t follows;          // the leaf of a part, in place of `answer`; EXPLORE_NONE: none
  uint32_t asks;             // the trie about which the owner is asked
  bool is_answered;
  // The judgements of the played movers in the state that is being expanded.
  explore_judgement *judgements;
  explore_judged *judged;
  uint32_t judgement_capacity, judged_capacity, judged_count, judged_next;
  pthread_t thread;
} explore_worker;

typedef void explore_job(explore_worker *worker);

/// Workers do a job together. A worker that is in a callback, or has no work, *rests*: it does not
/// touch the search. Memory is moved only while all other workers rest.
typedef struct {
  pthread_mutex_t gate, change;  // `gate`: for the fields here; `change`: held while learning
  pthread_cond_t stir, settled;
  atomic_bool pausing;
  uint32_t running, at_work;
  uint64_t jobs;
  explore_job *job;
  uint32_t started;
  bool is_over;
} explore_world;

typedef struct {
  uint64_t *entries;  // 32 bits of tag and 32 of the state's number plus one; 0: empty
  uint64_t size;
} explore_table;

struct explore {
  explore_options options;
  explore_owner owner;
  void *owned_by;
  atomic_size_t used[EXPLORE_USES];
  atomic_int status;  // the first error
  atomic_bool stopping;

  uint32_t *domains;  // the number of values of each
  uint32_t domain_count, domain_capacity;
  uint32_t *slots;  // the domain of each
  uint32_t slot_count, slot_capacity;
  explore_layout layout;
  bool is_unsettled;  // the layout may be too small for the slots and domains
  explore_symmetry symmetry;

  // The store, in chunks. With hashes, the words of expanded states are freed.
  uint64_t **words, **hashes;
  uint32_t **parents;
  uint16_t **movers;
  uint32_t chunk_count, chunk_capacity, first_chunk;
  uint32_t count;     // stored states
  uint32_t expanded;  // the first ones are expanded
  explore_table table;
  uint64_t generated;  // initial states

  explore_trie *tries;
  uint32_t trie_count, trie_capacity;
  uint32_t *by_kind[EXPLORE_PART + 1];  // numbers of tries
  uint32_t kind_count[EXPLORE_PART + 1], kind_capacity[EXPLORE_PART + 1];
  explore_groups groups;
  uint64_t version;  // grows with each change of a trie
  explore_outcome *leaves;
  uint32_t leaf_count, leaf_capacity;
  uint32_t *leaf_table;  // a hash table of leaves by content: numbers plus one
  uint32_t leaf_table_size;
  uint8_t *scratch;
  size_t scratch_capacity;

  uint32_t *begun;  // the values of the initial states, one state after the other
  uint32_t begun_count, begun_capacity;
  uint32_t *begun_widths;
  uint32_t begins, begins_capacity;
  bool begins_outside;  // an initial state is outside of the bounds

  uint32_t *levels;  // the first state of each level
  uint32_t level_count, level_capacity;
  uint32_t level_end;  // one past the last state of the last level
  bool is_full, is_running;
  bool can_undo;           // the current round can be stopped, because it can be undone
  uint32_t marked_leaves;  // the number of leaves at its start
  uint32_t asked;          // the first states, for which all questions are answered

  explore_worker *workers;
  uint32_t worker_count;
  explore_world world;
  explore_batch batches[EXPLORE_BATCHES];
  uint32_t batch_count, batch_size;  // of this round; the states that each batch expands
  uint32_t round_first, round_last;  // the states that the round expands
  uint32_t *played;                  // the movers that were played at its start
  uint32_t played_count, played_capacity;
  uint32_t asked_first, asked_last;  // the states that `explore_ask_fresh` asks about
  atomic_uint next;                  // the next part of a job that no worker has taken
  explore_tallies tallies;
};

// MARK: Memory (memory.c)

/// Resizes a block and counts its bytes; size 0 frees it. Without memory, changes nothing and
/// returns false.
bool explore_resize(explore *search, explore_use use, void *block, size_t old, size_t size);
/// Grows a block to at least `count` elements. `*capacity` is the number of elements for which it
/// has room. Returns false without memory.
bool explore_reserve(explore *search, explore_use use, void *block, uint32_t *capacity,
  uint64_t count, size_t element);
/// Allocates a large block of zeros; returns NULL without memory.
void *explore_clear_block(explore *search, size_t size);
void explore_drop_block(explore *search, void *block, size_t size);
/// Sets the status of the search, unless it has an error already. Returns `status`.
explore_status explore_fail(explore *search, explore_status status);

// MARK: Layout (layout.c)

/// Returns the number of bits for so many values.
uint32_t explore_width(uint32_t values);
/// Returns true if every slot has a place that is wide enough for its domain.
bool explore_layout_fits(const explore *search);
/// Places new slots in free bits of the words. Returns false if there are too few, or if a slot has
/// become too narrow for its domain.
bool explore_layout_extend(explore *search, bool *has_memory);
/// Makes a layout of all slots with as few words as possible. Free bits are given to slots, one
/// each. Returns false without memory.
bool explore_layout_make(explore *search, explore_layout *layout);
void explore_layout_free(explore *search, explore_layout *layout);
static inline uint32_t explore_get(const uint64_t *words, explore_place place) {
  return (uint32_t)((words[place.word] >> place.shift) & (((uint64_t)1 << place.width) - 1));
}
static inline void explore_set(uint64_t *words, explore_place place, uint32_t value) {
  words[place.word] |= (uint64_t)value << place.shift;
}

// MARK: Store (store.c)

/// Reserves memory for so many states.
explore_status explore_make_room(explore *search, uint64_t states);
/// Frees the words of expanded states (hash compaction).
void explore_forget_words(explore *search);
static inline uint64_t *explore_words(const explore *search, uint32_t state) {
  return search->words[state >> EXPLORE_CHUNK_BITS] +
         (size_t)(state & (EXPLORE_CHUNK - 1)) * search->layout.words;
}
static inline uint64_t *explore_kept_hash(const explore *search, uint32_t state) {
  return search->hashes[state >> EXPLORE_CHUNK_BITS] + (state & (EXPLORE_CHUNK - 1));
}
static inline uint32_t *explore_parent_of(const explore *search, uint32_t state) {
  return search->parents[state >> EXPLORE_CHUNK_BITS] + (state & (EXPLORE_CHUNK - 1));
}
static inline uint16_t *explore_mover_of(const explore *search, uint32_t state) {
  return search->movers[state >> EXPLORE_CHUNK_BITS] + (state & (EXPLORE_CHUNK - 1));
}

// MARK: Table (table.c)

/// Returns the hash by which a state is looked up.
uint64_t explore_hash(explore_worker *worker, const uint64_t *words);
/// Returns the hash of a stored state. Call it only while no other worker works.
uint64_t explore_hash_of(explore *search, uint32_t state);
/// Reserves table entries for so many more states; builds a larger table if necessary.
explore_status explore_make_table(explore *search, uint64_t more);
/// Enters all stored states into the table, which is cleared first.
void explore_fill_table(explore *search);
/// Returns the number of the stored state that is equal or symmetric to a state. If there is none,
/// returns EXPLORE_NONE, and `position`, if not NULL, receives the position for its entry.
uint32_t explore_find(
  explore_worker *worker, uint64_t hash, const uint64_t *words, uint64_t *position);

// MARK: Symmetry (symmetry.c, canonical.c)

/// Returns the hash of the canonical state of a state's orbit. Here and below, a lack of memory
/// sets the status of the search.
uint64_t explore_hash_form(explore_worker *worker, const uint64_t *words);
/// Returns the size of a state's orbit; 0 without memory.
uint64_t explore_orbit_of(explore_worker *worker, const uint64_t *words);
/// Returns true if two states have the same orbit.
bool explore_same_form(explore_worker *worker, const uint64_t *a, const uint64_t *b);
void explore_close_symmetry(explore *search);

// MARK: Repacking (repack.c)

/// Places new slots; if the layout is too small, repacks all states.
explore_status explore_settle(explore *search);
/// Clears the workers' caches of recent hashes: hashes have changed, or successors were dropped.
void explore_forget_seen(explore *search);

// MARK: Asking (asking.c)

/// Returns the leaf of a trie for the state in view; asks the owner if it is not learned. The
/// worker's `draws` are the outcomes of random draws; new ones are appended. After an error, sets
/// the status and returns 0.
explore_cell explore_resolve(explore_worker *worker, explore_trie *trie);
/// The same for a question. Also counts the answer.
explore_cell explore_decide(explore_worker *worker, explore_trie *trie);
/// The result of the leaf that `explore_resolve` returned: for a played trie, the answer.
const explore_outcome *explore_outcome_of(
  const explore_worker *worker, const explore_trie *trie, explore_cell cell);
/// Has the owner check a leaf. If the result differs, sets the status and returns false.
bool explore_check_leaf(explore_worker *worker, explore_trie *trie, explore_cell cell);
/// Copies a state into the worker's view.
void explore_view(explore_worker *worker, uint32_t state, uint32_t depth);

// MARK: Judging (judging.c)

/// Unpacks the state in view into `values`, for a step also the state after it. Returns false
/// without memory.
bool explore_list_values(explore_worker *worker, bool is_step, uint32_t *listed);
/// Lists the movers that are played.
void explore_list_played(explore *search);
/// Asks the owner for the verdicts of the gates on those movers in the state in view. After an
/// error, sets the status and returns false.
bool explore_judge_played(explore_worker *worker);
/// Returns the verdict on a mover; 0 if there is none. Movers must come in the order of numbers.
explore_cell explore_take_judged(explore_worker *worker, const explore_trie *trie);
/// Returns true if a leaf was dropped because its trie has become played.
bool explore_is_dropped(const explore *search, uint32_t leaf);

// MARK: Workers (workers.c)

/// The worker uses the search from now on. Waits while another worker moves memory.
void explore_stir(explore_worker *worker);
/// The worker does not use the search until it calls `explore_stir`.
void explore_rest(explore_worker *worker);
/// Waits until all workers rest, and keeps them there until `explore_release`. The caller must rest
/// too, and hold `change`.
void explore_hold(explore *search);
void explore_release(explore *search);
/// Has all workers do a job, and waits for them. A job of one part is done by the first worker.
void explore_together(explore *search, explore_job *job, uint32_t parts);
void explore_start_workers(explore *search);
void explore_end_workers(explore *search);
/// Rests while another worker holds the search.
static inline void explore_pause(explore_worker *worker) {
  if (!atomic_load_explicit(&worker->search->world.pausing, memory_order_relaxed)) return;
  explore_rest(worker);
  explore_stir(worker);
}

#endif
