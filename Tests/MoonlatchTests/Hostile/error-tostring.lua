-- Attempt: raise a table whose __tostring raises.
-- Stopped: a table was raised as an error

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  error(setmetatable({}, { __tostring = function() error("again") end }))
end
