/// Models as C functions whose reads are noted, and what owns a search over one: a miss is a traced
/// run of the function.

#ifndef TEST_MODEL_H
#define TEST_MODEL_H

#include <pthread.h>

#include "explore.h"

enum { MOST_SLOTS = 128, MOST_VALUES = 64, MOST_TRIES = 256, MOST_READS = 512 };

/// A run of a mover or a question. Reads after own writes do not count.
typedef struct {
  const uint32_t *before, *after;
  uint32_t now[MOST_SLOTS];
  bool read[2 * MOST_SLOTS], written[MOST_SLOTS];
  const uint32_t *draws;
  uint32_t draw_count, drawn;
  explore_read reads[MOST_READS];
  uint32_t read_count;
  uint32_t slots, reason, by;
} run;

uint32_t get(run *r, uint32_t slot);
uint32_t get_after(run *r, uint32_t slot);  // of a question of steps
uint32_t get_by(run *r);                    // its mover
void put(run *r, uint32_t slot, uint32_t value);
uint32_t draw(run *r, uint32_t outcomes);

typedef struct model model;
struct model {
  const char *name;
  uint32_t slots, values;  // each slot has values 0, 1, ...
  uint32_t tries;
  uint32_t begins, begin[16][MOST_SLOTS];
  explore_kind (*kind)(const model *m, uint32_t trie);
  explore_leaf_kind (*leaf)(const model *m, run *r, uint32_t trie);
  uint32_t n, seed;
};

/// Begins a run over a state.
void start_run(run *r, const model *m, const uint32_t *before, const uint32_t *after,
  const uint32_t *draws, uint32_t draw_count);

/// A search over a model.
typedef struct {
  const model *m;
  explore *search;
  pthread_mutex_t lock;
  // The numbers of slots and values in the model and in the search; with `grows`, in order of
  // appearance.
  bool grows, checks, is_broken;  // `is_broken`: there was no memory for a slot or value
  uint64_t play_after, trie_misses[MOST_TRIES];  // movers that miss so often are played
  uint32_t play_every;  // movers whose number is a multiple of it are played
  uint32_t slot_of[MOST_SLOTS], model_slot[MOST_SLOTS], slot_count;
  uint32_t domain[MOST_SLOTS];
  uint32_t number_of[MOST_SLOTS][MOST_VALUES], value_of[MOST_SLOTS][MOST_VALUES];
  uint32_t value_count[MOST_SLOTS];
  uint64_t misses, progresses, stop_at;  // a number of progresses
  uint64_t stop_at_miss;
} owner;

extern const explore_owner owner_callbacks;
void own(owner *o, const model *m, explore_options options, bool grows);
explore_status own_and_run(owner *o, const model *m, explore_options options, bool grows);
void disown(owner *o);
/// A state of the search, as the model calls its values.
void values_of(const owner *o, uint32_t state, uint32_t *values);

// Models.
void two_phase(model *m, uint32_t managers);
void transaction_commit(model *m, uint32_t managers);
void jugs(model *m);
void philosophers(model *m, uint32_t count);
void peterson(model *m);
void random_model(model *m, uint32_t seed);

// The expected result: a plain search, without learning.
typedef struct {
  uint64_t distinct, generated, outside, deadlocks, played;
  uint64_t yes[MOST_TRIES], no[MOST_TRIES], passed[MOST_TRIES], refused[MOST_TRIES],
    failed[MOST_TRIES];
  uint32_t first_no[MOST_TRIES], depth_no[MOST_TRIES], first_deadlock, depth;
  uint32_t *states, *parents, *movers, *depths, capacity;  // by number
} plain;
void plain_search(plain *p, const model *m, uint64_t most);
void plain_free(plain *p);

// Checks.
extern int passed, failed;
void check(bool is_so, const char *what, const char *name);
void check_number(uint64_t found, uint64_t expected, const char *what, const char *name);

#endif
