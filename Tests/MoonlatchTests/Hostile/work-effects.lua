-- Attempt: have an action with clean-ups and effects that each use what a dispatch may
-- Stopped: the instruction limit is reached

state { n = 0 }
action.good {}
action.hostile {}

function reduce.good(s) s.n = s.n + 1 end
function effect.hostile(self)
  for _ = 1, 300 do
    self:defer(function() for _ = 1, 1900000 do end end)
  end
  for _ = 1, 1000000000 do may.good {} end
end
