-- Attempt: to nest functions side by side without end.
-- Stopped: the instruction limit is reached

state { n = 0 }
action.good {}
action.hostile {}
function reduce.good(s) s.n = s.n + 1 end

local function nest() all { a = nest, b = nest } end
function effect.hostile() pcall(nest) nest() end
