/// The form that states have in common which are alike.
///
/// Each value that may be exchanged gets a signature: a sum over what stands in the slots that
/// belong to it, and over where it stands itself. An exchange of two values exchanges their
/// signatures. So a state is brought to where signatures ascend; where some are equal, and
/// exchanging the two does not lead to the same state, the least of all ways to order them is taken.
/// Signatures, and what is the least, go by numbers of slots and values, never by how they are
/// packed: a form stays as it is when slots, values and words are added.

#include <stdlib.h>
#include <string.h>

#include "parts.h"

#define ALIKE_MOVED UINT32_MAX
#define ALIKE_ITSELF (UINT32_MAX - 1)
#define ALIKE_ANOTHER (UINT32_MAX - 2)

static inline uint32_t exchange_of(uint32_t one, uint32_t other) {
  uint32_t low = one < other ? one : other, high = one < other ? other : one;
  return high * (high - 1) / 2 + low;
}

static uint32_t exchanges_of(uint32_t count) { return count * (count - 1) / 2; }

// MARK: What is told

explore_status explore_add_alike(explore *search, uint32_t count, uint32_t *first) {
  explore_alike *alike = &search->alike;
  if (search->slot_count > 0 || search->is_running) return EXPLORE_INCONSISTENT;
  if (count < 2 || count > EXPLORE_MOST_ALIKE - alike->count) return EXPLORE_TOO_MANY;
  uint32_t old = alike->exchange_capacity, all = alike->count + count;
  if (!explore_reserve(search, EXPLORE_OF_TRIES, &alike->exchanges, &alike->exchange_capacity,
        exchanges_of(all), sizeof *alike->exchanges))
    return EXPLORE_NO_MEMORY;
  memset(alike->exchanges + old, 0, (alike->exchange_capacity - old) * sizeof *alike->exchanges);
  *first = alike->count;
  for (uint32_t i = alike->count; i < all; i++) alike->ends[i] = all;
  alike->count = all;
  return EXPLORE_OK;
}

static bool may_exchange(const explore *search, uint32_t one, uint32_t other) {
  const explore_alike *alike = &search->alike;
  return one < alike->count && other < alike->count && one != other &&
         alike->ends[one] == alike->ends[other];
}

/// A list for `count` elements; what it has more than before is cleared.
static bool make_room(
  explore *search, void *list, uint32_t *capacity, uint64_t count, size_t element) {
  uint32_t old = *capacity;
  if (!explore_reserve(search, EXPLORE_OF_TRIES, list, capacity, count, element)) return false;
  memset(*(char **)list + old * element, 0, (*capacity - old) * element);
  return true;
}

/// Until `end_telling` nobody makes forms.
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
  uint32_t slots = search->alike.slot_count;
  if (slot >= slots || with >= slots) return EXPLORE_INCONSISTENT;
  explore_exchange *exchange = &search->alike.exchanges[exchange_of(one, other)];
  begin_telling(search);
  bool has_room = make_room(search, &exchange->pairs, &exchange->capacity,
    (uint64_t)exchange->count + 1, sizeof *exchange->pairs);
  if (has_room) exchange->pairs[exchange->count++] = (explore_pair){slot, with};
  return end_telling(search, has_room);
}

/// There is room for what is known of a value; what is new of others stays as it is.
static explore_alike_domain *domain_with(explore *search, uint32_t number, uint32_t value) {
  explore_alike *alike = &search->alike;
  uint32_t exchanges = exchanges_of(alike->count);
  if (!make_room(search, &alike->domains, &alike->domain_capacity, (uint64_t)number + 1,
        sizeof *alike->domains))
    return NULL;
  if (alike->domain_count <= number) alike->domain_count = number + 1;
  explore_alike_domain *domain = &alike->domains[number];
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
  uint32_t exchanges = exchanges_of(search->alike.count), exchange = exchange_of(one, other);
  begin_telling(search);
  explore_alike_domain *found = domain_with(search, domain, value > with ? value : with);
  if (found != NULL) {
    found->images[value * exchanges + exchange] = with;
    found->images[with * exchanges + exchange] = value;
    if (value != with && found->names[value] == 0) found->names[value] = ALIKE_MOVED;
    if (value != with && found->names[with] == 0) found->names[with] = ALIKE_MOVED;
  }
  return end_telling(search, found != NULL);
}

explore_status explore_name_value(
  explore *search, uint32_t domain, uint32_t value, uint32_t alike) {
  if (alike >= search->alike.count) return EXPLORE_INCONSISTENT;
  begin_telling(search);
  explore_alike_domain *found = domain_with(search, domain, value);
  if (found != NULL) found->names[value] = alike + 1;
  return end_telling(search, found != NULL);
}

explore_status explore_place_slot(
  explore *search, uint32_t slot, uint32_t domain, uint32_t row, uint32_t member) {
  explore_alike *alike = &search->alike;
  if (member != EXPLORE_NONE && member >= alike->count) return EXPLORE_INCONSISTENT;
  begin_telling(search);
  bool has_room = make_room(
    search, &alike->slots, &alike->slot_capacity, (uint64_t)slot + 1, sizeof *alike->slots);
  if (has_room) {
    alike->slots[slot] =
      (explore_alike_slot){row + 1, member == EXPLORE_NONE ? 0 : member + 1, domain};
    if (alike->slot_count <= slot) alike->slot_count = slot + 1;
  }
  return end_telling(search, has_room);
}

void explore_close_alike(explore *search) {
  explore_alike *alike = &search->alike;
  for (uint32_t i = 0; i < exchanges_of(alike->count); i++) free(alike->exchanges[i].pairs);
  for (uint32_t i = 0; i < alike->domain_count; i++) {
    free(alike->domains[i].images);
    free(alike->domains[i].names);
  }
  free(alike->exchanges);
  free(alike->domains);
  free(alike->slots);
  for (uint32_t i = 0; i < search->worker_count; i++) {
    explore_forms *forms = &search->workers[i].forms;
    free(forms->values);
    free(forms->best[0]);
    free(forms->best[1]);
  }
}

// MARK: Forms

typedef struct {
  const explore *search;
  uint32_t *values, *best;
  uint32_t count;  // slots
  uint64_t signatures[EXPLORE_MOST_ALIKE];
  // Values of one signature that are not the same: the first of each such class, and how many.
  uint32_t classes, firsts[EXPLORE_MOST_ALIKE], sizes[EXPLORE_MOST_ALIKE];
  bool has_best;
} forming;

static inline uint32_t image_of(const forming *f, uint32_t slot, uint32_t exchange) {
  const explore_alike *alike = &f->search->alike;
  uint32_t value = f->values[slot], number = alike->slots[slot].domain;
  if (number >= alike->domain_count) return value;
  const explore_alike_domain *domain = &alike->domains[number];
  if (value >= domain->count) return value;
  return domain->images[value * exchanges_of(alike->count) + exchange];
}

static void apply(forming *f, uint32_t one, uint32_t other) {
  uint32_t number = exchange_of(one, other);
  const explore_exchange *exchange = &f->search->alike.exchanges[number];
  for (uint32_t i = 0; i < exchange->count; i++) {
    explore_pair pair = exchange->pairs[i];
    // What has no place yet is 0 in all states, as is what it changes places with.
    if (pair.slot >= f->count || pair.with >= f->count) continue;
    uint32_t value = image_of(f, pair.slot, number);
    f->values[pair.slot] = image_of(f, pair.with, number);
    f->values[pair.with] = value;
  }
}

static bool changes_nothing(const forming *f, uint32_t one, uint32_t other) {
  uint32_t number = exchange_of(one, other);
  const explore_exchange *exchange = &f->search->alike.exchanges[number];
  for (uint32_t i = 0; i < exchange->count; i++) {
    explore_pair pair = exchange->pairs[i];
    if (pair.slot >= f->count || pair.with >= f->count) continue;
    if (image_of(f, pair.slot, number) != f->values[pair.with]) return false;
  }
  return true;
}

static void sign(forming *f) {
  const explore_alike *alike = &f->search->alike;
  uint32_t count = f->count < alike->slot_count ? f->count : alike->slot_count;
  memset(f->signatures, 0, alike->count * sizeof *f->signatures);
  for (uint32_t slot = 0; slot < count; slot++) {
    explore_alike_slot at = alike->slots[slot];
    if (at.row == 0) continue;
    uint32_t value = f->values[slot], number = at.domain, name = 0;
    if (number < alike->domain_count && value < alike->domains[number].count)
      name = alike->domains[number].names[value];
    if (at.alike != 0) {
      uint32_t seen = name == 0          ? value
                      : name == at.alike ? ALIKE_ITSELF
                                         : ALIKE_ANOTHER;
      f->signatures[at.alike - 1] += explore_hash_value(2 * at.row, seen);
    }
    if (name != 0 && name != ALIKE_MOVED && name != at.alike)
      f->signatures[name - 1] += explore_hash_value(2 * at.row + 1, 1);
  }
}

/// Orders the values of each group by their signatures.
static void sort(forming *f) {
  const explore_alike *alike = &f->search->alike;
  for (uint32_t at = 0; at < alike->count; at++) {
    uint32_t least = at;
    for (uint32_t i = at + 1; i < alike->ends[at]; i++) {
      if (f->signatures[i] < f->signatures[least]) least = i;
    }
    if (least == at) continue;
    uint64_t signature = f->signatures[at];
    f->signatures[at] = f->signatures[least];
    f->signatures[least] = signature;
    apply(f, at, least);
  }
}

static void find_classes(forming *f) {
  const explore_alike *alike = &f->search->alike;
  f->classes = 0;
  for (uint32_t first = 0, end; first < alike->count; first = end) {
    bool are_same = true;
    for (end = first + 1; end < alike->ends[first] && f->signatures[end] == f->signatures[first];
         end++) {
      are_same = are_same && changes_nothing(f, end - 1, end);
    }
    if (are_same) continue;
    f->firsts[f->classes] = first;
    f->sizes[f->classes++] = end - first;
  }
}

static void note_form(forming *f) {
  size_t bytes = f->count * sizeof *f->values;
  for (uint32_t i = 0; f->has_best && i < f->count; i++) {
    if (f->values[i] == f->best[i]) continue;
    if (f->values[i] > f->best[i]) return;
    break;
  }
  memcpy(f->best, f->values, bytes);
  f->has_best = true;
}

/// Goes through all orders of the first `size` values of a class, and of all classes after it: by
/// one exchange from each to the next, after Heap.
static void go_through(forming *f, uint32_t number, uint32_t size) {
  if (number == f->classes) return note_form(f);
  if (size <= 1)
    return go_through(f, number + 1, number + 1 < f->classes ? f->sizes[number + 1] : 0);
  uint32_t first = f->firsts[number];
  for (uint32_t i = 0; i < size; i++) {
    go_through(f, number, size - 1);
    if (i + 1 < size) apply(f, first + (size % 2 == 0 ? i : 0), first + size - 1);
  }
}

/// The values of a state's form, which stay until `which` is made anew. NULL: there is no memory,
/// which is noted.
static const uint32_t *form_of(explore_worker *worker, const uint64_t *words, int which) {
  explore *search = worker->search;
  explore_forms *forms = &worker->forms;
  uint32_t count = search->layout.count;
  if (!explore_reserve(search, EXPLORE_OF_TRIES, &forms->values, &forms->value_capacity,
        (uint64_t)count + 1, sizeof *forms->values) ||
      !explore_reserve(search, EXPLORE_OF_TRIES, &forms->best[which], &forms->best_capacity[which],
        (uint64_t)count + 1, sizeof *forms->values)) {
    explore_fail(search, EXPLORE_NO_MEMORY);
    return NULL;
  }
  forming f = {
    .search = search, .values = forms->values, .best = forms->best[which], .count = count};
  for (uint32_t slot = 0; slot < count; slot++) {
    f.values[slot] = explore_get(words, search->layout.places[slot]);
  }
  sign(&f);
  sort(&f);
  find_classes(&f);
  go_through(&f, 0, f.classes > 0 ? f.sizes[0] : 0);
  return f.best;
}

uint64_t explore_hash_form(explore_worker *worker, const uint64_t *words) {
  const uint32_t *form = form_of(worker, words, 0);
  uint64_t hash = 0;
  for (uint32_t slot = 0; form != NULL && slot < worker->search->layout.count; slot++) {
    hash += explore_hash_value(slot, form[slot]);
  }
  return hash;
}

bool explore_same_form(explore_worker *worker, const uint64_t *a, const uint64_t *b) {
  const uint32_t *one = form_of(worker, a, 0), *other = form_of(worker, b, 1);
  return one != NULL && other != NULL &&
         memcmp(one, other, worker->search->layout.count * sizeof *one) == 0;
}
