-- Attempt: format with a width of a million digits.
-- Stopped: invalid conversion

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  ("%1000000d"):format(1)
end
