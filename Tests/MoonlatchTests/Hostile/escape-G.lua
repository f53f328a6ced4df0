-- Attempt: go round the read-only globals by way of _G.
-- Stopped: global _G is not defined

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  _G.print = nil
end
