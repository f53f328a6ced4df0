-- Attempt: put bytes that are no UTF-8 into the state.
-- Stopped: UTF-8

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  s.note = "\xff\xfe"
end
