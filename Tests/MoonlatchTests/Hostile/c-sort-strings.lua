-- Attempt: sort long strings that share a prefix.
-- Stopped: the instruction limit is reached

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local prefix, t = ("x"):rep(20000), {}
  for i = 1, 100 do t[i] = prefix .. (i * 7 % 100) end
  while true do table.sort(t) end
end
