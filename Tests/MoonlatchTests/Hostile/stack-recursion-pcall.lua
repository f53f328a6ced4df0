-- Attempt: call without end in pcall, so that the overflow is caught.
-- Stopped: stack overflow

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local function f() return 1 + f() end
  pcall(f)
  s.n = 99
end
