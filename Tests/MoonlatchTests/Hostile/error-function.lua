-- Attempt: raise a function.
-- Stopped: a function was raised as an error

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  error(function() while true do end end)
end
