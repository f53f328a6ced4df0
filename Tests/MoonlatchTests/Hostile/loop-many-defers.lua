-- Attempt: have each function that is deferred copy the list of those before it.
-- Stopped: the instruction limit is reached

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

scope.room { key = function() return nil end, make = {} }

local function nothing() end

function effect.hostile(self)
  local room = self:unlock("room", 1)
  for _ = 1, 40000 do room:defer(nothing) end
  while true do end
end
