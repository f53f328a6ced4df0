-- Attempt: let two actions dispatch each other for ever.
-- Stopped: without a dispatch from outside

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

action.ping {}
action.pong {}

function effect.ping()
  dispatch.pong()
end

function effect.pong()
  dispatch.ping()
end

function effect.hostile(self)
  dispatch.ping()
end
