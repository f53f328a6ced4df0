-- Attempt: write through _ENV.
-- Stopped: globals are read-only after loading

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  _ENV.gate = nil
  _ENV["print"] = nil
end
