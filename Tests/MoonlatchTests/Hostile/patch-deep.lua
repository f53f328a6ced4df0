-- Attempt: write without end far below the root
-- Stopped: passed

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local t = { x = 0 }
  for i = 1, 90 do t = { a = t } end
  s.note = t
  local n = s.note
  while n.a do n = n.a end
  for i = 1, 990000 do n.x = i end
end
