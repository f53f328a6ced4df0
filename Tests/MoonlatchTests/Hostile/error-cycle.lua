-- Attempt: raise a table that stands inside itself.
-- Stopped: it is me

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local t = { message = "it is me" }
  t.t = t
  error(t)
end
