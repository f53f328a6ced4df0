-- Attempt: look for a bracket that never closes, from each bracket.
-- Stopped: the instruction limit is reached

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function gate.hostile(s)
  return ("("):rep(300000):find("%b()")
end
