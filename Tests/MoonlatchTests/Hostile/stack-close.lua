-- Attempt: close in __close without end.
-- Stopped: C stack overflow

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local function f()
    local guard <close> = setmetatable({}, { __close = f })
  end
  f()
end
