-- Attempt: replace a function of the library for all who call it.
-- Stopped: this table is read-only

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  rawset(string, "rep", print)
end
