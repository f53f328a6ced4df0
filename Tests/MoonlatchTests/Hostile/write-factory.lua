-- Attempt: write through a factory that was kept.
-- Stopped: only a reducer

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

local node

scope.root { make = { writer = function() return function() node.n = 99 end end } }

function reduce.hostile(s)
  node = s
end

function effect.hostile(self)
  local write = self:writer()
  write()
end
