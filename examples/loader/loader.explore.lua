-- A network that answers, fails, or takes so long that others have acted in the meantime.
flow "loader.lua"

local fetch = { { "loaded", items = { "a" } }, { "failed", error = "no network" } }

explore("whoever acts, and whenever the network answers", {
  actions = { loaded = false, failed = false, retry = false },
  effects = { fetch = fetch, at_most = 3 },
}, function()
  always("no more than five attempts in a row", function(s) return s.failures <= 5 end)
  always("what is loaded is on the screen", function(s)
    return view.status() ~= "loaded" or #s.items == 1 and s.error == nil
  end)
  step("failures are counted one by one, and by nobody but the network", function(before, after, action)
    return after.failures == before.failures or after.failures == 0
      or after.failures == before.failures + 1 and action.name == "failed"
  end)
  step("a list goes away by no mistake of the network", function(before, after, action)
    return action.name ~= "failed" or #after.items == #before.items
  end)
end)

explore("who waits for what they have loaded", {
  actions = { loaded = false, failed = false, retry = false, reload = false, stop = false },
  effects = { fetch = fetch },
  ends = function() return view.status() == "loaded" end,
}, function()
  leads_to("an answer comes, if the network gives one",
    function() return view.status() == "loading" end,
    function() return view.status() ~= "loading" end, { fair = { "effects end" } })
  leads_to("what has failed is tried again, up to five times",
    function(s) return view.status() == "failed" and s.failures < 5 end,
    function() return view.status() == "loading" end, { fair = { "time passes" } })
end)
