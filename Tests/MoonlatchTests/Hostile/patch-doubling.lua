-- Attempt: have a subtree double itself when it is copied
-- Stopped: not enough memory

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local t = { 1 }
  for i = 1, 60 do t = { t, t } end
  s.note = t
end
