-- Attempt: write in an effect to a node that a reducer has kept.
-- Stopped: only a reducer

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

local kept

function reduce.hostile(s)
  kept = s.rows[1]
end

function effect.hostile(self)
  kept.id = 99
end
