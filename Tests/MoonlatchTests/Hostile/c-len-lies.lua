-- Attempt: insert into a table whose length lies.
-- Stopped: the instruction limit is reached

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local t = setmetatable({}, { __len = function() return 1e9 end })
  for i = 1, math.huge do table.insert(t, 1, i) end
end
