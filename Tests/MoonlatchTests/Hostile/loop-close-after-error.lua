-- Attempt: loop in __close after an error.
-- Stopped: out

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local guard <close> = setmetatable({}, { __close = function() while true do end end })
  error("out")
end
