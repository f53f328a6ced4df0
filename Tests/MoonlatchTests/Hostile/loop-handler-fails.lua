-- Attempt: let the handler fail, and the handler of that.
-- Stopped: error in error handling

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local function fail() error("again") end
  local _, e = xpcall(fail, fail)
  error(e, 0)
end
