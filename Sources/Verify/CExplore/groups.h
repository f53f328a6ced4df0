/// Groups of movers that read the same slot first (groups.c).

#ifndef EXPLORE_GROUPS_H
#define EXPLORE_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

/// A mover that a row does not refuse, and the cell at which its walk continues.
typedef struct {
  uint32_t mover, cell;
} explore_entry;

/// Movers that read the same slot first. A group has a row for each known value of the slot, and a
/// last row for all other values.
typedef struct {
  uint32_t place, mask, capacity, first_row;
} explore_group;

/// A row of a group, for one value of its slot: the movers to try, and the leaves of the movers
/// that it refuses.
typedef struct {
  uint32_t first, count, first_refused, refused_count;
} explore_row;

typedef struct {
  explore_group *groups;
  explore_row *rows;  // the first row: movers without a group
  explore_entry *entries;
  uint32_t *refused, *keys;
  uint32_t count, row_count, entry_count, refused_count;
  uint32_t capacity, row_capacity, entry_capacity, refused_capacity, key_capacity;
  uint32_t *members;  // the movers of the group that is being built
  uint32_t member_count, member_capacity;
  uint64_t version;  // the version of the tries from which the groups were built
  uint32_t made_at;  // the number of expanded states then
  bool is_sound;     // the groups are correct, though more may be learned since
  bool is_current;   // this round uses them
} explore_groups;

#endif
