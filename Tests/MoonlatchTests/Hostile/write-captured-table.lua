-- Attempt: keep a plain table that goes into the state, and change it later.
-- Stopped: id 7

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

local kept

action.look {}

function gate.look(s)
  return false, "id " .. s.note.id
end

function effect.hostile(self)
  kept.id = 99
  dispatch.look()
end

function reduce.hostile(s)
  kept = { id = 7 }
  s.note = kept
end
