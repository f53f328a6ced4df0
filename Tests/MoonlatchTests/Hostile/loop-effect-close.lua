-- Attempt: loop in __close of an effect whose run has failed.
-- Stopped: did not finish

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function effect.hostile(self)
  local guard <close> = setmetatable({}, { __close = function() while true do end end })
  sleep(1)
  error("out")
end
