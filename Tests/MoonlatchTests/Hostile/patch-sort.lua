-- Attempt: sort over and over
-- Stopped: the instruction limit is reached

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  for i = 2, 5000 do s.rows[i] = { id = i } end
  local d = 1
  while true do d = -d table.sort(s.rows, function(a, b) return a.id * d < b.id * d end) s.rows[1].name = "x" .. d end
end
