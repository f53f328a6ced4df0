-- Attempt: replace the globals by an upvalue named _ENV.
-- Stopped: attempt to call a nil value (global 'print')

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local _ENV = { s = s }
  print(s.n)
end
