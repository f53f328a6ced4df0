-- Attempt: remove the first element and write to the others
-- Stopped: the instruction limit is reached

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  for i = 2, 20000 do s.rows[i] = { id = i } end
  while #s.rows > 1 do table.remove(s.rows, 1) s.rows[#s.rows].id = 0 end
end
