-- Attempt: take a function apart.
-- Stopped: attempt to call a nil value (field 'dump')

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  string.dump(reduce.good)
end
