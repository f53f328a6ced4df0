/// Models with published numbers of states.

#include "model.h"

#include <string.h>

static void begin(model *m, const char *name, uint32_t slots, uint32_t values, uint32_t tries) {
  memset(m, 0, sizeof *m);
  m->name = name;
  m->slots = slots, m->values = values, m->tries = tries;
  m->begins = 1;
}

// MARK: Two-phase commit (Lamport)

enum { WORKING, PREPARED, COMMITTED, ABORTED };
enum { TM_INIT, TM_COMMITTED, TM_ABORTED };

/// Slots: managers, tm, who is known to be prepared, messages of being prepared, commit, abort.
/// Tries: tm_commit, tm_abort, and five for each manager; then the question.
static explore_kind two_phase_kind(const model *m, uint32_t trie) {
  return trie < 2 + 5 * m->n ? EXPLORE_MOVER : EXPLORE_QUESTION;
}

static explore_leaf_kind consistent(const model *m, run *r) {
  bool is_aborted = false, is_committed = false;
  for (uint32_t i = 0; i < m->n; i++) {
    is_aborted |= get(r, i) == ABORTED;
    is_committed |= get(r, i) == COMMITTED;
  }
  return is_aborted && is_committed ? EXPLORE_REFUSED : EXPLORE_PASSES;
}

static explore_leaf_kind two_phase_leaf(const model *m, run *r, uint32_t trie) {
  uint32_t n = m->n, tm = n, known = n + 1, sent = 2 * n + 1, commit = 3 * n + 1,
           abort = commit + 1;
  if (trie == 2 + 5 * n) return consistent(m, r);
  // Questions that are there if the number of tries is raised: is it decided, are all managers
  // done?
  if (trie == 3 + 5 * n) return get(r, tm) == TM_INIT ? EXPLORE_REFUSED : EXPLORE_PASSES;
  if (trie == 4 + 5 * n) {
    for (uint32_t i = 0; i < n; i++) {
      if (get(r, i) < COMMITTED) return EXPLORE_REFUSED;
    }
    return EXPLORE_PASSES;
  }
  if (trie == 5 + 5 * n) return EXPLORE_REFUSED;
  if (trie < 2 && get(r, tm) != TM_INIT) return EXPLORE_REFUSED;
  if (trie == 0) {
    for (uint32_t i = 0; i < n; i++) {
      if (!get(r, known + i)) return EXPLORE_REFUSED;
    }
    put(r, tm, TM_COMMITTED);
    put(r, commit, 1);
    return EXPLORE_PASSES;
  }
  if (trie == 1) {
    put(r, tm, TM_ABORTED);
    put(r, abort, 1);
    return EXPLORE_PASSES;
  }
  uint32_t what = (trie - 2) / n, i = (trie - 2) % n;
  switch (what) {
    case 0:
      if (get(r, tm) != TM_INIT || !get(r, sent + i)) return EXPLORE_REFUSED;
      put(r, known + i, 1);
      return EXPLORE_PASSES;
    case 1:
      if (get(r, i) != WORKING) return EXPLORE_REFUSED;
      put(r, i, PREPARED);
      put(r, sent + i, 1);
      return EXPLORE_PASSES;
    case 2:
      if (get(r, i) != WORKING) return EXPLORE_REFUSED;
      put(r, i, ABORTED);
      return EXPLORE_PASSES;
    case 3:
      if (!get(r, commit)) return EXPLORE_REFUSED;
      put(r, i, COMMITTED);
      return EXPLORE_PASSES;
    default:
      if (!get(r, abort)) return EXPLORE_REFUSED;
      put(r, i, ABORTED);
      return EXPLORE_PASSES;
  }
}

void two_phase(model *m, uint32_t managers) {
  begin(m, "two-phase commit", 3 * managers + 3, 4, 3 + 5 * managers);
  m->n = managers;
  m->kind = two_phase_kind;
  m->leaf = two_phase_leaf;
}

// MARK: Transaction commit (Lamport)

static explore_kind commit_kind(const model *m, uint32_t trie) {
  return trie < 3 * m->n ? EXPLORE_MOVER : trie == 3 * m->n ? EXPLORE_QUESTION : EXPLORE_END;
}

static explore_leaf_kind commit_leaf(const model *m, run *r, uint32_t trie) {
  uint32_t i = trie % m->n;
  if (trie == 3 * m->n) return consistent(m, r);
  if (trie > 3 * m->n) {
    for (uint32_t j = 0; j < m->n; j++) {
      if (get(r, j) == WORKING || get(r, j) == PREPARED) return EXPLORE_REFUSED;
    }
    return EXPLORE_PASSES;
  }
  switch (trie / m->n) {
    case 0:
      if (get(r, i) != WORKING) return EXPLORE_REFUSED;
      put(r, i, PREPARED);
      return EXPLORE_PASSES;
    case 1:
      if (get(r, i) != PREPARED) return EXPLORE_REFUSED;
      for (uint32_t j = 0; j < m->n; j++) {
        if (get(r, j) != PREPARED && get(r, j) != COMMITTED) return EXPLORE_REFUSED;
      }
      put(r, i, COMMITTED);
      return EXPLORE_PASSES;
    default:
      if (get(r, i) != WORKING && get(r, i) != PREPARED) return EXPLORE_REFUSED;
      for (uint32_t j = 0; j < m->n; j++) {
        if (get(r, j) == COMMITTED) return EXPLORE_REFUSED;
      }
      put(r, i, ABORTED);
      return EXPLORE_PASSES;
  }
}

void transaction_commit(model *m, uint32_t managers) {
  begin(m, "transaction commit", managers, 4, 3 * managers + 2);
  m->n = managers;
  m->kind = commit_kind;
  m->leaf = commit_leaf;
}

// MARK: The jugs of Die Hard

static explore_kind jugs_kind(const model *m, uint32_t trie) {
  (void)m;
  return trie < 6 ? EXPLORE_MOVER : EXPLORE_QUESTION;
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

static explore_leaf_kind jugs_leaf(const model *m, run *r, uint32_t trie) {
  enum { SMALL, BIG };
  (void)m;
  switch (trie) {
    case 0: put(r, SMALL, 3); break;
    case 1: put(r, BIG, 5); break;
    case 2: put(r, SMALL, 0); break;
    case 3: put(r, BIG, 0); break;
    case 4: {
      uint32_t small = get(r, SMALL), big = get(r, BIG), to = least(small + big, 5);
      put(r, BIG, to);
      put(r, SMALL, small - (to - big));
      break;
    }
    case 5: {
      uint32_t small = get(r, SMALL), big = get(r, BIG), to = least(small + big, 3);
      put(r, SMALL, to);
      put(r, BIG, big - (to - small));
      break;
    }
    default: return get(r, BIG) == 4 ? EXPLORE_REFUSED : EXPLORE_PASSES;
  }
  return EXPLORE_PASSES;
}

void jugs(model *m) {
  begin(m, "the jugs", 2, 6, 7);
  m->kind = jugs_kind;
  m->leaf = jugs_leaf;
}

// MARK: Dining philosophers

/// Each takes one fork, then the other one, the left or the right first, and puts both back. Slots:
/// what a philosopher holds (0 none, 1 left, 2 right, 3 both); forks follow (0 free).
static explore_kind philosophers_kind(const model *m, uint32_t trie) {
  return trie < 5 * m->n ? EXPLORE_MOVER : EXPLORE_QUESTION;
}

static explore_leaf_kind philosophers_leaf(const model *m, run *r, uint32_t trie) {
  uint32_t n = m->n, i = trie / 5, left = n + i, right = n + (i + 1) % n;
  if (trie >= 5 * n) return EXPLORE_PASSES;
  static const uint32_t from[] = {0, 0, 1, 2, 3}, to[] = {1, 2, 3, 3, 0};
  uint32_t what = trie % 5;
  if (get(r, i) != from[what]) return EXPLORE_REFUSED;
  uint32_t fork = what == 0 || what == 3 ? left : right;
  if (what == 4) {
    put(r, left, 0);
    put(r, right, 0);
  } else {
    if (get(r, fork)) return EXPLORE_REFUSED;
    put(r, fork, 1);
  }
  put(r, i, to[what]);
  return EXPLORE_PASSES;
}

void philosophers(model *m, uint32_t count) {
  begin(m, "philosophers", 2 * count, 4, 5 * count + 1);
  m->n = count;
  m->kind = philosophers_kind;
  m->leaf = philosophers_leaf;
}

// MARK: Peterson

/// Slots: where each of the two is (0 elsewhere, 1 wants, 2 has said so, 3 waits, 4 is in, 5
/// leaves), what it has said, whose turn it is.
static explore_kind peterson_kind(const model *m, uint32_t trie) {
  (void)m;
  return trie < 12 ? EXPLORE_MOVER : EXPLORE_QUESTION;
}

static explore_leaf_kind peterson_leaf(const model *m, run *r, uint32_t trie) {
  (void)m;
  if (trie == 12) return get(r, 0) >= 4 && get(r, 1) >= 4 ? EXPLORE_REFUSED : EXPLORE_PASSES;
  uint32_t me = trie % 2, other = 1 - me, what = trie / 2;
  if (get(r, me) != what) return EXPLORE_REFUSED;
  if (what == 1) put(r, 2 + me, 1);
  if (what == 2) put(r, 4, other);
  if (what == 3 && get(r, 2 + other) && get(r, 4) == other) return EXPLORE_REFUSED;
  if (what == 5) put(r, 2 + me, 0);
  put(r, me, (what + 1) % 6);
  return EXPLORE_PASSES;
}

void peterson(model *m) {
  begin(m, "Peterson", 5, 6, 13);
  m->kind = peterson_kind;
  m->leaf = peterson_leaf;
}
