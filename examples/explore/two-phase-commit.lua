-- Two-phase commit, after Lamport's TwoPhase: a transaction manager asks three resource managers to prepare, and
-- decides. Messages are never lost and may be read again, so each is a flag that is never taken back.
local MANAGERS = 3

local function each(value)
  local all = {}
  for r = 1, MANAGERS do all[r] = value end
  return all
end

state {
  rm       = each "working",
  tm       = "init",
  prepared = each(false), -- of whom the transaction manager has heard so
  told     = each(false), -- who has sent it
  commit   = false,
  abort    = false,
}

local R = integer { min = 1, max = MANAGERS }

action.tm_hears_prepared { r = R }
action.tm_commits {}
action.tm_aborts {}
action.rm_prepares { r = R }
action.rm_aborts { r = R }
action.rm_hears_commit { r = R }
action.rm_hears_abort { r = R }

function gate.tm_hears_prepared(s, a)
  return s.tm == "init" and s.told[a.r], "there is nothing to hear"
end

function reduce.tm_hears_prepared(s, a)
  s.prepared[a.r] = true
end

function gate.tm_commits(s)
  if s.tm ~= "init" then return false, "it has been decided" end
  for r = 1, MANAGERS do
    if not s.prepared[r] then return false, "not all are prepared" end
  end
  return true
end

function reduce.tm_commits(s)
  s.tm = "done"
  s.commit = true
end

function gate.tm_aborts(s)
  return s.tm == "init", "it has been decided"
end

function reduce.tm_aborts(s)
  s.tm = "done"
  s.abort = true
end

function gate.rm_prepares(s, a)
  return s.rm[a.r] == "working", "it works no more"
end

function reduce.rm_prepares(s, a)
  s.rm[a.r] = "prepared"
  s.told[a.r] = true
end

function gate.rm_aborts(s, a)
  return s.rm[a.r] == "working", "it works no more"
end

function reduce.rm_aborts(s, a)
  s.rm[a.r] = "aborted"
end

function gate.rm_hears_commit(s)
  return s.commit, "there is nothing to hear"
end

function reduce.rm_hears_commit(s, a)
  s.rm[a.r] = "committed"
end

function gate.rm_hears_abort(s)
  return s.abort, "there is nothing to hear"
end

function reduce.rm_hears_abort(s, a)
  s.rm[a.r] = "aborted"
end
