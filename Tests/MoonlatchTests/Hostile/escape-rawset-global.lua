-- Attempt: set a global behind what guards them.
-- Stopped: global kept cannot be set: globals are read-only after loading

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  rawset(_ENV, "kept", s.n)
end
