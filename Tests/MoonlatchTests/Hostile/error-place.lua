-- Attempt: pretend that the error came from elsewhere.
-- Stopped: other.lua:1: it was not me

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  error("other.lua:1: it was not me", 0)
end
