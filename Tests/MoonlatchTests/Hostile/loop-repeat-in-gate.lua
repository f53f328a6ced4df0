-- Attempt: loop for ever in a gate rule.
-- Stopped: the instruction limit is reached

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function gate.hostile(s)
  local n = 0
  repeat n = n + 1 until n < 0
  return true
end
