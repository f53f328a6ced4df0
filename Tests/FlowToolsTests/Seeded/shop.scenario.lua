flow "shop.lua"

local function helper() pass.close() end --> unused-local

before_each(function()
  stub("root.chrge", function() return "r" end) --> unused-stub
  stub("rot.charge", function() return "r" end) --> unused-stub
  stub("root.charge", function() sleep(1) return "r" end)
end)

scenario("a", function()
  given { totl = 3 } --> unknown-field
  given { points = -1 } --> unknown-value
  given { order = "payed" } --> unknown-value
  given { items = { { sku = "A1", qty = 1, status = "lost" } } } --> unknown-value
  given.gatekeeper.turn("held") --> unknown-name
  pass.add { item = { sku = "A1", qty = 0 } } --> wrong-payload
  pass.add { itme = { sku = "A1", qty = 1 } } --> wrong-payload
  pass.ad { item = { sku = "A1", qty = 1 } } --> unknown-name
  pass.ship { number = 1 } --> wrong-payload
  pass.ship { number = 1, kind = "boat" } --> wrong-payload
  pass.rate { stars = 1, way = "x" } --> wrong-payload
  pass("shipp", { number = 1, kind = "post" }) --> unknown-name
  pass.paid { receipt = "r", sum = 1 } --> never-passes
  refuse.pay():by("gate paay") --> unknown-value
  refuse.pay():by("gate ship") --> unknown-value
  refuse.pay():by("machne order") --> unknown-value
  refuse.pay():becaus("why") --> unknown-value
  expect { piad = true } --> unknown-field
  expect { items = { { skuu = "A1" } } } --> unknown-field
  expect { ["items[1].statsu"] = "sent" } --> unknown-field
  expect { points = "3" } --> unknown-value
  expect { points = 5000 } --> unknown-value
  expect { is_open = "yes" } --> unknown-value
  expect { order = "complete" } --> unknown-value
  expect { address = { twn = "x" } } --> unknown-field
  expect.state { toal = 3 } --> unknown-field
  expect.change { points = 3, itens = {} } --> unknown-field
  expect.machine.order("complete") --> unknown-value
  expect.machine.ordr("open") --> unknown-name
  expect.machine.order = "open" --> refused-write
  expect.view.totals(3) --> unknown-name
  expect.view.summary { cout = 3 } --> unknown-field
  expect.vew.total(3) --> unknown-value
  expect.effects.non() --> unknown-value
  expect.scope.root("lockd") --> unknown-value
  expect.refused.paay() --> unknown-value
  expct { total = 3 } --> unknown-global
  advance("5 parsecs") --> unknown-value
  advance(-1) --> unknown-value
  setle() --> unknown-global
  local seen = view.total() --> unused-local
  if view.total > 3 then settle() end --> wrong-kind
  dispatch("addd", {}) --> unknown-name
  assert(may.shp { number = 1 }) --> unknown-name
  local outcome = dispatch.pay()
  expect.equal(outcome.kind, "passed")
  expect { total = 1, total = 2 } --> duplicate-key
end)
