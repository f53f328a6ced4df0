-- Attempt: many timers that are due at once, each of which begins a chain without end.
-- Stopped: without a dispatch from outside within a second

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

action.again {}

function effect.again()
  dispatch.again()
end

function effect.hostile(self)
  for i = 1, 1000 do after(0.1, "again") end
end
