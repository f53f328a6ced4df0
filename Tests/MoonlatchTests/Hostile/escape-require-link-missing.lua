-- Attempt: find out by a link whether a file outside exists.
-- Stopped: was not loaded with the flow

state { n = 0, rows = list { { id = 1, name = "a" } }, byName = map { a = 1 }, note = none }

action.good {}
action.hostile {}

function reduce.good(s)
  s.n = s.n + 1
end

local _, why = pcall(require, "dangling")

function reduce.hostile(s)
  error(why, 0)
end
