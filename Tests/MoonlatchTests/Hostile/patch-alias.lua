-- Attempt: have one subtree copied to many places
-- Stopped: not enough memory

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local t = list {}
  for i = 1, 1000 do t[i] = { i } end
  local l = list {}
  for i = 1, 1000000 do l[i] = t end
  s.note = l
end
