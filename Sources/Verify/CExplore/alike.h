/// The exchanges that the owner has declared, and the forms of states under them.

#ifndef EXPLORE_PARTS_ALIKE_H
#define EXPLORE_PARTS_ALIKE_H

#include "explore_alike.h"

typedef struct {
  uint32_t slot, with;
} explore_pair;

#define ALIKE_MOVED UINT32_MAX  // no value that is exchanged, but what exchanges change

/// The number of an exchange, and how many there are.
static inline uint32_t exchange_of(uint32_t one, uint32_t other) {
  uint32_t low = one < other ? one : other, high = one < other ? other : one;
  return high * (high - 1) / 2 + low;
}
static inline uint32_t exchanges_of(uint32_t count) { return count * (count - 1) / 2; }

/// The pairs of slots that exchanging two values changes.
typedef struct {
  explore_pair *pairs;
  uint32_t count, capacity;
} explore_exchange;

/// The values of a domain under each exchange. Values beyond `count` stay.
typedef struct {
  uint32_t *images;  // of each value, by every exchange
  uint32_t *names;   // of each value: which one that is exchanged it is, plus one; or ALIKE_MOVED
  uint32_t count, image_capacity, name_capacity;
} explore_alike_domain;

typedef struct {
  uint32_t row, alike;  // each plus one; 0: none
  uint32_t domain;
} explore_alike_slot;

typedef struct {
  uint32_t count;                     // values that may be exchanged; 0: none
  uint32_t ends[EXPLORE_MOST_ALIKE];  // of each: the one after those with which it may be
  explore_exchange *exchanges;        // of each pair, see `exchange_of`
  explore_alike_domain *domains;
  explore_alike_slot *slots;
  uint32_t exchange_capacity, domain_count, domain_capacity, slot_count, slot_capacity;
} explore_alike;

/// The buffers in which a worker computes forms.
typedef struct {
  uint32_t *values, *best[2];
  uint32_t value_capacity, best_capacity[2];
} explore_forms;

#endif
