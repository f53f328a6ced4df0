-- Attempt: change the methods of every string.
-- Stopped: attempt to index a boolean value

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  getmetatable("").__index.rep = function() return "mine" end
end
