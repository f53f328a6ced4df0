-- Attempt: nest tables a million deep and put them into the state.
-- Stopped: [1][1][1][1][1]

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local t = {}
  for _ = 1, 10000 do t = { t } end
  s.note = t
end
