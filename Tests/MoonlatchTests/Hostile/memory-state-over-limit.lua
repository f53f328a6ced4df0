-- Attempt: leave more in the state than it may hold.
-- Stopped: and the limit is 2097152

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  for i = 1, 3 do s.rows[i + 1] = { id = i, name = ("x"):rep(1000000) } end
end
