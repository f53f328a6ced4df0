-- Attempt: call a table whose `__call` is the table itself
-- Stopped: stack overflow

state { n = 0 }
action.good {}
action.hostile {}

function reduce.good(s) s.n = s.n + 1 end
function reduce.hostile(s)
  local e = {}
  setmetatable(e, { __call = e })
  pcall(e)
  s.n = 100
end
