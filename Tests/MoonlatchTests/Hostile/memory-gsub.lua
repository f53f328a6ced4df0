-- Attempt: let gsub blow a text up.
-- Stopped: not enough memory

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local text = ("x"):rep(100)
  while true do text = text:gsub("x", ("x"):rep(100)) end
end
