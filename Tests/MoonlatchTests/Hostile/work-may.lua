-- Attempt: ask `may` over and over in an effect, with a gate that takes long each time
-- Stopped: the instruction limit is reached

state { n = 0 }
action.good {}
action.hostile {}

function reduce.good(s) s.n = s.n + 1 end
action.asked {}
function gate.asked() for _ = 1, 100000 do end return true end
function effect.hostile() for _ = 1, 1000000000 do may.asked {} end end
