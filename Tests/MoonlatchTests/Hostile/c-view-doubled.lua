-- Attempt: have a view encoded that holds one table a million times.
-- Stopped: the instruction limit is reached

state { n = 0 }
action.good {}
action.hostile {}

function reduce.good(s) s.n = s.n + 1 end
function view.doubled()
  local t = {}
  for _ = 1, 40 do t = { t, t } end
  return t
end
function effect.hostile() view.doubled() end
