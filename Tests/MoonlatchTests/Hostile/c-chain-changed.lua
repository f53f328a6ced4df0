-- Attempt: make the chain long while C walks it
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
  local long = chain("__index")
  for _ = 1, 100000 do
    local t = {}
    local mt = {}
    mt.__index = function()
      mt.__index = long
      return 1
    end
    table.unpack(setmetatable(t, mt), 1, 2000)
  end
end
