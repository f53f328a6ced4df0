/* The barrier of barriers.lua, with its three invariants asserted after each step. */
#define N 6
byte pc[N];
bit lock = 1;
byte gate_1, gate_2, rdv;

#define INSIDE(p) (pc[p] >= 2 && pc[p] <= 5 || pc[p] >= 8 && pc[p] <= 11)
#define MET(p) (pc[p] >= 3 && pc[p] <= 8)
#define SUM(f) (f(0) + f(1) + f(2) + f(3) + f(4) + f(5))
#define ANY(f) (f(0) || f(1) || f(2) || f(3) || f(4) || f(5))
#define FIRST(p) (pc[p] <= 4)
#define SECOND(p) (pc[p] >= 7 && pc[p] <= 10)
#define HOLD \
  assert(SUM(INSIDE) <= 1 && (SUM(INSIDE) == 0 || lock == 0)); \
  assert(rdv == SUM(MET) && (gate_1 == 0 || gate_2 == 0)); \
  assert(!(ANY(FIRST) && ANY(SECOND)))

#define PROCESS(p) \
  :: d_step { pc[p] == 0 -> pc[p] = 1; HOLD } \
  :: d_step { pc[p] == 1 && lock -> lock = 0; pc[p] = 2; HOLD } \
  :: d_step { pc[p] == 2 -> rdv++; pc[p] = 3; HOLD } \
  :: d_step { pc[p] == 3 -> pc[p] = (rdv == N -> 4 : 5); HOLD } \
  :: d_step { pc[p] == 4 -> gate_1 = gate_1 + N; pc[p] = 5; HOLD } \
  :: d_step { pc[p] == 5 -> lock = 1; pc[p] = 6; HOLD } \
  :: d_step { pc[p] == 6 && gate_1 > 0 -> gate_1--; pc[p] = 7; HOLD } \
  :: d_step { pc[p] == 7 && lock -> lock = 0; pc[p] = 8; HOLD } \
  :: d_step { pc[p] == 8 -> rdv--; pc[p] = 9; HOLD } \
  :: d_step { pc[p] == 9 -> pc[p] = (rdv == 0 -> 10 : 11); HOLD } \
  :: d_step { pc[p] == 10 -> gate_2 = gate_2 + N; pc[p] = 11; HOLD } \
  :: d_step { pc[p] == 11 -> lock = 1; pc[p] = 12; HOLD } \
  :: d_step { pc[p] == 12 && gate_2 > 0 -> gate_2--; pc[p] = 0; HOLD }

active proctype all() {
  do
  PROCESS(0) PROCESS(1) PROCESS(2) PROCESS(3) PROCESS(4) PROCESS(5)
  od
}
