/// Groups of movers that read the same slot first.
///
/// Most movers are refused in most states, and most of those by the first slot that they read.
/// Movers that read the same slot first form a group with a row for each value. A row lists the
/// movers to try; it counts the movers that the value refuses together, without a walk for each.
///
/// Invariant: a row gives the same results as walks from the roots of the tries. Rows are built at
/// the start of a large round and do not change within it. Tries only grow, so an old row may make
/// a walk longer, but not wrong; a function that removes nodes clears `is_sound`.

#include <string.h>

#include "parts.h"
#include "search.h"
#include "tries.h"

enum {
  MOST_ROWS = 256,    // of a group
  MADE_ANEW = 32768,  // outdated groups are rebuilt after so many states
};

typedef struct {
  explore *search;
  explore_groups *to;
  bool has_memory;
} making;

static explore_trie *mover_at(explore *search, uint32_t ordinal) {
  return &search->tries[search->by_kind[EXPLORE_MOVER][ordinal]];
}

/// Returns the first cell of a mover's walk whose slot has several values. Slots before it have one
/// value in all states; groups are rebuilt when such a slot gets a second value.
static explore_cell first_cell(const explore *search, const explore_trie *trie) {
  explore_cell cell = trie->code[0];
  while (cell != 0 && !(cell & EXPLORE_LEAF)) {
    const uint32_t *node = trie->code + cell;
    if (node[NODE_KEY] & EXPLORE_FLAGS || node[NODE_CAPACITY] == 0) break;
    if (search->domains[search->slots[node[NODE_KEY]]] > 1) break;
    cell = node[NODE_CHILDREN];
  }
  return cell;
}

/// Returns the slot that a mover reads first, or EXPLORE_NONE if there is none, or if it has too
/// many values for rows.
static uint32_t key_of(const explore *search, const explore_trie *trie) {
  explore_cell cell = first_cell(search, trie);
  if (cell == 0 || cell & EXPLORE_LEAF) return EXPLORE_NONE;
  const uint32_t *node = trie->code + cell;
  if (node[NODE_KEY] & EXPLORE_FLAGS || node[NODE_CAPACITY] > MOST_ROWS) return EXPLORE_NONE;
  return node[NODE_KEY];
}

static void add_cell(making *m, explore_row *row, uint32_t mover, explore_cell cell) {
  explore_groups *to = m->to;
  if (cell != 0 && cell & EXPLORE_LEAF && explore_kind_of(cell) == EXPLORE_REFUSED) {
    if (!explore_reserve(m->search, EXPLORE_OF_TRIES, &to->refused, &to->refused_capacity,
          (uint64_t)to->refused_count + 1, sizeof *to->refused)) {
      m->has_memory = false;
      return;
    }
    to->refused[to->refused_count++] = explore_leaf_of(cell);
    row->refused_count++;
    return;
  }
  if (!explore_reserve(m->search, EXPLORE_OF_TRIES, &to->entries, &to->entry_capacity,
        (uint64_t)to->entry_count + 1, sizeof *to->entries)) {
    m->has_memory = false;
    return;
  }
  to->entries[to->entry_count++] = (explore_entry){mover, cell};
  row->count++;
}

/// Returns the cell at which a mover's walk continues after its first slot has been read.
static explore_cell cell_at(const explore *search, const explore_trie *trie, uint32_t value) {
  const uint32_t *node = trie->code + first_cell(search, trie);
  return value < node[NODE_CAPACITY] ? node[NODE_CHILDREN + value] : 0;
}

static void add_row(making *m, uint32_t key, uint32_t value) {
  explore_groups *to = m->to;
  explore *search = m->search;
  if (!explore_reserve(search, EXPLORE_OF_TRIES, &to->rows, &to->row_capacity,
        (uint64_t)to->row_count + 1, sizeof *to->rows)) {
    m->has_memory = false;
    return;
  }
  explore_row *row = &to->rows[to->row_count++];
  *row = (explore_row){.first = to->entry_count, .first_refused = to->refused_count};
  for (uint32_t i = 0; i < to->member_count; i++) {
    uint32_t mover = to->members[i];
    const explore_trie *trie = mover_at(search, mover);
    add_cell(
      m, row, mover, key == EXPLORE_NONE ? first_cell(search, trie) : cell_at(search, trie, value));
  }
}

static void list_members(explore_groups *to, uint32_t movers, uint32_t key) {
  to->member_count = 0;
  for (uint32_t mover = 0; mover < movers; mover++) {
    if (to->keys[mover] == key) to->members[to->member_count++] = mover;
  }
}

static void add_group(making *m, uint32_t key) {
  explore *search = m->search;
  explore_groups *to = m->to;
  if (!explore_reserve(search, EXPLORE_OF_TRIES, &to->groups, &to->capacity,
        (uint64_t)to->count + 1, sizeof *to->groups)) {
    m->has_memory = false;
    return;
  }
  explore_group group = {.first_row = to->row_count};
  list_members(to, search->kind_count[EXPLORE_MOVER], key);
  for (uint32_t i = 0; i < to->member_count; i++) {
    const explore_trie *trie = mover_at(search, to->members[i]);
    const uint32_t *node = trie->code + first_cell(search, trie);
    if (node[NODE_CAPACITY] > group.capacity) group.capacity = node[NODE_CAPACITY];
    group.place = node[NODE_PLACE];
    group.mask = node[NODE_MASK];
  }
  to->groups[to->count++] = group;
  // The last row is for values that no walk has met yet.
  for (uint32_t value = 0; value <= group.capacity && m->has_memory; value++) {
    add_row(m, key, value < group.capacity ? value : UINT32_MAX);
  }
}

static bool make_rooms(explore *search) {
  uint32_t movers = search->kind_count[EXPLORE_MOVER];
  for (uint32_t i = 0; i < search->worker_count; i++) {
    explore_worker *worker = &search->workers[i];
    if (!explore_reserve(search, EXPLORE_OF_TRIES, &worker->rows, &worker->row_capacity,
          search->groups.row_count, sizeof *worker->rows) ||
        !explore_reserve(search, EXPLORE_OF_TRIES, &worker->cells, &worker->cell_capacity,
          (uint64_t)movers + 1, sizeof *worker->cells) ||
        !explore_reserve(search, EXPLORE_OF_TRIES, &worker->ready, &worker->ready_capacity,
          movers / 64 + 1, sizeof *worker->ready))
      return false;
    memset(worker->rows, 0, search->groups.row_count * sizeof *worker->rows);
  }
  return true;
}

/// Returns true if the present groups can be used: they are up to date, or recent.
static bool will_do(const explore *search) {
  const explore_groups *of = &search->groups;
  return of->is_sound &&
         (of->version == search->version || search->expanded - of->made_at < MADE_ANEW);
}

void explore_make_groups(explore *search) {
  explore_groups *to = &search->groups;
  making m = {search, to, true};
  uint32_t movers = search->kind_count[EXPLORE_MOVER];
  to->is_current = will_do(search);
  if (to->is_current) return;
  to->is_sound = false;
  to->count = to->row_count = to->entry_count = to->refused_count = 0;
  if (!explore_reserve(search, EXPLORE_OF_TRIES, &to->keys, &to->key_capacity, (uint64_t)movers + 1,
        sizeof *to->keys) ||
      !explore_reserve(search, EXPLORE_OF_TRIES, &to->members, &to->member_capacity,
        (uint64_t)movers + 1, sizeof *to->members))
    return;
  for (uint32_t i = 0; i < movers; i++) to->keys[i] = key_of(search, mover_at(search, i));
  list_members(to, movers, EXPLORE_NONE);
  add_row(&m, EXPLORE_NONE, 0);
  for (uint32_t i = 0; i < movers && m.has_memory; i++) {
    bool is_first = to->keys[i] != EXPLORE_NONE;
    for (uint32_t j = 0; j < i && is_first; j++) is_first = to->keys[j] != to->keys[i];
    if (is_first) add_group(&m, to->keys[i]);
  }
  to->is_current = to->is_sound = m.has_memory && make_rooms(search);
  if (!to->is_sound) to->row_count = 0;
  to->version = search->version;
  to->made_at = search->expanded;
}

void explore_count_rows(explore *search) {
  const explore_groups *of = &search->groups;
  for (uint32_t i = 0; i < search->worker_count; i++) {
    explore_worker *worker = &search->workers[i];
    for (uint32_t n = 0; n < of->row_count; n++) {
      const explore_row *row = &of->rows[n];
      if (worker->rows[n] == 0) continue;
      for (uint32_t k = 0; k < row->refused_count; k++) {
        worker->counts[of->refused[row->first_refused + k]] += worker->rows[n];
      }
      worker->rows[n] = 0;
    }
  }
}

static inline void ready_row(explore_worker *worker, uint32_t number) {
  const explore_groups *of = &worker->search->groups;
  const explore_row *row = &of->rows[number];
  const explore_entry *entry = of->entries + row->first;
  worker->rows[number]++;
  for (uint32_t i = 0; i < row->count; i++, entry++) {
    worker->cells[entry->mover] = entry->cell;
    worker->ready[entry->mover >> 6] |= (uint64_t)1 << (entry->mover & 63);
  }
}

void explore_ready_movers(explore_worker *worker) {
  explore *search = worker->search;
  const explore_groups *of = &search->groups;
  for (uint32_t i = 0; i * 64 < search->kind_count[EXPLORE_MOVER]; i++) worker->ready[i] = 0;
  ready_row(worker, 0);
  for (uint32_t i = 0; i < of->count; i++) {
    const explore_group *group = &of->groups[i];
    uint32_t value =
      (uint32_t)(worker->view[group->place >> 6] >> (group->place & 63)) & group->mask;
    ready_row(worker, group->first_row + (value < group->capacity ? value : group->capacity));
  }
}
