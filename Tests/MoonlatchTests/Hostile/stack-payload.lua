-- Attempt: dispatch a deep payload deep down in calls.
-- Stopped: C stack overflow

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

action.take { value = any }

function effect.hostile()
  local value = 1
  for i = 1, 95 do value = { value } end
  local function f()
    dispatch.take { value = value }
    return (("x"):gsub("x", f))
  end
  f()
end
