/// The owner's declarations of symmetry: which slots and values an exchange of two values changes.

#include <stdlib.h>
#include <string.h>

#include "parts.h"

explore_status explore_add_symmetry(explore *search, uint32_t count, uint32_t *first) {
  explore_symmetry *symmetry = &search->symmetry;
  if (search->slot_count > 0 || search->is_running) return EXPLORE_INCONSISTENT;
  if (count < 2 || count > EXPLORE_MOST_SYMMETRIC - symmetry->count) return EXPLORE_TOO_MANY;
  uint32_t old = symmetry->exchange_capacity, all = symmetry->count + count;
  if (!explore_reserve(search, EXPLORE_OF_TRIES, &symmetry->exchanges, &symmetry->exchange_capacity,
        exchanges_of(all), sizeof *symmetry->exchanges))
    return EXPLORE_NO_MEMORY;
  memset(symmetry->exchanges + old, 0,
    (symmetry->exchange_capacity - old) * sizeof *symmetry->exchanges);
  *first = symmetry->count;
  for (uint32_t i = symmetry->count; i < all; i++) symmetry->ends[i] = all;
  symmetry->count = all;
  return EXPLORE_OK;
}

static bool may_exchange(const explore *search, uint32_t one, uint32_t other) {
  const explore_symmetry *symmetry = &search->symmetry;
  return one < symmetry->count && other < symmetry->count && one != other &&
         symmetry->ends[one] == symmetry->ends[other];
}

/// Grows a list to at least `count` elements; new ones are zero. Returns false without memory.
static bool make_room(
  explore *search, void *list, uint32_t *capacity, uint64_t count, size_t element) {
  uint32_t old = *capacity;
  if (!explore_reserve(search, EXPLORE_OF_TRIES, list, capacity, count, element)) return false;
  memset(*(char **)list + old * element, 0, (*capacity - old) * element);
  return true;
}

/// Holds all workers until `end_telling`, so that none computes a canonical state.
static void begin_telling(explore *search) {
  pthread_mutex_lock(&search->world.change);
  explore_hold(search);
}

static explore_status end_telling(explore *search, bool is_told) {
  explore_release(search);
  pthread_mutex_unlock(&search->world.change);
  return is_told ? EXPLORE_OK : EXPLORE_NO_MEMORY;
}

explore_status explore_exchange_slots(
  explore *search, uint32_t one, uint32_t other, uint32_t slot, uint32_t with) {
  if (!may_exchange(search, one, other)) return EXPLORE_INCONSISTENT;
  uint32_t slots = search->symmetry.slot_count;
  if (slot >= slots || with >= slots) return EXPLORE_INCONSISTENT;
  explore_exchange *exchange = &search->symmetry.exchanges[exchange_of(one, other)];
  begin_telling(search);
  bool has_room = make_room(search, &exchange->pairs, &exchange->capacity,
    (uint64_t)exchange->count + 1, sizeof *exchange->pairs);
  if (has_room) exchange->pairs[exchange->count++] = (explore_pair){slot, with};
  return end_telling(search, has_room);
}

/// Returns a domain with room for the images of a value. New values are their own images. Returns
/// NULL without memory.
static explore_symmetric_domain *domain_with(explore *search, uint32_t number, uint32_t value) {
  explore_symmetry *symmetry = &search->symmetry;
  uint32_t exchanges = exchanges_of(symmetry->count);
  if (!make_room(search, &symmetry->domains, &symmetry->domain_capacity, (uint64_t)number + 1,
        sizeof *symmetry->domains))
    return NULL;
  if (symmetry->domain_count <= number) symmetry->domain_count = number + 1;
  explore_symmetric_domain *domain = &symmetry->domains[number];
  if (!make_room(search, &domain->names, &domain->name_capacity, (uint64_t)value + 1,
        sizeof *domain->names) ||
      !make_room(search, &domain->images, &domain->image_capacity,
        ((uint64_t)value + 1) * exchanges, sizeof *domain->images))
    return NULL;
  for (; domain->count <= value; domain->count++) {
    for (uint32_t i = 0; i < exchanges; i++) {
      domain->images[domain->count * exchanges + i] = domain->count;
    }
  }
  return domain;
}

explore_status explore_exchange_values(
  explore *search, uint32_t one, uint32_t other, uint32_t domain, uint32_t value, uint32_t with) {
  if (!may_exchange(search, one, other)) return EXPLORE_INCONSISTENT;
  uint32_t exchanges = exchanges_of(search->symmetry.count), exchange = exchange_of(one, other);
  begin_telling(search);
  explore_symmetric_domain *found = domain_with(search, domain, value > with ? value : with);
  if (found != NULL) {
    found->images[value * exchanges + exchange] = with;
    found->images[with * exchanges + exchange] = value;
    if (value != with && found->names[value] == 0) found->names[value] = SYMMETRY_MOVED;
    if (value != with && found->names[with] == 0) found->names[with] = SYMMETRY_MOVED;
  }
  return end_telling(search, found != NULL);
}

explore_status explore_name_value(
  explore *search, uint32_t domain, uint32_t value, uint32_t member) {
  if (member >= search->symmetry.count) return EXPLORE_INCONSISTENT;
  begin_telling(search);
  explore_symmetric_domain *found = domain_with(search, domain, value);
  if (found != NULL) found->names[value] = member + 1;
  return end_telling(search, found != NULL);
}

explore_status explore_place_slot(
  explore *search, uint32_t slot, uint32_t domain, uint32_t row, uint32_t member) {
  explore_symmetry *symmetry = &search->symmetry;
  if (member != EXPLORE_NONE && member >= symmetry->count) return EXPLORE_INCONSISTENT;
  begin_telling(search);
  bool has_room = make_room(search, &symmetry->slots, &symmetry->slot_capacity, (uint64_t)slot + 1,
    sizeof *symmetry->slots);
  if (has_room) {
    symmetry->slots[slot] =
      (explore_symmetric_slot){row + 1, member == EXPLORE_NONE ? 0 : member + 1, domain};
    if (symmetry->slot_count <= slot) symmetry->slot_count = slot + 1;
  }
  return end_telling(search, has_room);
}

void explore_close_symmetry(explore *search) {
  explore_symmetry *symmetry = &search->symmetry;
  for (uint32_t i = 0; i < exchanges_of(symmetry->count); i++) free(symmetry->exchanges[i].pairs);
  for (uint32_t i = 0; i < symmetry->domain_count; i++) {
    free(symmetry->domains[i].images);
    free(symmetry->domains[i].names);
  }
  free(symmetry->exchanges);
  free(symmetry->domains);
  free(symmetry->slots);
  for (uint32_t i = 0; i < search->worker_count; i++) {
    explore_forms *forms = &search->workers[i].forms;
    free(forms->values);
    free(forms->best[0]);
    free(forms->best[1]);
  }
}
