-- Attempt: sleep for NaN seconds.
-- Stopped: takes 0 or more seconds

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function effect.hostile(self)
  sleep(0 / 0)
end
