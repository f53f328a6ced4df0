-- Attempt: keep what each dispatch allocates in an upvalue of the file.
-- Stopped: not enough memory

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

local kept = {}

function gate.hostile(s)
  while true do kept[#kept + 1] = ("x"):rep(100000) .. #kept end
end
