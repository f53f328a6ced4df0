-- Attempt: write to the state in an invariant.
-- Stopped: only a reducer can

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function invariant.writing(s)
  if s.note then s.n = 99 end
  return true
end

function reduce.hostile(s)
  s.note = "now"
end
