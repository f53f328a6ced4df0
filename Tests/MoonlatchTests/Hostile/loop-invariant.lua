-- Attempt: loop in an invariant that holds until the hostile action.
-- Stopped: the instruction limit is reached

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function invariant.patient(s)
  while s.note do end
  return true
end

function reduce.hostile(s)
  s.note = "now"
end
