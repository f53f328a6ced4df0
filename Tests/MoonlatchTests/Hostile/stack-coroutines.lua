-- Attempt: resume in a coroutine without end.
-- Stopped: C stack overflow

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local function f()
    local ok, e = coroutine.resume(coroutine.create(f))
    if not ok then error(e, 0) end
  end
  f()
end
