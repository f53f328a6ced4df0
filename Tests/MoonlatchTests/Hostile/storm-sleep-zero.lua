-- Attempt: sleep for no time at all without end
-- Stopped: without a dispatch from outside

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function effect.hostile()
  while true do sleep(0) end
end
