-- Attempt: leave effects waiting without end.
-- Stopped: effects are waiting already

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

action.again {}

function effect.again()
  sleep(1000000)
end

function effect.hostile(self)
  for i = 1, 400 do dispatch.again() end
  sleep(0)
  for i = 1, 400 do dispatch.again() end
end
