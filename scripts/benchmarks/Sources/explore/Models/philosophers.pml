/* Dining philosophers, 12 of them: the states and steps of philosophers.lua. */
#define N 12
byte holds[N]; /* 0 nothing, 1 left, 2 right, 3 both */
bit taken[N];

#define PHILOSOPHER(i) \
  :: d_step { (holds[i] == 0 || holds[i] == 2) && !taken[i] -> \
       taken[i] = 1; holds[i] = (holds[i] == 0 -> 1 : 3) } \
  :: d_step { (holds[i] == 0 || holds[i] == 1) && !taken[(i + 1) % N] -> \
       taken[(i + 1) % N] = 1; holds[i] = (holds[i] == 0 -> 2 : 3) } \
  :: d_step { holds[i] == 3 -> taken[i] = 0; taken[(i + 1) % N] = 0; holds[i] = 0 }

active proctype all() {
  do
  PHILOSOPHER(0) PHILOSOPHER(1) PHILOSOPHER(2) PHILOSOPHER(3) PHILOSOPHER(4) PHILOSOPHER(5)
  PHILOSOPHER(6) PHILOSOPHER(7) PHILOSOPHER(8) PHILOSOPHER(9) PHILOSOPHER(10) PHILOSOPHER(11)
  od
}
