-- Attempt: match a pattern that tries every way.
-- Stopped: the instruction limit is reached

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function gate.hostile(s)
  return ("a"):rep(28):find(("a?"):rep(28) .. ("a"):rep(28) .. "b")
end
