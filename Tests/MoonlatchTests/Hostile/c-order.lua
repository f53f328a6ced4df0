-- Attempt: order two long strings, in a loop.
-- Stopped: the instruction limit is reached

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function gate.hostile(s)
  local text = ("x"):rep(1500000)
  local a, b = text .. "a", text .. "b"
  while a < b do end
end
