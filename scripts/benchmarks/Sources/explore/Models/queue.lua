-- Readers and writers, four actors who may be both, in one queue: the model ReadersWriters of the TLA+ examples.
local ACTORS = 4

state {
  reading = map_of { boolean, key = integer },
  writing = optional(integer),
  queue   = list_of { kind = one_of { "read", "write" }, actor = integer },
}

local ACTOR = integer { min = 1, max = ACTORS }

action.asks_to_read { actor = ACTOR }
action.asks_to_write { actor = ACTOR }
action.first_goes_in {}
action.leaves { actor = ACTOR }

local function waits(s, kind, actor)
  for _, entry in ipairs(s.queue) do
    if entry.kind == kind and entry.actor == actor then return true end
  end
  return false
end

function gate.asks_to_read(s, a)
  return not waits(s, "read", a.actor), "it waits to read"
end

function gate.asks_to_write(s, a)
  return not waits(s, "write", a.actor), "it waits to write"
end

function reduce.asks_to_read(s, a)
  table.insert(s.queue, { kind = "read", actor = a.actor })
end

function reduce.asks_to_write(s, a)
  table.insert(s.queue, { kind = "write", actor = a.actor })
end

function gate.first_goes_in(s)
  local first = s.queue[1]
  if not first then return false, "nobody waits" end
  if s.writing then return false, "somebody writes" end
  return first.kind == "read" or not next(s.reading), "somebody reads"
end

function reduce.first_goes_in(s)
  local first = table.remove(s.queue, 1)
  if first.kind == "read" then s.reading[first.actor] = true else s.writing = first.actor end
end

function gate.leaves(s, a)
  return s.reading[a.actor] or s.writing == a.actor, "it is not in"
end

function reduce.leaves(s, a)
  if s.writing == a.actor then s.writing = nil else s.reading[a.actor] = nil end
end

function invariant.who_writes_is_alone(s)
  return not (s.writing and next(s.reading))
end
