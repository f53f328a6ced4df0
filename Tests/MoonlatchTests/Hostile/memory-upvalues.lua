-- Attempt: hold the memory in upvalues of closures.
-- Stopped: not enough memory

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local f = function() return 0 end
  while true do
    local inner, text = f, ("x"):rep(1000)
    f = function() return inner, text, 1 end
  end
end
