-- Attempt: ask `may` for one action of many gates, each just within what a dispatch may use
-- Stopped: the instruction limit is reached

state { n = 0 }
action.good {}
action.hostile {}

function reduce.good(s) s.n = s.n + 1 end
action.asked {}
for i = 1, 900 do
  gate("g" .. i, { "asked" }, function() for _ = 1, 900000 do end return true end)
end
function effect.hostile()
  local _, why = may.asked {}
  error(why)
end
