-- Attempt: double the arguments with each call.
-- Stopped: not enough memory

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local function f(...) return f(1, ..., ...) end
  local function g(...) return select("#", g(1, ...)) end
  g()
end
