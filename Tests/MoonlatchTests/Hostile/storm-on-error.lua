-- Attempt: fail, and have the failure dispatch the action again.
-- Stopped: without a dispatch from outside

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

action.again {}

effect.again { run = function() error("again") end, on_error = "again" }

function effect.hostile(self)
  dispatch.again()
end
