-- The yes/no keeper.
flow "once.lua"

before_each(function()
  stub("root.fetch", function() sleep(2) return { "apple", "pear" } end)
end)

scenario("nobody loads twice at once", function()
  pass.load()
  expect.gatekeeper.loading("held")
  refuse.load():by("gatekeeper loading"):because("the passage is held since load (#1)")
  advance(2)
  expect.gatekeeper.loading("free")
  expect { items = { "apple", "pear" } }
end)

scenario("one after the other is fine", function()
  pass.load()
  advance(2)
  pass.load()
  advance(2)
  expect.effects.none()
end)

scenario("a load that fails lets the next one pass", function()
  stub("root.fetch", function() error("no network") end)
  pass.load()
  settle()
  expect.gatekeeper.loading("free")
  expect { items = {} }
  assert(view.error():find("no network"))
end)

scenario("asking is not taking", function()
  assert(may.load())
  assert(gatekeeper.loading:may_pass())
  pass.load()
  local yes, why = may.load()
  assert(not yes and why:find("held since load"))
  assert(gatekeeper.loading:holder() == "load")
end)
