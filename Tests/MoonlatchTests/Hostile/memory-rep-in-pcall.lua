-- Attempt: make large strings at the limit of the memory, in pcall.
-- Stopped: the instruction limit is reached

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local kept = ("x"):rep(2500000)
  while true do pcall(string.rep, "y", 2500000) end
end
