-- Attempt: make a weak table, to see when the collector comes by.
-- Stopped: this table has a key of type table

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  local t = setmetatable({}, { __mode = "k" })
  t[{}] = true
  for i = 1, 20000 do local garbage = { i } end
  local n = 0
  for _ in next, t do n = n + 1 end
  error("kept " .. n, 0)
end
