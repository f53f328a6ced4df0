-- Attempt: timers that set the next one, a microsecond later.
-- Stopped: without a dispatch from outside within a second

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

action.again {}

function effect.again()
  after(0.000001, "again")
end

function effect.hostile(self)
  after(0.000001, "again")
end
