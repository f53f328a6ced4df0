-- Attempt: call a table whose `__call` leads in a circle, set afterwards, from a coroutine
-- Stopped: stack overflow

state { n = 0 }
action.good {}
action.hostile {}

function reduce.good(s) s.n = s.n + 1 end
function reduce.hostile(s)
  local a, b, ma, mb = {}, {}, {}, {}
  setmetatable(a, ma)
  setmetatable(b, mb)
  ma.__call, mb.__call = b, a
  for _ = 1, 1000000 do coroutine.wrap(function() pcall(a, 1, 2, 3) end)() end
  s.n = 100
end
