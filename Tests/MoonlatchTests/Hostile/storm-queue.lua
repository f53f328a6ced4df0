-- Attempt: fill the queue.
-- Stopped: the queue is full (1000 actions)

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

action.again {}

function effect.hostile(self)
  for i = 1, 20000 do dispatch.again() end
end
