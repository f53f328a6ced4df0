-- Attempt: format a value whose __tostring formats it.
-- Stopped: C stack overflow

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local value
  value = setmetatable({}, { __tostring = function() return ("%s"):format(value) end })
  s.note = tostring(value)
end
