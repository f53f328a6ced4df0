-- Attempt: spread a table over the stack.
-- Stopped: too many results to unpack

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  table.unpack({}, 1, 10000000)
end
