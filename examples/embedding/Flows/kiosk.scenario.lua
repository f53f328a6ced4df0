flow "kiosk.lua"

local function order(destination)
  stub("root.price", function() sleep(1) return 250 end)
  pass.order { destination = destination }
  advance(1)
end

scenario("an order is priced, paid and printed", function()
  stub("root.print_ticket", function(number) assert(number == 1) end)
  order("Rome")
  expect { price = 250 }
  refuse.pay { cents = 100 }:because("not enough")
  pass.pay { cents = 250 }
  settle()
  expect { sold = 1 }
  expect.machine.kiosk("idle")
end)

scenario("an order that has no price is given up, and the screen says why", function()
  stub("root.price", function() error("no such place") end)
  pass.order { destination = "Atlantis" }
  settle()
  expect.machine.kiosk("idle")
  assert(string.find(view.screen().problem, "no such place"))
  refuse.cancel():by("machine kiosk")
end)

scenario("whoever does not pay within a minute has ordered nothing", function()
  order("Rome")
  advance(60)
  expect.machine.kiosk("idle")
  refuse.pay { cents = 250 }:by("machine kiosk")
end)

scenario("a ticket that jams is sold all the same", function()
  stub("root.print_ticket", function() error("paper jam") end)
  order("Rome")
  pass.pay { cents = 300 }
  settle()
  expect { sold = 1 }
  assert(string.find(view.screen().problem, "paper jam"))
end)
