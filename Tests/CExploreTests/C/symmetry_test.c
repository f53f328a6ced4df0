/// Values that may be exchanged: as many states are left as there are orbits, whichever form they
/// are known by, and each is really reached from the one before.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore_symmetry.h"
#include "model.h"

enum { TOKENS = 5, LEVELS = 3, HOLDER = TOKENS, SLOTS = TOKENS + 1, STATES = 243 * (TOKENS + 1) };

/// Tokens that are raised, and one of which is held: a slot for each, and one that says which.
typedef struct {
  explore *search;
} tokens;

/// Mover t raises token t; mover TOKENS + t takes hold of it where the one that is held is full.
static bool move(uint32_t mover, uint32_t *slots) {
  uint32_t token = mover % TOKENS;
  if (mover < TOKENS) {
    if (slots[token] + 1 == LEVELS) return false;
    slots[token]++;
    return true;
  }
  if (slots[HOLDER] != 0 && slots[slots[HOLDER] - 1] + 1 < LEVELS) return false;
  slots[HOLDER] = token + 1;
  return true;
}

static explore_status miss(void *owner, uint32_t thread, uint32_t trie, const uint32_t *slots,
  uint32_t count, const uint32_t *draws, uint32_t draw_count) {
  (void)thread, (void)draws, (void)draw_count;
  tokens *t = owner;
  uint32_t after[SLOTS];
  explore_read reads[SLOTS];
  explore_write writes[SLOTS];
  memcpy(after, slots, sizeof after);
  bool passes = move(trie, after);
  for (uint32_t i = 0; i < count; i++) {
    reads[i] = (explore_read){i, slots[i]};
    writes[i] = (explore_write){i, after[i]};
  }
  explore_leaf leaf = {EXPLORE_PASSES, 0, writes, SLOTS};
  if (!passes) leaf = (explore_leaf){EXPLORE_REFUSED, 1, NULL, 0};
  return explore_learn(t->search, trie, reads, count, leaf);
}

static bool tell(explore *search) {
  uint32_t first, level, holder, slot;
  bool is_told = explore_add_symmetry(search, TOKENS, &first) == EXPLORE_OK &&
                 explore_add_domain(search, &level) == EXPLORE_OK &&
                 explore_add_domain(search, &holder) == EXPLORE_OK &&
                 explore_grow_domain(search, level, LEVELS) == EXPLORE_OK &&
                 explore_grow_domain(search, holder, TOKENS + 1) == EXPLORE_OK;
  for (uint32_t i = 0; i < SLOTS && is_told; i++) {
    uint32_t domain = i == HOLDER ? holder : level;
    is_told = explore_add_slot(search, domain, &slot) == EXPLORE_OK &&
              explore_place_slot(search, slot, domain, i == HOLDER ? HOLDER : 0,
                i == HOLDER ? EXPLORE_NONE : first + i) == EXPLORE_OK;
  }
  for (uint32_t i = 0; i < TOKENS && is_told; i++) {
    is_told = explore_name_value(search, holder, i + 1, first + i) == EXPLORE_OK;
    for (uint32_t k = i + 1; k < TOKENS && is_told; k++) {
      is_told =
        explore_exchange_slots(search, first + i, first + k, i, k) == EXPLORE_OK &&
        explore_exchange_slots(search, first + i, first + k, HOLDER, HOLDER) == EXPLORE_OK &&
        explore_exchange_values(search, first + i, first + k, holder, i + 1, k + 1) == EXPLORE_OK;
    }
  }
  return is_told;
}

/// The state without the names of the tokens: the number of tokens at each level, and the level of
/// the one that is held.
static uint32_t orbit_of(const uint32_t *slots) {
  uint32_t levels[LEVELS] = {0}, orbit = 0;
  for (uint32_t i = 0; i < TOKENS; i++) levels[slots[i]]++;
  for (uint32_t i = 0; i < LEVELS; i++) orbit = orbit * (TOKENS + 1) + levels[i];
  return orbit * (LEVELS + 1) + (slots[HOLDER] == 0 ? LEVELS : slots[slots[HOLDER] - 1]);
}

static uint32_t number_of(const uint32_t *slots) {
  uint32_t number = slots[HOLDER];
  for (uint32_t i = 0; i < TOKENS; i++) number = number * LEVELS + slots[i];
  return number;
}

/// The number of states that can be reached, up to exchanges if `by` says the orbit of a state.
static uint32_t count_reached(uint32_t (*by)(const uint32_t *slots)) {
  static bool seen[STATES];
  static uint32_t queue[STATES + 1][SLOTS];
  uint32_t count = 1;
  memset(seen, 0, sizeof seen);
  memset(queue, 0, sizeof queue);
  seen[by(queue[0])] = true;
  for (uint32_t at = 0; at < count; at++) {
    for (uint32_t mover = 0; mover < 2 * TOKENS; mover++) {
      uint32_t *after = queue[count];
      memcpy(after, queue[at], sizeof queue[at]);
      if (!move(mover, after) || seen[by(after)]) continue;
      seen[by(after)] = true;
      count++;
    }
  }
  return count;
}

static bool are_real(const explore *search) {
  for (uint32_t state = 0; state < explore_states(search); state++) {
    uint32_t mover, parent = explore_parent(search, state, &mover), before[SLOTS], after[SLOTS];
    if (parent == EXPLORE_NONE) continue;
    explore_values(search, parent, before, SLOTS);
    explore_values(search, state, after, SLOTS);
    if (!move(mover, before) || memcmp(before, after, sizeof after) != 0) return false;
  }
  return true;
}

static void orbits(uint32_t threads, bool hashes) {
  tokens t = {0};
  explore_owner callbacks = {.miss = miss};
  explore_options options = {.threads = threads, .hashes = hashes};
  t.search = explore_open(options, &callbacks, &t);
  uint32_t trie, none[SLOTS] = {0};
  bool is_ready = t.search != NULL && tell(t.search);
  for (uint32_t i = 0; i < 2 * TOKENS && is_ready; i++) {
    is_ready = explore_add_trie(t.search, EXPLORE_MOVER, &trie) == EXPLORE_OK;
  }
  check(is_ready, "it is told of exchanges", "alike");
  if (is_ready) {
    explore_begin(t.search, none, SLOTS);
    check_number(explore_run(t.search), EXPLORE_OK, "it ends", "alike");
    uint64_t states = 0;
    for (uint32_t i = 0; i < explore_states(t.search); i++) states += explore_orbit(t.search, i);
    check_number(
      explore_count(t.search).distinct, count_reached(orbit_of), "orbits are counted", "alike");
    check_number(states, count_reached(number_of), "orbits have all states", "alike");
    check(are_real(t.search), "ways are real", "alike");
  }
  explore_close(t.search);
}

static void what_cannot_be(void) {
  explore_owner callbacks = {.miss = miss};
  explore *search = explore_open((explore_options){.threads = 1}, &callbacks, NULL);
  uint32_t first;
  check_number(explore_add_symmetry(search, 1, &first), EXPLORE_TOO_MANY, "one is none", "alike");
  check_number(explore_add_symmetry(search, 33, &first), EXPLORE_TOO_MANY, "too many", "alike");
  check_number(explore_add_symmetry(search, 2, &first), EXPLORE_OK, "two", "alike");
  check_number(explore_add_symmetry(search, 2, &first), EXPLORE_OK, "two others", "alike");
  check_number(explore_exchange_slots(search, 0, 1, 3, 3), EXPLORE_INCONSISTENT,
    "slots that nobody has placed", "alike");
  check_number(explore_exchange_values(search, 1, 2, 0, 0, 1), EXPLORE_INCONSISTENT,
    "values of two groups", "alike");
  explore_close(search);
}

int main(void) {
  for (uint32_t threads = 1; threads <= 4; threads += 3) {
    orbits(threads, false);
    orbits(threads, true);
  }
  what_cannot_be();
  printf("alike: %d passed, %d failed\n", passed, failed);
  return failed > 0;
}
