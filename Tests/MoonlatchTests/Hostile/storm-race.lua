-- Attempt: to have a race of 100,000 functions, each of which waits.
-- Stopped: functions at once are too many: 500 effects may wait

state { n = 0 }
action.good {}
action.hostile {}
function reduce.good(s) s.n = s.n + 1 end

function effect.hostile()
  local functions = {}
  local function wait() sleep(1) end
  for i = 1, 100000 do functions[i] = wait end
  race(functions)
end
