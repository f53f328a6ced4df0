-- Attempt: read 900 views in an effect, each just within what a dispatch may use
-- Stopped: the instruction limit is reached

state { n = 0 }
action.good {}
action.hostile {}

function reduce.good(s) s.n = s.n + 1 end
for i = 1, 900 do view["v" .. i] = function(s) for _ = 1, 900000 do end return s.n end end
function effect.hostile() for i = 1, 900 do view["v" .. i]() end end
