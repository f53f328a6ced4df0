/// The symmetries that the owner has declared, and the canonical forms of states.

#ifndef EXPLORE_PARTS_SYMMETRY_H
#define EXPLORE_PARTS_SYMMETRY_H

#include "explore_symmetry.h"

typedef struct {
  uint32_t slot, with;
} explore_pair;

#define SYMMETRY_MOVED UINT32_MAX  // not a symmetric value, but one that exchanges change

/// The number of an exchange of two values, and the number of exchanges of `count` values.
static inline uint32_t exchange_of(uint32_t one, uint32_t other) {
  uint32_t low = one < other ? one : other, high = one < other ? other : one;
  return high * (high - 1) / 2 + low;
}
static inline uint32_t exchanges_of(uint32_t count) { return count * (count - 1) / 2; }

/// The pairs of slots that an exchange of two values changes.
typedef struct {
  explore_pair *pairs;
  uint32_t count, capacity;
} explore_exchange;

/// The values of a domain under each exchange. Values beyond `count` stay.
typedef struct {
  uint32_t *images;  // of each value, by every exchange
  uint32_t *names;   // of each value: its number as a symmetric value plus one, or SYMMETRY_MOVED
  uint32_t count, image_capacity, name_capacity;
} explore_symmetric_domain;

typedef struct {
  uint32_t row, member;  // each plus one; 0: none
  uint32_t domain;
} explore_symmetric_slot;

typedef struct {
  uint32_t count;                         // the number of symmetric values
  uint32_t ends[EXPLORE_MOST_SYMMETRIC];  // of each: the end of its group
  explore_exchange *exchanges;            // of each pair, see `exchange_of`
  explore_symmetric_domain *domains;
  explore_symmetric_slot *slots;
  uint32_t exchange_capacity, domain_count, domain_capacity, slot_count, slot_capacity;
} explore_symmetry;

/// The buffers in which a worker computes forms.
typedef struct {
  uint32_t *values, *best[2];
  uint32_t value_capacity, best_capacity[2];
} explore_forms;

#endif
