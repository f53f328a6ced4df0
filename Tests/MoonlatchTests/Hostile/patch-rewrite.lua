-- Attempt: put large tables over each other
-- Stopped: not enough memory

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local a, b = {}, {}
  for i = 1, 1000 do a[i], b[i] = i, -i end
  while true do s.note = a s.note = b end
end
