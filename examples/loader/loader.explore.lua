-- A network that answers, fails, or takes so long that others have acted in the meantime.
flow "loader.lua"

local outside = { loaded = false, failed = false, retry = false }

explore("a network that may fail", {
  actions = outside,
  effects = { fetch = { { "loaded", items = { "a" } }, { "failed", error = "no network" } }, at_most = 6 },
  within  = function(s) return s.failures <= 5 end,
}, function()
  always("no more than five attempts in a row", function(s) return s.failures <= 5 end)
  always("an error is no list", function(s) return s.error == nil or s.failures > 0 or #s.items >= 0 end)
  step("what completes too late does no harm", function(before, after, action)
    return action.effect == nil or after.failures <= before.failures + 1
  end)
  sometimes("loaded after a failure", function(s) return #s.items == 1 and s.error == nil end)
end)
