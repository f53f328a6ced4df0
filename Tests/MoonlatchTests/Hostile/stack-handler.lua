-- Attempt: fail in the handler of a handler without end.
-- Stopped: the instruction limit is reached

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local function f()
    local ok, e = xpcall(f, f)
    error(e, 0)
  end
  f()
end
