-- Attempt: take apart many arguments with select.
-- Stopped: not enough memory

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local t = {}
  for i = 1, 100000 do t[i] = i end
  local function f(...) for i = 1, select("#", ...) do local x = select(i, ...) end end
  f(table.unpack(t))
end
