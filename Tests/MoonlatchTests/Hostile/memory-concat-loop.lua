-- Attempt: copy a large string again and again, an instruction each.
-- Stopped: the instruction limit is reached

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local text = ("x"):rep(1000000)
  while true do local copy = text .. "y" end
end
