-- Attempt: run code in the collector.
-- Stopped: a metatable may not have the field __gc here

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  setmetatable({}, { __gc = function() while true do end end })
end
