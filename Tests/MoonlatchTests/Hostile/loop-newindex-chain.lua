-- Attempt: build a __newindex chain that ends in itself.
-- Stopped: '__newindex' chain too long; possible loop

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local t = {}
  setmetatable(t, { __newindex = t })
  t.missing = 1
end
