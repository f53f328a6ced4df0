-- Ten counters that are less than eleven together: every gate reads all of them.
local COUNTERS = 10
local MOST = 10

local function zeros()
  local all = {}
  for i = 1, COUNTERS do all[i] = 0 end
  return all
end

state { counts = zeros() }

local I = integer { min = 1, max = COUNTERS }

action.more { i = I }
action.less { i = I }

local function sum(s)
  local sum = 0
  for i = 1, COUNTERS do sum = sum + s.counts[i] end
  return sum
end

function gate.more(s)
  return sum(s) < MOST, "there are enough"
end

function reduce.more(s, a)
  s.counts[a.i] = s.counts[a.i] + 1
end

function gate.less(s, a)
  return sum(s) > 0 and s.counts[a.i] > 0, "there is none"
end

function reduce.less(s, a)
  s.counts[a.i] = s.counts[a.i] - 1
end
