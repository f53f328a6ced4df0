-- Attempt: make a hole in a list.
-- Stopped: hole

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  s.rows[3] = { id = 3, name = "c" }
end
