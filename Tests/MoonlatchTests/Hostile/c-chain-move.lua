-- Attempt: have a chain of 1,900 tables walked for each element that is written
-- Stopped: the instruction limit is reached

state { n = 0 }
action.good {}
action.hostile {}

function reduce.good(s) s.n = s.n + 1 end
local function chain(event)
  local last = {}
  for _ = 1, 1900 do last = setmetatable({}, { [event] = last }) end
  return last
end

function reduce.hostile()
  local t, full = chain("__newindex"), table.pack(("a"):rep(200):byte(1, -1))
  for _ = 1, 100000 do
    table.move(full, 1, 200, 1, t)
    table.insert(t, 1)
  end
end
