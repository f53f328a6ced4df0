-- Transaction commit, after Lamport's TCommit: what two-phase commit is to bring about. Each of three resource
-- managers prepares, and then all of them commit, or all of them abort.
local MANAGERS = 3

state { rm = { "working", "working", "working" } }

local R = integer { min = 1, max = MANAGERS }

action.prepare { r = R }
action.commit { r = R }
action.abort { r = R }

local function nobody_is(s, what)
  for r = 1, MANAGERS do
    if s.rm[r] == what then return false end
  end
  return true
end

function gate.prepare(s, a)
  return s.rm[a.r] == "working", "it works no more"
end

function reduce.prepare(s, a)
  s.rm[a.r] = "prepared"
end

function gate.commit(s, a)
  return s.rm[a.r] == "prepared" and nobody_is(s, "working") and nobody_is(s, "aborted"), "not all are prepared"
end

function reduce.commit(s, a)
  s.rm[a.r] = "committed"
end

function gate.abort(s, a)
  return (s.rm[a.r] == "working" or s.rm[a.r] == "prepared") and nobody_is(s, "committed"), "it has been decided"
end

function reduce.abort(s, a)
  s.rm[a.r] = "aborted"
end
