-- Attempt: wait in a coroutine of its own.
-- Stopped: not a coroutine that it has created

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function effect.hostile(self)
  local ok, e = coroutine.resume(coroutine.create(function() sleep(1) end))
  error(e, 0)
end
