-- Chameneos of the TLA+ examples: creatures meet two at a time and change their colours, eight times at most.
local N, MEETINGS = 4, 8
local I = integer { min = 1, max = N }

state {
  colour   = { "blue", "red", "yellow", "blue" },
  met      = { 0, 0, 0, 0 },
  waiting  = 0,
  meetings = 0,
}

local ALL = { "blue", "red", "yellow" }
local function complement(a, b)
  if a == b then return a end
  for _, c in ipairs(ALL) do
    if c ~= a and c ~= b then return c end
  end
end

action.enter { i = I }

function gate.enter(s, a)
  return s.colour[a.i] ~= "faded" and s.waiting ~= a.i, "it does not come"
end

function reduce.enter(s, a)
  if s.meetings == MEETINGS then
    s.colour[a.i] = "faded"
  elseif s.waiting == 0 then
    s.waiting = a.i
  else
    local i, j = a.i, s.waiting
    local new = complement(s.colour[i], s.colour[j])
    s.colour[i], s.colour[j] = new, new
    s.met[i], s.met[j] = s.met[i] + 1, s.met[j] + 1
    s.waiting, s.meetings = 0, s.meetings + 1
  end
end

-- SumMet of the publication.
function invariant.sum(s)
  local sum = 0
  for i = 1, N do sum = sum + s.met[i] end
  return sum == 2 * s.meetings
end
