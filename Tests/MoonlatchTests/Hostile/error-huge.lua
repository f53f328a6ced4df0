-- Attempt: raise a text of many megabytes.
-- Stopped: xxx

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  error(("x"):rep(2000000), 0)
end
