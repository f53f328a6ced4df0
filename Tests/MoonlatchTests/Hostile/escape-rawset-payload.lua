-- Attempt: change the payload for the rules that come after.
-- Stopped: this table is read-only

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function gate.hostile(s, a)
  rawset(a, "n", 99)
  return true
end
