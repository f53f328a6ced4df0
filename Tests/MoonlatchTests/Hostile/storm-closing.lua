-- Attempt: have each scope that closes look through a queue that is full.
-- Stopped: the instruction limit is reached

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

action.wait {}
scope.room { key = function() return nil end, make = {} }

function effect.hostile(self)
  for _ = 1, 900 do after(0, "wait") end
  while true do self:unlock("room", 1):close() end
end
