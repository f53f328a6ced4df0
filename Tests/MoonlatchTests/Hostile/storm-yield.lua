-- Attempt: yield to the host.
-- Stopped: attempt to yield from outside a coroutine

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function effect.hostile(self)
  coroutine.yield("sleep", 1)
end
