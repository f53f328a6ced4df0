-- Attempt: put a table into the state that stands inside itself.
-- Stopped: cycle

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local t = {}
  t.t = t
  s.note = t
end
