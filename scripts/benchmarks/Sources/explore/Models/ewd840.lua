-- Termination detection in a ring, after EWD 840 of the TLA+ examples: six nodes that are all active at first.
local N = 6
local I = integer { min = 1, max = N }

state {
  active = { true, true, true, true, true, true },
  black  = { false, false, false, false, false, false },
  at     = 1,      -- the node that has the token
  token  = true,   -- whether it is black
}

action.initiate {}
action.pass {}
action.send { from = I, to = I }
action.deactivate { i = I }

function gate.initiate(s) return s.at == 1 and (s.token or s.black[1]), "there is nothing to find out" end
function reduce.initiate(s)
  s.at, s.token, s.black[1] = N, false, false
end

function gate.pass(s)
  return s.at ~= 1 and (not s.active[s.at] or s.black[s.at] or s.token), "it waits"
end
function reduce.pass(s)
  s.token = s.token or s.black[s.at]
  s.black[s.at] = false
  s.at = s.at - 1
end

function gate.send(s, a) return s.active[a.from] and a.from ~= a.to, "it does not send" end
function reduce.send(s, a)
  s.active[a.to] = true
  if a.to > a.from then s.black[a.from] = true end
end

function gate.deactivate(s, a) return s.active[a.i], "it rests" end
function reduce.deactivate(s, a) s.active[a.i] = false end

-- TerminationDetection and the inductive invariant of the publication.
local function has_ended(s)
  return s.at == 1 and not s.token and not s.black[1] and not s.active[1]
end

function invariant.termination(s)
  if not has_ended(s) then return true end
  for i = 1, N do
    if s.active[i] then return false end
  end
  return true
end

function invariant.inductive(s)
  if s.token then return true end
  local rest, black = true, false
  for i = 1, N do
    if i > s.at and s.active[i] then rest = false end
    if i <= s.at and s.black[i] then black = true end
  end
  return rest or black
end
