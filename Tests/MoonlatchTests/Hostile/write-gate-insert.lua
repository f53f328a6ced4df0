-- Attempt: write to the state in a gate rule with table.insert.
-- Stopped: only a reducer

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function gate.hostile(s)
  table.insert(s.rows, { id = 2, name = "b" })
  return true
end
