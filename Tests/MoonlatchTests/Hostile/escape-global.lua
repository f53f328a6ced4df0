-- Attempt: keep data in a global between dispatches.
-- Stopped: globals are read-only after loading

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  counter = 1
end
