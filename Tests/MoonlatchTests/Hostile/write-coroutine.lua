-- Attempt: make the write in a coroutine that goes on in another phase.
-- Stopped: only a reducer

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

local writer

function reduce.hostile(s)
  writer = coroutine.wrap(function()
    coroutine.yield()
    s.n = 99
  end)
  writer()
end

function effect.hostile(self)
  writer()
end
