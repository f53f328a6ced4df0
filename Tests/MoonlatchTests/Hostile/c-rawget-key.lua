-- Attempt: look up a long text again and again without paying for it.
-- Stopped: the instruction limit is reached

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local key, t = ("k"):rep(1000000), {}
  for i = 1, 1000000 do rawget(t, key) end
end
