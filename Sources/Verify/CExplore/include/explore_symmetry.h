/// Symmetry reduction: of all states that differ only in a permutation of symmetric values, the
/// search stores one.
///
/// The owner declares how an exchange of two values changes a state: which slots change places, and
/// which values become each other. It declares this for each slot and value that it adds, before a
/// run that reads them is learned. The search stores the first state of each class that it reaches,
/// so a path from an initial state is a real path. It finds states by a canonical form of their
/// class. Liveness is not supported, because `explore_edges` lead to representatives.

#ifndef EXPLORE_SYMMETRY_H
#define EXPLORE_SYMMETRY_H

#include "explore.h"

enum { EXPLORE_MOST_SYMMETRIC = 32 };

/// Declares a group of `count` values that may be exchanged with each other, before the first
/// state. They get consecutive numbers, from `*first` on.
explore_status explore_add_symmetry(explore *search, uint32_t count, uint32_t *first);
/// Declares that an exchange of `one` and `other` makes two slots of one domain change places. The
/// values in them are exchanged as well, see `explore_exchange_values`. A slot that stays in its
/// place is declared with itself.
explore_status explore_exchange_slots(
  explore *search, uint32_t one, uint32_t other, uint32_t slot, uint32_t with);
/// Declares that an exchange of `one` and `other` exchanges two values of a domain.
explore_status explore_exchange_values(
  explore *search, uint32_t one, uint32_t other, uint32_t domain, uint32_t value, uint32_t with);
/// Declares a slot that some exchange changes, before those exchanges. `row`: a number that the
/// slot shares with the slots that it changes places with. `member`: the symmetric value that the
/// slot belongs to; EXPLORE_NONE if it belongs to none, or to several.
explore_status explore_place_slot(
  explore *search, uint32_t slot, uint32_t domain, uint32_t row, uint32_t member);
/// Declares that a value of a domain is the symmetric value `member`.
explore_status explore_name_value(
  explore *search, uint32_t domain, uint32_t value, uint32_t member);
/// Returns the size of a state's class (its orbit), the state included; 0 if there is not enough
/// memory. Call it after the search, in one thread.
uint64_t explore_orbit(explore *search, uint32_t state);

#endif
