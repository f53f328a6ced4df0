-- Attempt: write one field of a map without end, in a transition that has changed more than plain values
-- Stopped: the instruction limit is reached

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  s.note = "changed"
  while true do s.byName.a = s.byName.a + 1 end
end
