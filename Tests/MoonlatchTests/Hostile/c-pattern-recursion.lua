-- Attempt: match a pattern that recurses deeply.
-- Stopped: pattern too complex

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function gate.hostile(s)
  return ("a"):rep(10000):find(("a?"):rep(10000))
end
