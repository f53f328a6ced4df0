-- Attempt: set timers without end.
-- Stopped: 1000 timers are pending already

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

action.again {}

function effect.hostile(self)
  while true do after(1000000, "again") end
end
