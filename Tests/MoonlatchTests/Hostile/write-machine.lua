-- Attempt: write a machine's state by hand.
-- Stopped: only its machine can change this field

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

machine.door { initial = "shut", shut = { open = "open" }, open = {} }
action.open {}

function reduce.hostile(s)
  s.door = "open"
end
