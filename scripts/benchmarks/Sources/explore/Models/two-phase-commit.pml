/* Two-phase commit with 8 managers: the states and steps of two-phase-commit.lua, and its
   property, asserted after each step. */
byte rm[8]; /* 0 working, 1 prepared, 2 committed, 3 aborted */
bit done, commit, abort;
bit prepared[8], told[8];

#define ANY(v) (rm[0] == v || rm[1] == v || rm[2] == v || rm[3] == v || rm[4] == v || rm[5] == v || \
  rm[6] == v || rm[7] == v)
#define HOLD assert(!(ANY(2) && ANY(3)))

#define MANAGER(r) \
  :: d_step { done == 0 && told[r] -> prepared[r] = 1; HOLD } \
  :: d_step { rm[r] == 0 -> rm[r] = 1; told[r] = 1; HOLD } \
  :: d_step { rm[r] == 0 -> rm[r] = 3; HOLD } \
  :: d_step { commit -> rm[r] = 2; HOLD } \
  :: d_step { abort -> rm[r] = 3; HOLD }

active proctype all() {
  do
  MANAGER(0) MANAGER(1) MANAGER(2) MANAGER(3) MANAGER(4) MANAGER(5) MANAGER(6) MANAGER(7)
  :: d_step { done == 0 && prepared[0] && prepared[1] && prepared[2] && prepared[3] && prepared[4] &&
       prepared[5] && prepared[6] && prepared[7] -> done = 1; commit = 1; HOLD }
  :: d_step { done == 0 -> done = 1; abort = 1; HOLD }
  od
}
