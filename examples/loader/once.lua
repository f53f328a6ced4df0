-- The first view controller of "Use a Gatekeeper to Manage Control Flow": one load at a time.
state { items = list_of(string), error = optional(string) }   -- the host shows the items

action.load {}
action.loaded { items = list_of(string) }
action.failed { error = string }

-- This line is all of `isLoading`. Nobody sets it, so nobody forgets to clear it.
gatekeeper.loading { load = "attempt", loaded = "reset", failed = "reset" }

effect.load = {
  run      = function(self) dispatch.loaded { items = self:fetch() } end,
  on_error = "failed",
}

function reduce.loaded(s, a)
  s.items, s.error = a.items, nil
end

function reduce.failed(s, a)
  s.error = a.error
end

function view.error(s)
  return s.error
end
