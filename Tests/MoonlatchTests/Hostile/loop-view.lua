-- Attempt: loop in a view that the effect reads.
-- Stopped: the instruction limit is reached

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function view.endless(s)
  while true do end
end

function effect.hostile(self)
  view.endless()
end
