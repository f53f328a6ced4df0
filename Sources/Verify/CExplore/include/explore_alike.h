/// Values that may be exchanged: of states that differ only in which of these stands where, one is
/// kept.
///
/// The owner says how exchanging two of them changes a state, by slots that change places and by
/// values that become others; whatever it adds, slot or value, it adds with all that exchanges make
/// of it, before it is learned of. The search keeps the state that it came to first of those that
/// are alike, so that ways back to a beginning are real ways, and it looks states up by a form that
/// they have in common. Not for liveness: `explore_edges` lead to what is alike.

#ifndef EXPLORE_ALIKE_H
#define EXPLORE_ALIKE_H

#include "explore.h"

enum { EXPLORE_MOST_ALIKE = 32 };

/// So many values more may be exchanged among each other, which get numbers that follow on,
/// `*first` being that of the first. Before the first state.
explore_status explore_add_alike(explore *search, uint32_t count, uint32_t *first);
/// Exchanging `one` and `other` has two slots of one domain change places; also what stands in
/// them changes, see `explore_exchange_values`. The same slot twice: it stays, and what stands in
/// it may change.
explore_status explore_exchange_slots(
  explore *search, uint32_t one, uint32_t other, uint32_t slot, uint32_t with);
/// Exchanging them makes two values of a domain each other.
explore_status explore_exchange_values(
  explore *search, uint32_t one, uint32_t other, uint32_t domain, uint32_t value, uint32_t with);
/// A slot in which anything changes by exchanges, told before these, and its domain. `row`: a
/// number that it has in common with the slots that exchanges make of it. `alike`: the value to
/// which it belongs; EXPLORE_NONE where it belongs to none, or to several.
explore_status explore_place_slot(
  explore *search, uint32_t slot, uint32_t domain, uint32_t row, uint32_t alike);
/// A value that is one of those that are exchanged.
explore_status explore_name_value(explore *search, uint32_t domain, uint32_t value, uint32_t alike);
/// The number of states that differ from a state in exchanges alone, itself among them. Returns 0
/// if there is no memory. After the search, by one thread.
uint64_t explore_orbit(explore *search, uint32_t state);

#endif
