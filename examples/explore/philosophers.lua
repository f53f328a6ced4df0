-- Five dining philosophers, who take one fork first, whichever, then the other one, and put both back.
local PLACES = 5

local function each(value)
  local all = {}
  for i = 1, PLACES do all[i] = value end
  return all
end

-- What each holds, and whether each fork lies on the table; fork i lies to the left of philosopher i.
state { holds = each "nothing", lies = each(true) }

local I = integer { min = 1, max = PLACES }

action.take_left { i = I }
action.take_right { i = I }
action.put_back { i = I }

local function right(i)
  return i % PLACES + 1
end

local function gate_of(fork, other)
  return function(s, a)
    local holds = s.holds[a.i]
    return (holds == "nothing" or holds == other) and s.lies[fork(a.i)], "the fork is not there to be taken"
  end
end

local function left(i)
  return i
end

gate.take_left = gate_of(left, "right")
gate.take_right = gate_of(right, "left")

function reduce.take_left(s, a)
  s.lies[a.i] = false
  s.holds[a.i] = s.holds[a.i] == "nothing" and "left" or "both"
end

function reduce.take_right(s, a)
  s.lies[right(a.i)] = false
  s.holds[a.i] = s.holds[a.i] == "nothing" and "right" or "both"
end

function gate.put_back(s, a)
  return s.holds[a.i] == "both", "it holds no two forks"
end

function reduce.put_back(s, a)
  s.lies[a.i] = true
  s.lies[right(a.i)] = true
  s.holds[a.i] = "nothing"
end
