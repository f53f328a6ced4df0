-- Attempt: print addresses, with tostring and with %p.
-- Stopped: '%p' is not available

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  assert(tostring({}) == "table" and tostring(print) == "function")
  assert(("%s"):format(coroutine.create(print)) == "thread")
  local address = ("%p"):format({})
end
