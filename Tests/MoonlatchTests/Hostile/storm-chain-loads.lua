-- Attempt: have each effect of a chain dispatch much
-- Stopped: instructions together

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

action.big { text = any }
function effect.hostile(self) dispatch.big { text = ("x"):rep(1000000) } end
function effect.big(self, a) dispatch.big(a) end
