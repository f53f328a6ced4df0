-- The set of options: what may begin when.
flow "loader.lua"

before_each(function()
  stub("root.fetch", function() sleep(2) return { "apple", "pear" } end)
end)

scenario("loading, then loaded", function()
  expect.view.status("idle")
  pass.load()
  expect.gatekeeper.phase { "loading" }
  expect.view.status("loading")
  advance(2)
  expect.gatekeeper.phase { "loaded" }
  expect.view.status("loaded")
  expect { items = { "apple", "pear" } }
end)

scenario("no load while loading, and none once loaded", function()
  pass.load()
  refuse.load():because([["loading" is held since load (#1)]])
  advance(2)
  refuse.load():because([["loaded" is held since loaded (#2)]])
end)

scenario("a reload begins anew all the same", function()
  given.gatekeeper.phase { "loaded" }
  pass.reload()
  expect.gatekeeper.phase { "loading" }
  advance(2)
  expect.gatekeeper.phase { "loaded" }
end)

scenario("a load that was stopped may begin again", function()
  pass.load()
  pass.stop()
  expect.gatekeeper.phase {}
  expect.view.status("idle")
  pass.load()
end)
