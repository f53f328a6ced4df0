-- Attempt: make a tree of coroutines, each too short to be counted.
-- Stopped: the instruction limit is reached

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local function branch()
    for i = 1, 10 do coroutine.wrap(branch)() end
  end
  while true do pcall(branch) end
end
