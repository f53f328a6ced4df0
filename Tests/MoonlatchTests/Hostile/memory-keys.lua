-- Attempt: make a million keys of long texts.
-- Stopped: not enough memory

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local t = {}
  for i = 1, math.huge do t[("k"):rep(500) .. i] = true end
end
