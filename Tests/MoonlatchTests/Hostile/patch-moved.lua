-- Attempt: write to elements whose list has moved
-- Stopped: passed

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  for i = 2, 10000 do s.rows[i] = { id = i } end
  table.insert(s.rows, 1, { id = 0 })
  for j = 1, 20 do
  for i = 1, 10000 do s.rows[i].id = -i * j end
  table.insert(s.rows, 1, { id = 0 })
  end
end
