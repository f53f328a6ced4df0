/// Declarations that the files of the search share. None is visible outside of it.

#ifndef EXPLORE_PARTS_H
#define EXPLORE_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "symmetry.h"
#include "explore.h"
#include "groups.h"
#include "keys.h"

enum {
  EXPLORE_CHUNK_BITS = 14,  // states of a chunk of the store
  EXPLORE_CHUNK = 1 << EXPLORE_CHUNK_BITS,
  EXPLORE_MOST_DRAWS = 8,
  EXPLORE_BATCHES = 64,          // of a round, each made by one worker
  EXPLORE_REGION_BITS = 6,       // the table is divided among workers by the first bits of hashes
  EXPLORE_MOST_PARENTS = 256,    // of a batch
  EXPLORE_RECENT = 2048,         // successors that a batch looks back on
  EXPLORE_ASKED_TOGETHER = 128,  // new states that a worker takes to ask about
  EXPLORE_SEEN = 8192,           // and a worker
  EXPLORE_BATCH_BITS = 20,       // successors of a batch
  EXPLORE_DIVIDED = 1 << 18,     // from that size on the table falls into regions
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

/// The number of a node (its offset in the trie's code), of a leaf with EXPLORE_LEAF, or 0: nothing
/// is known yet. Bits 29 and 30 of a leaf are its kind.
typedef uint32_t explore_cell;
#define EXPLORE_LEAF 0x80000000u
#define EXPLORE_LEAF_NUMBER 0x1fffffffu
#define EXPLORE_SPARSE 0x10000000u  // of a node's key: pairs of value and child, hashed
#define EXPLORE_FLAGS 0xf0000000u

/// A node: its key (a slot with flags), where that is (word and shift) and its mask, how many
/// children follow. Code begins with the cell of the root.
enum { NODE_KEY, NODE_PLACE, NODE_MASK, NODE_CAPACITY, NODE_CHILDREN };
/// A node that is sparse has these instead of children, and the pairs after them.
enum { SPARSE_CAPACITY = NODE_CHILDREN, SPARSE_COUNT, SPARSE_PAIRS };

typedef struct {
  explore_kind kind;
  uint32_t number, ordinal;  // among all, and among movers
  uint32_t *code;
  uint32_t code_count, code_capacity;
  uint32_t first_leaf;  // EXPLORE_NONE: none
  uint32_t forgotten;   // how often what was learned of it was
  explore_keys keys;
  bool played, asked;
} explore_trie;

/// The change that a leaf makes to a word.
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
  uint64_t added;  // the sum of the hashes of what is written
  uint32_t rest_count, rest_capacity, move_count, move_capacity, write_count;
  uint32_t trie, reason, next;  // `next`: of the same trie
  explore_leaf_kind kind;
} explore_outcome;

// MARK: Workers

typedef struct {
  uint32_t count;
  uint32_t values[EXPLORE_MOST_DRAWS], outcomes[EXPLORE_MOST_DRAWS];
} explore_draws;

/// Successors, in order.
typedef struct {
  uint64_t *words, *hashes;
  // With several workers: where those that are new are in the table, and all by their regions.
  uint64_t *positions;
  uint32_t *order, starts[(1 << EXPLORE_REGION_BITS) + 1];
  uint32_t *parents;
  uint16_t *movers;
  uint32_t *times;  // with bounds: how often each was made, one after the other or nearly so
  uint32_t count, capacity, position_capacity, order_capacity, times_capacity;
  uint32_t number;                  // of the first that is new
  uint32_t recent[EXPLORE_RECENT];  // by hash, those that came last
} explore_batch;

/// The findings, the first one of each kind. That of a worker begins with two for each trie (no
/// and yes) and the deadlock; faults follow. `table` has the numbers of items by what they are,
/// each with one added (0: none), those that a worker begins with aside.
typedef struct {
  explore_finding *items;
  uint32_t *table;
  uint32_t count, capacity, table_size;  // a power of two, or 0
  uint32_t listed;                       // how many items are in the table
} explore_tallies;

/// The verdict of the gates on a played mover: the leaf it counts as (0: the owner is asked), and
/// the leaf of the part that it follows.
typedef struct {
  explore_cell cell;
  uint32_t follows;
} explore_judged;

typedef struct {
  explore *search;
  uint32_t number;
  /// The state that is looked at, for a step the one after, and the mover on the way. The words in
  /// here are packed anew with the rest, so that a pointer to them is good until the next miss.
  uint64_t *view;
  uint32_t view_words;
  uint32_t state, depth;  // its number, and its level
  uint32_t times;         // how often it was made, for what is found of it
  uint32_t mover;         // ordinal
  explore_draws draws;
  uint64_t *counts;  // by leaf
  // As it was when the round began.
  uint64_t *marked, marked_generated, marked_outside, marked_checked;
  uint32_t marked_capacity;
  uint32_t *values;
  uint32_t value_capacity;
  uint64_t generated, misses, checked, outside;
  explore_tallies tallies;
  uint64_t *rows;   // how often each was met
  uint64_t *ready;  // bits of movers that are to be tried, and where they go on
  uint32_t *cells;
  uint32_t row_capacity, cell_capacity, ready_capacity;
  uint64_t *seen;  // hashes of successors that were made a moment ago
  explore_forms forms;
  // The owner's answer for a played trie.
  explore_outcome answer;
  explore_cell answer_cell;  // for counting
  uint32_t follows;          // the leaf of a part, in place of `answer`; EXPLORE_NONE: none
  uint32_t asks;             // the trie that is missed
  bool is_answered;
  // The judgements of the played movers in the state that is being expanded.
  explore_judgement *judgements;
  explore_judged *judged;
  uint32_t judgement_capacity, judged_capacity, judged_count, judged_next;
  pthread_t thread;
} explore_worker;

typedef void explore_job(explore_worker *worker);

/// Workers go through a job together. One that is in a callback, or has nothing to do, is *quiet*:
/// it touches nothing of the search. What moves things is done when all others are.
typedef struct {
  pthread_mutex_t gate, change;  // `change`: held by who learns
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
  atomic_int status;  // the first that went wrong
  atomic_bool stopping;

  uint32_t *domains;  // how many values each has
  uint32_t domain_count, domain_capacity;
  uint32_t *slots;  // the domain of each
  uint32_t slot_count, slot_capacity;
  explore_layout layout;
  bool is_unsettled;  // slots or domains have changed since the layout was made
  explore_symmetry symmetry;

  // The store: chunks. With hashes, those of words are freed behind the search.
  uint64_t **words, **hashes;
  uint32_t **parents;
  uint16_t **movers;
  uint32_t chunk_count, chunk_capacity, first_chunk;
  uint32_t count;     // states
  uint32_t expanded;  // of them, those that have been gone on from
  explore_table table;
  uint64_t generated;  // of beginnings

  explore_trie *tries;
  uint32_t trie_count, trie_capacity;
  uint32_t *by_kind[EXPLORE_PART + 1];  // numbers of tries
  uint32_t kind_count[EXPLORE_PART + 1], kind_capacity[EXPLORE_PART + 1];
  explore_groups groups;
  uint64_t version;  // counts what is learned
  explore_outcome *leaves;
  uint32_t leaf_count, leaf_capacity;
  uint32_t *leaf_table;  // numbers plus one, by what the leaves say
  uint32_t leaf_table_size;
  uint8_t *scratch;
  size_t scratch_capacity;

  uint32_t *begun;  // values of all slots of the beginnings that are still to be taken
  uint32_t begun_count, begun_capacity;
  uint32_t *begun_widths;
  uint32_t begins, begins_capacity;
  bool begins_outside;  // one of them is out of the bounds

  uint32_t *levels;  // the first state of each
  uint32_t level_count, level_capacity;
  uint32_t level_end;  // the state after those of the last
  bool is_full, is_running;
  bool can_undo;           // this round may be stopped before its end
  uint32_t marked_leaves;  // how many there were when it began
  uint32_t asked;          // states whose questions have been asked

  explore_worker *workers;
  uint32_t worker_count;
  explore_world world;
  explore_batch batches[EXPLORE_BATCHES];
  uint32_t batch_count, batch_size;  // of this round; parents of each
  uint32_t round_first, round_last;  // states that it goes on from
  uint32_t *played;                  // movers that were played when it began
  uint32_t played_count, played_capacity;
  uint32_t asked_first, asked_last;  // states whose questions it asks
  atomic_uint next;                  // what a worker takes next
  explore_tallies tallies;
};

// MARK: Memory (memory.c)

/// Resizes a block, to nothing with 0, and counts it. False, and all is as it was: there is none.
bool explore_resize(explore *search, explore_use use, void *block, size_t old, size_t size);
/// A block for at least `count` elements, `*capacity` of which there is room for so far. False:
/// there is no memory.
bool explore_reserve(explore *search, explore_use use, void *block, uint32_t *capacity,
  uint64_t count, size_t element);
/// A large block, cleared.
void *explore_clear_block(explore *search, size_t size);
void explore_drop_block(explore *search, void *block, size_t size);
/// Notes what went wrong, if nothing has so far. Returns `status`.
explore_status explore_fail(explore *search, explore_status status);

// MARK: Layout (layout.c)

uint32_t explore_width(uint32_t values);
/// Every slot has a place, wide enough for its domain.
bool explore_layout_fits(const explore *search);
/// Gives slots that have no place yet one where there is room. False: there is none, or some slot
/// is not wide enough.
bool explore_layout_extend(explore *search, bool *has_memory);
/// A layout for the slots as they are, of as few words as can be; bits that are left go to slots,
/// one each.
bool explore_layout_make(explore *search, explore_layout *layout);
void explore_layout_free(explore *search, explore_layout *layout);
static inline uint32_t explore_get(const uint64_t *words, explore_place place) {
  return (uint32_t)((words[place.word] >> place.shift) & (((uint64_t)1 << place.width) - 1));
}
static inline void explore_set(uint64_t *words, explore_place place, uint32_t value) {
  words[place.word] |= (uint64_t)value << place.shift;
}

// MARK: Store (store.c)

/// There is room for so many states.
explore_status explore_make_room(explore *search, uint64_t states);
/// Frees the words of states that have been gone on from: with hashes.
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

/// The hash of a state, by which it is looked up.
uint64_t explore_hash(explore_worker *worker, const uint64_t *words);
/// The same of one that is kept: for who alone is at work.
uint64_t explore_hash_of(explore *search, uint32_t state);
/// There is room in the table for so many more states. The table is made anew where there was not.
explore_status explore_make_table(explore *search, uint64_t more);
/// Makes the entries anew, of all states.
void explore_fill_table(explore *search);
/// Returns the number of the stored state, or of one alike, or EXPLORE_NONE. `position`, if not
/// NULL, receives the place of its entry, or the place for it.
uint32_t explore_find(
  explore_worker *worker, uint64_t hash, const uint64_t *words, uint64_t *position);

// MARK: Exchanges (symmetry.c, canonical.c)

/// The hash of what a state has in common with those that are alike. Where there is no memory for
/// it, here and below, that is noted.
uint64_t explore_hash_form(explore_worker *worker, const uint64_t *words);
/// The number of states that exchanges make of a state. 0: there is no memory.
uint64_t explore_orbit_of(explore_worker *worker, const uint64_t *words);
bool explore_same_form(explore_worker *worker, const uint64_t *a, const uint64_t *b);
void explore_close_symmetry(explore *search);

// MARK: Packing anew (repack.c)

/// Gives a place to slots that have none, and packs all states anew where that is needed.
explore_status explore_settle(explore *search);
/// Workers look back on nothing: hashes are other ones, or what was made was dropped.
void explore_forget_seen(explore *search);

// MARK: Asking (asking.c)

/// The leaf of a trie for what the worker views, the owner being asked where that is not known;
/// `draws` of the worker say what chance gives and gave. 0: something went wrong, which is noted.
explore_cell explore_resolve(explore_worker *worker, explore_trie *trie);
/// The same for a question. Also counts the answer.
explore_cell explore_decide(explore_worker *worker, explore_trie *trie);
/// The result of the leaf that `explore_resolve` returned: for a played trie, the answer.
const explore_outcome *explore_outcome_of(
  const explore_worker *worker, const explore_trie *trie, explore_cell cell);
/// Has the owner play a known leaf. If it differs, notes that and returns false.
bool explore_check_leaf(explore_worker *worker, explore_trie *trie, explore_cell cell);
/// Makes the worker view a state.
void explore_view(explore_worker *worker, uint32_t state, uint32_t depth);

// MARK: Judging (judging.c)

/// Lists the values of the state that the worker views. Returns false without memory.
bool explore_list_values(explore_worker *worker, bool is_step, uint32_t *listed);
/// Lists the movers that are played.
void explore_list_played(explore *search);
/// Asks the owner for the verdicts of the gates on those in the state that is viewed. If something
/// goes wrong, notes it and returns false.
bool explore_judge_played(explore_worker *worker);
/// Returns the verdict on a mover; movers must come in their order. 0: there is none.
explore_cell explore_take_judged(explore_worker *worker, const explore_trie *trie);
/// True if a leaf was dropped because its trie is played by now.
bool explore_is_dropped(const explore *search, uint32_t leaf);

// MARK: Workers (world.c)

/// A worker begins to use the search. It waits while another worker moves things.
void explore_stir(explore_worker *worker);
/// The worker stops using the search until it calls `explore_stir`.
void explore_rest(explore_worker *worker);
/// Waits until all workers rest, and holds them there. The caller rests itself, and holds `change`.
void explore_hold(explore *search);
void explore_release(explore *search);
/// Has all workers do a job, and waits for them; the first alone, where there is but one part to
/// do.
void explore_together(explore *search, explore_job *job, uint32_t parts);
void explore_start_workers(explore *search);
void explore_end_workers(explore *search);
/// Waits while another worker holds the search.
static inline void explore_pause(explore_worker *worker) {
  if (!atomic_load_explicit(&worker->search->world.pausing, memory_order_relaxed)) return;
  explore_rest(worker);
  explore_stir(worker);
}

#endif
