-- Attempt: hide the loop at the end of a chain of coroutines.
-- Stopped: the instruction limit is reached

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local function chain(depth)
    if depth == 0 then while true do end end
    coroutine.wrap(chain)(depth - 1)
  end
  chain(20)
end
