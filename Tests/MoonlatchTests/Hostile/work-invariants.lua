-- Attempt: have 900 invariants, each just within what a dispatch may use
-- Stopped: the instruction limit is reached

state { n = 0 }
action.good {}
action.hostile {}

function reduce.good(s) s.n = s.n + 1 end
for i = 1, 900 do
  invariant["i" .. i] = function(s)
    if s.n ~= 50 then return true end
    for _ = 1, 900000 do end
    return true
  end
end
function reduce.hostile(s) s.n = 50 end
