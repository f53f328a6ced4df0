-- Attempt: walk a table that grows while it is walked.
-- Stopped: not enough memory

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local t = { 1 }
  for i in ipairs(t) do t[i + 1] = i end
end
