-- Attempt: raise a table that doubles sixty times
-- Stopped: doubled

state { n = 0 }
action.good {}
action.hostile {}

function reduce.good(s) s.n = s.n + 1 end
function reduce.hostile()
  local t = { "end" }
  for _ = 1, 60 do t = { t, t } end
  error { message = "doubled", t = t }
end
