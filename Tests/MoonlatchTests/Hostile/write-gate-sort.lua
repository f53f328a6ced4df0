-- Attempt: sort a list of the state in a gate rule.
-- Stopped: only a reducer

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function gate.hostile(s)
  table.sort(s.rows, function() return true end)
  table.move({ 1 }, 1, 1, 1, s.rows)
  return true
end
