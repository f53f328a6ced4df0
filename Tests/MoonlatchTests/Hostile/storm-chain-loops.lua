-- Attempt: have each action of a chain use all it may
-- Stopped: instructions together

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  for i = 1, 1500000 do end
end
function effect.hostile(self) dispatch.hostile() end
