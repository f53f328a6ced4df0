-- Attempt: sort in a comparator without end.
-- Stopped: C stack overflow

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local function less() table.sort({ 2, 1 }, less) return false end
  less()
end
