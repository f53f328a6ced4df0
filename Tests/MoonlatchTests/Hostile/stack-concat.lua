-- Attempt: call __concat in __concat without end.
-- Stopped: C stack overflow

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local t = setmetatable({}, {})
  getmetatable(t).__concat = function(a, b) return a .. b end
  local x = t .. t
end
