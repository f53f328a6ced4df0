-- Attempt: write to the state in a view.
-- Stopped: only a reducer can

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function view.writing(s)
  s.n = 99
  return s.n
end

function effect.hostile(self)
  view.writing()
end
