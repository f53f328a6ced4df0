/// Movers in groups, by the slot that tells states apart first (groups.c).

#ifndef EXPLORE_GROUPS_H
#define EXPLORE_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

/// A mover that a row does not refuse at once, and where its walk goes on.
typedef struct {
  uint32_t mover, cell;
} explore_entry;

/// Movers that look at the same slot first. It has a row for each value, and one for all others.
typedef struct {
  uint32_t place, mask, capacity, first_row;
} explore_group;

/// A group's row for one value of its slot: the entries to try, and the leaves of refused movers.
typedef struct {
  uint32_t first, count, first_refused, refused_count;
} explore_row;

typedef struct {
  explore_group *groups;
  explore_row *rows;  // the first: movers that look at no slot first
  explore_entry *entries;
  uint32_t *refused, *keys;
  uint32_t count, row_count, entry_count, refused_count;
  uint32_t capacity, row_capacity, entry_capacity, refused_capacity, key_capacity;
  uint32_t *members;  // movers of the group that is made
  uint32_t member_count, member_capacity;
  uint64_t version;  // of what was learned when they were made
  uint32_t made_at;  // how many states had been gone on from then
  bool is_sound;     // they are of use, though more may be known by now
  bool is_current;   // this round uses them
} explore_groups;

#endif
