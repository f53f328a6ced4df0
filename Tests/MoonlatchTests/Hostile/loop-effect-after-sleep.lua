-- Attempt: loop in an effect that has slept.
-- Stopped: the instruction limit is reached

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function effect.hostile(self)
  sleep(1)
  while true do end
end
