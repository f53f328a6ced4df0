-- Attempt: loop in the error handler, where hooks of Lua do not run.
-- Stopped: the instruction limit is reached

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  xpcall(error, function() while true do end end)
end
