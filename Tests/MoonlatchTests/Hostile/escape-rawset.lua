-- Attempt: write to the state behind its barrier.
-- Stopped: state.n: a gate rule cannot change the state; only a reducer can

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function gate.hostile(s)
  rawset(s, "n", 99)
  return true
end
