-- Attempt: fail after much was written
-- Stopped: not enough memory

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  for i = 1, 200000 do s.byName["k" .. i] = { i } end
  for i = 1, 200000 do s.byName["k" .. i] = nil end
  error("no")
end
