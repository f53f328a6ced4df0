-- Attempt: loop in a clean-up of a scope made by hand.
-- Stopped: the instruction limit is reached

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

scope.room { key = function() return nil end, make = {} }

function effect.hostile(self)
  local room <close> = self:unlock("room", 1)
  room:defer(function() while true do end end)
end
