-- Attempt: keep coroutines until the memory is full.
-- Stopped: the instruction limit is reached

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local all = {}
  while true do all[#all + 1] = coroutine.create(function() end) end
end
