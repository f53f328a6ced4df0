-- Attempt: use NaN and infinity as keys.
-- Stopped: keys

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  s.byName[1 / 0] = 1
  s.byName[0 / 0] = 1
end
