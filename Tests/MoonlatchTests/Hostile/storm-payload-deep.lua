-- Attempt: dispatch a payload that is nested too deeply.
-- Stopped: [1][1][1][1][1]

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

action.big { value = any }

function effect.hostile(self)
  local t = {}
  for _ = 1, 10000 do t = { t } end
  dispatch.big { value = t }
end
