-- Attempt: fill the state until the memory is full.
-- Stopped: not enough memory

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  for i = 1, math.huge do s.rows[i + 1] = { id = i, name = ("x"):rep(100) } end
end
