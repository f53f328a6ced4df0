/// The canonical form of a class of symmetric states.
///
/// Each symmetric value gets a signature: a sum over the values in the slots that belong to it, and
/// over the slots that contain it. An exchange of two values exchanges their signatures. The
/// canonical form orders the values by signature. Where signatures are equal and the exchange
/// changes the state, the least of all permutations is used. Signatures and their order depend on
/// the numbers of slots and values, never on the layout, so a form stays the same when slots,
/// values and words are added.

#include <string.h>

#include "parts.h"
#include "table.h"

#define SYMMETRY_ITSELF (UINT32_MAX - 1)
#define SYMMETRY_ANOTHER (UINT32_MAX - 2)

typedef struct {
  const explore *search;
  uint32_t *values, *best;
  uint32_t count;  // slots
  uint64_t signatures[EXPLORE_MOST_SYMMETRIC];
  // Values with one signature that are not interchangeable: the first and size of each class.
  uint32_t classes, firsts[EXPLORE_MOST_SYMMETRIC], sizes[EXPLORE_MOST_SYMMETRIC];
  uint64_t same;   // the number of permutations that change nothing
  uint64_t equal;  // the number of orders of the classes that give the best form
  bool has_best;
} forming;

static inline uint32_t image_of(const forming *f, uint32_t slot, uint32_t exchange) {
  const explore_symmetry *symmetry = &f->search->symmetry;
  uint32_t value = f->values[slot], number = symmetry->slots[slot].domain;
  if (number >= symmetry->domain_count) return value;
  const explore_symmetric_domain *domain = &symmetry->domains[number];
  if (value >= domain->count) return value;
  return domain->images[value * exchanges_of(symmetry->count) + exchange];
}

static void apply(forming *f, uint32_t one, uint32_t other) {
  uint32_t number = exchange_of(one, other);
  const explore_exchange *exchange = &f->search->symmetry.exchanges[number];
  for (uint32_t i = 0; i < exchange->count; i++) {
    explore_pair pair = exchange->pairs[i];
    // A slot without a place is 0 in all states, and so is the slot that it changes places with.
    if (pair.slot >= f->count || pair.with >= f->count) continue;
    uint32_t value = image_of(f, pair.slot, number);
    f->values[pair.slot] = image_of(f, pair.with, number);
    f->values[pair.with] = value;
  }
}

static bool changes_nothing(const forming *f, uint32_t one, uint32_t other) {
  uint32_t number = exchange_of(one, other);
  const explore_exchange *exchange = &f->search->symmetry.exchanges[number];
  for (uint32_t i = 0; i < exchange->count; i++) {
    explore_pair pair = exchange->pairs[i];
    if (pair.slot >= f->count || pair.with >= f->count) continue;
    if (image_of(f, pair.slot, number) != f->values[pair.with]) return false;
  }
  return true;
}

static void sign(forming *f) {
  const explore_symmetry *symmetry = &f->search->symmetry;
  uint32_t count = f->count < symmetry->slot_count ? f->count : symmetry->slot_count;
  memset(f->signatures, 0, symmetry->count * sizeof *f->signatures);
  for (uint32_t slot = 0; slot < count; slot++) {
    explore_symmetric_slot at = symmetry->slots[slot];
    if (at.row == 0) continue;
    uint32_t value = f->values[slot], number = at.domain, name = 0;
    if (number < symmetry->domain_count && value < symmetry->domains[number].count)
      name = symmetry->domains[number].names[value];
    if (at.member != 0) {
      uint32_t seen = name == 0 ? value : name == at.member ? SYMMETRY_ITSELF : SYMMETRY_ANOTHER;
      f->signatures[at.member - 1] += explore_hash_value(2 * at.row, seen);
    }
    if (name != 0 && name != SYMMETRY_MOVED && name != at.member)
      f->signatures[name - 1] += explore_hash_value(2 * at.row + 1, 1);
  }
}

/// Orders the values of each group by their signatures.
static void sort(forming *f) {
  const explore_symmetry *symmetry = &f->search->symmetry;
  for (uint32_t at = 0; at < symmetry->count; at++) {
    uint32_t least = at;
    for (uint32_t i = at + 1; i < symmetry->ends[at]; i++) {
      if (f->signatures[i] < f->signatures[least]) least = i;
    }
    if (least == at) continue;
    uint64_t signature = f->signatures[at];
    f->signatures[at] = f->signatures[least];
    f->signatures[least] = signature;
    apply(f, at, least);
  }
}

static uint64_t orders_of(uint32_t count) {
  uint64_t orders = 1;
  for (uint32_t i = 2; i <= count; i++) orders *= i;
  return orders;
}

static void find_classes(forming *f) {
  const explore_symmetry *symmetry = &f->search->symmetry;
  f->classes = 0;
  f->same = 1;
  for (uint32_t first = 0, end; first < symmetry->count; first = end) {
    bool are_same = true;
    for (end = first + 1; end < symmetry->ends[first] && f->signatures[end] == f->signatures[first];
         end++) {
      are_same = are_same && changes_nothing(f, end - 1, end);
    }
    if (are_same) f->same *= orders_of(end - first);
    if (are_same) continue;
    f->firsts[f->classes] = first;
    f->sizes[f->classes++] = end - first;
  }
}

static void note_form(forming *f) {
  uint32_t i = 0;
  while (f->has_best && i < f->count && f->values[i] == f->best[i]) i++;
  if (f->has_best && i < f->count && f->values[i] > f->best[i]) return;
  if (f->has_best && i == f->count) {
    f->equal++;
    return;
  }
  memcpy(f->best, f->values, f->count * sizeof *f->values);
  f->equal = 1;
  f->has_best = true;
}

/// Tries all orders of the first `size` values of a class, and of all classes after it: Heap's
/// algorithm, one exchange from each order to the next.
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

/// Computes the canonical form of a state into buffer `which`. Without memory, sets the status of
/// the search and returns false.
static bool make_form(forming *f, explore_worker *worker, const uint64_t *words, int which) {
  explore *search = worker->search;
  explore_forms *forms = &worker->forms;
  uint32_t count = search->layout.count;
  if (!explore_reserve(search, EXPLORE_OF_TRIES, &forms->values, &forms->value_capacity,
        (uint64_t)count + 1, sizeof *forms->values) ||
      !explore_reserve(search, EXPLORE_OF_TRIES, &forms->best[which], &forms->best_capacity[which],
        (uint64_t)count + 1, sizeof *forms->values)) {
    explore_fail(search, EXPLORE_NO_MEMORY);
    return false;
  }
  *f = (forming){
    .search = search, .values = forms->values, .best = forms->best[which], .count = count};
  for (uint32_t slot = 0; slot < count; slot++) {
    f->values[slot] = explore_get(words, search->layout.places[slot]);
  }
  sign(f);
  sort(f);
  find_classes(f);
  go_through(f, 0, f->classes > 0 ? f->sizes[0] : 0);
  return true;
}

static const uint32_t *form_of(explore_worker *worker, const uint64_t *words, int which) {
  forming f;
  return make_form(&f, worker, words, which) ? f.best : NULL;
}

uint64_t explore_orbit_of(explore_worker *worker, const uint64_t *words) {
  const explore_symmetry *symmetry = &worker->search->symmetry;
  uint64_t orders = 1;
  for (uint32_t first = 0; first < symmetry->count; first = symmetry->ends[first])
    orders *= orders_of(symmetry->ends[first] - first);
  forming f;
  return make_form(&f, worker, words, 0) ? orders / (f.same * f.equal) : 0;
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
