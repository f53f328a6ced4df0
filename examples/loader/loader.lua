-- The second view controller of the post, grown up: it loads once, tries again by itself when the
-- network fails, can be stopped and reloaded, and no answer that comes too late does any harm.
state {
  items    = list_of(string),   -- for the host to show
  error    = optional(string),                   -- of the last attempt, if that failed
  failures = integer { min = 0, default = 0 },   -- in a row
}

local longest = 5    -- attempts in a row

action.load {}
action.retry {}      -- what the timer does
action.reload {}     -- pull to refresh: whatever is there or under way, begin anew
action.stop {}
action.loaded { items = list_of(string) }
action.failed { error = string }

gatekeeper.phase {
  load   = { attempt = "loading", unless = "loaded" },
  retry  = { attempt = "loading", unless = "loaded" },
  reload = { reset = { "loading", "loaded" }, attempt = "loading" },
  stop   = { reset = "loading" },
  loaded = { reset = "loading", attempt = "loaded" },
  failed = { reset = "loading" },
}

effect("fetch", { "load", "retry", "reload" }, {
  run      = function(self) dispatch.loaded { items = self:fetch() } end,
  on_error = "failed",
})

function reduce.loaded(s, a)
  s.items, s.error, s.failures = a.items, nil, 0
end

function reduce.failed(s, a)
  s.error, s.failures = a.error, s.failures + 1
end

-- ------------------------------------------------------------------ Trying again

-- 1, 2, 4 and 8 seconds after the first failures; then it is for the user to decide.
function view.pause(s)
  return s.failures < longest and 2 ^ (s.failures - 1) or nil
end

function effect.failed()
  local pause = view.pause()
  if pause then after(pause, "retry") end
end

-- Who acts by hand starts counting anew, and needs no timer any more.
local function start_over(s)
  s.failures = 0
end

reduce.load, reduce.reload, reduce.stop = start_over, start_over, start_over

effect("by hand", { "load", "reload", "stop" }, function()
  cancel("retry")
end)

-- ------------------------------------------------------------------ What the screen shows

function view.status(s)
  if not gatekeeper.phase:may_pass("loading") then return "loading" end
  if s.error then return "failed" end
  return gatekeeper.phase:may_pass("loaded") and "idle" or "loaded"
end
