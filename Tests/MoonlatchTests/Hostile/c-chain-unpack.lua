-- Attempt: have a chain of 1,900 tables walked for each element that is unpacked, joined, moved or iterated
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
  local t = chain("__index")
  for _ = 1, 100000 do
    table.unpack(t, 1, 200)
    pcall(table.concat, t, ",", 1, 200)
    table.move(t, 1, 200, 1, {})
    for _ in ipairs(t) do end
    ("a"):rep(200):gsub("a", t)
  end
end
