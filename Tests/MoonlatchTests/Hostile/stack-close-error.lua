-- Attempt: close in __close without end while an error goes up.
-- Stopped: out

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local count = 0
  local function f()
    local guard <close> = setmetatable({}, { __close = function()
      count = count + 1
      if count < 5000 then f() end
    end })
    error("out", 0)
  end
  f()
end
