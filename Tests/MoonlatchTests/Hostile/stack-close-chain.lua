-- Attempt: have coroutines that died close each other, thousands deep.
-- Stopped: out

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local inner
  for _ = 1, 1500 do
    local below = inner
    inner = coroutine.create(function()
      local guard <close> = setmetatable({}, { __close = function()
        if below then coroutine.resume(below) end
      end })
      error("out", 0)
    end)
  end
  local _, message = coroutine.resume(inner)
  error(message, 0)
end
