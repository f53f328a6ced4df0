#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int passed, failed;

void check(bool is_so, const char *what, const char *name) {
  if (is_so) {
    passed++;
    return;
  }
  failed++;
  printf("FAIL %s: %s\n", name, what);
}

void check_number(uint64_t found, uint64_t expected, const char *what, const char *name) {
  if (found == expected) {
    passed++;
    return;
  }
  failed++;
  printf("FAIL %s: %s is %llu, not %llu\n", name, what, (unsigned long long)found,
    (unsigned long long)expected);
}

// MARK: Runs

void start_run(run *r, const model *m, const uint32_t *before, const uint32_t *after,
  const uint32_t *draws, uint32_t draw_count) {
  memset(r, 0, offsetof(run, reads));
  r->read_count = 0, r->reason = 0, r->by = 0;
  r->before = before, r->after = after, r->draws = draws, r->draw_count = draw_count;
  r->slots = m->slots;
  memcpy(r->now, before, m->slots * sizeof *before);
}

static void note(run *r, uint32_t key, uint32_t value) {
  r->reads[r->read_count++] = (explore_read){key, value};
}

uint32_t get(run *r, uint32_t slot) {
  if (!r->written[slot] && !r->read[slot]) {
    r->read[slot] = true;
    note(r, slot, r->before[slot]);
  }
  return r->now[slot];
}

uint32_t get_after(run *r, uint32_t slot) {
  if (!r->read[MOST_SLOTS + slot]) {
    r->read[MOST_SLOTS + slot] = true;
    note(r, slot | EXPLORE_AFTER, r->after[slot]);
  }
  return r->after[slot];
}

uint32_t get_by(run *r) {
  bool is_noted = false;
  for (uint32_t i = 0; i < r->read_count; i++) is_noted |= r->reads[i].slot == EXPLORE_BY;
  if (!is_noted) note(r, EXPLORE_BY, r->by);
  return r->by;
}

void put(run *r, uint32_t slot, uint32_t value) {
  r->now[slot] = value;
  r->written[slot] = true;
}

uint32_t draw(run *r, uint32_t outcomes) {
  uint32_t value = r->drawn < r->draw_count ? r->draws[r->drawn] : 0;
  r->drawn++;
  note(r, outcomes | EXPLORE_DRAW, value);
  return value;
}

// MARK: Owning

static uint32_t slot_for(owner *o, uint32_t slot) {
  if (o->slot_of[slot] == EXPLORE_NONE) {
    if (explore_add_domain(o->search, &o->domain[slot]) != EXPLORE_OK ||
        explore_add_slot(o->search, o->domain[slot], &o->slot_of[slot]) != EXPLORE_OK) {
      o->is_broken = true;
      return 0;
    }
    o->model_slot[o->slot_of[slot]] = slot;
    o->slot_count++;
    o->value_count[slot] = 1;
  }
  return o->slot_of[slot];
}

static uint32_t number_for(owner *o, uint32_t slot, uint32_t value) {
  slot_for(o, slot);
  if (o->is_broken) return 0;
  if (o->number_of[slot][value] == EXPLORE_NONE) {
    uint32_t number = o->value_count[slot]++;
    o->number_of[slot][value] = number;
    o->value_of[slot][number] = value;
    explore_grow_domain(o->search, o->domain[slot], o->value_count[slot]);
  }
  return o->number_of[slot][value];
}

static void translate(const owner *o, const uint32_t *slots, uint32_t count, uint32_t *values) {
  memset(values, 0, o->m->slots * sizeof *values);
  for (uint32_t i = 0; i < count; i++) {
    values[o->model_slot[i]] = o->value_of[o->model_slot[i]][slots[i]];
  }
}

static explore_status learn(owner *o, uint32_t trie, run *r, explore_leaf_kind kind) {
  explore_write writes[MOST_SLOTS];
  uint32_t count = 0;
  for (uint32_t i = 0; i < r->read_count; i++) {
    explore_read *read = &r->reads[i];
    if (read->slot & (EXPLORE_DRAW | EXPLORE_BY)) continue;
    uint32_t slot = read->slot & ~EXPLORE_AFTER, flag = read->slot & EXPLORE_AFTER;
    read->value = number_for(o, slot, read->value);
    read->slot = slot_for(o, slot) | flag;
  }
  for (uint32_t slot = 0; slot < r->slots; slot++) {
    if (!r->written[slot] || kind != EXPLORE_PASSES) continue;
    uint32_t value = number_for(o, slot, r->now[slot]);
    writes[count++] = (explore_write){slot_for(o, slot), value};
  }
  if (o->is_broken) return EXPLORE_NO_MEMORY;
  explore_leaf leaf = {kind, r->reason, writes, count};
  return explore_learn(o->search, trie, r->reads, r->read_count, leaf);
}

static explore_status again(owner *o, uint32_t trie, const uint32_t *slots, uint32_t count,
  const uint32_t *draws, uint32_t draw_count, explore_leaf_kind *said) {
  bool is_step = o->m->kind(o->m, trie) == EXPLORE_STEP;
  uint32_t before[MOST_SLOTS], after[MOST_SLOTS];
  run *r = malloc(sizeof *r);
  pthread_mutex_lock(&o->lock);
  translate(o, slots, is_step ? count / 2 : count, before);
  if (is_step) translate(o, slots + count / 2, count / 2, after);
  pthread_mutex_unlock(&o->lock);
  start_run(r, o->m, before, after, draws, is_step ? 0 : draw_count);
  if (is_step) r->by = draws[0];
  *said = o->m->leaf(o->m, r, trie);
  pthread_mutex_lock(&o->lock);
  explore_status status = learn(o, trie, r, *said);
  pthread_mutex_unlock(&o->lock);
  free(r);
  return status;
}

static explore_status miss(void *given, uint32_t thread, uint32_t trie, const uint32_t *slots,
  uint32_t count, const uint32_t *draws, uint32_t draw_count) {
  owner *o = given;
  explore_leaf_kind said;
  (void)thread;
  if (__atomic_add_fetch(&o->misses, 1, __ATOMIC_RELAXED) == o->stop_at_miss)
    explore_stop(o->search);
  uint64_t times = __atomic_add_fetch(&o->trie_misses[trie], 1, __ATOMIC_RELAXED);
  bool is_often = o->play_after != 0 && times == o->play_after;
  if (is_often || (o->play_every != 0 && trie % o->play_every == 0)) {
    explore_learn(o->search, trie, NULL, 0, (explore_leaf){.kind = EXPLORE_PLAYED});
  }
  return again(o, trie, slots, count, draws, draw_count, &said);
}

/// To learn once more what is known contradicts it where it is not so.
static bool is_right(void *given, uint32_t thread, uint32_t trie, const uint32_t *slots,
  uint32_t count, const uint32_t *draws, uint32_t draw_count, uint32_t leaf) {
  owner *o = given;
  explore_leaf_kind said;
  (void)thread;
  return again(o, trie, slots, count, draws, draw_count, &said) == EXPLORE_OK &&
         explore_leaf_at(o->search, leaf).kind == said;
}

static bool progress(void *given) {
  owner *o = given;
  return ++o->progresses != o->stop_at;
}

const explore_owner owner_callbacks = {.miss = miss, .progress = progress};
static const explore_owner checking = {.miss = miss, .check = is_right, .progress = progress};

void own(owner *o, const model *m, explore_options options, bool grows) {
  o->m = m;
  o->grows = grows;
  pthread_mutex_init(&o->lock, NULL);
  o->search = explore_open(options, o->checks ? &checking : &owner_callbacks, o);
  o->is_broken = o->search == NULL;
  if (o->is_broken) return;
  memset(o->slot_of, 0xff, sizeof o->slot_of);
  memset(o->number_of, 0xff, sizeof o->number_of);
  for (uint32_t slot = 0; slot < m->slots; slot++) {
    o->number_of[slot][0] = o->value_of[slot][0] = 0;
    if (grows) continue;
    for (uint32_t value = 0; value < m->values; value++) number_for(o, slot, value);
  }
  for (uint32_t i = 0; i < m->tries && !o->is_broken; i++) {
    uint32_t trie;
    if (explore_add_trie(o->search, m->kind(m, i), &trie) != EXPLORE_OK) o->is_broken = true;
  }
  for (uint32_t i = 0; i < m->begins; i++) {
    uint32_t values[MOST_SLOTS] = {0};
    for (uint32_t slot = 0; slot < m->slots; slot++) {
      if (m->begin[i][slot] == 0) continue;
      uint32_t value = number_for(o, slot, m->begin[i][slot]);
      values[slot_for(o, slot)] = value;
    }
    if (o->is_broken) return;
    if (explore_begin(o->search, values, o->slot_count) != EXPLORE_OK) o->is_broken = true;
  }
}

explore_status own_and_run(owner *o, const model *m, explore_options options, bool grows) {
  own(o, m, options, grows);
  return o->is_broken ? EXPLORE_NO_MEMORY : explore_run(o->search);
}

void disown(owner *o) {
  explore_close(o->search);
  pthread_mutex_destroy(&o->lock);
}

void values_of(const owner *o, uint32_t state, uint32_t *values) {
  uint32_t slots[MOST_SLOTS];
  explore_values(o->search, state, slots, o->slot_count);
  translate(o, slots, o->slot_count, values);
}
