-- Attempt: give a state node a metatable.
-- Stopped: protected metatable

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  setmetatable(s.rows, { __index = function() return 99 end })
end
