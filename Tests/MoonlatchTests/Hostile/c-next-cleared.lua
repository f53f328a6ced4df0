-- Attempt: walk a large table that was emptied.
-- Stopped: the instruction limit is reached

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local t = {}
  for i = 1, 100000 do t[-i] = true end
  for i = 1, 100000 do t[-i] = nil end
  while next(t) == nil do end
end
