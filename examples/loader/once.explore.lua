flow "once.lua"

explore("a network that may fail", {
  actions = { loaded = false, failed = false },
  effects = { load = { { "loaded", items = { "a" } }, { "failed", error = "no network" } } },
}, function()
  sometimes("loaded", function(s) return #s.items == 1 end)
  sometimes("failed, with what was loaded before", function(s) return s.error and #s.items == 1 end)
end)
