-- Attempt: refuse with a reason that is a table.
-- Stopped: gave no reason

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function gate.hostile(s)
  return false, setmetatable({}, { __tostring = function() while true do end end })
end
