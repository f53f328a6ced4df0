-- Attempt: dispatch a payload of many megabytes.
-- Stopped: and the limit is 1048576

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

action.big { text = string }

function effect.hostile(self)
  dispatch.big { text = ("x"):rep(1500000) }
end
