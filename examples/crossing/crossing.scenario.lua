flow "crossing.lua"

scenario("the cars are green for half a minute, and until somebody wants to cross", function()
  advance("29s")
  expect { cars = "green.fresh" }
  advance("1s")
  expect { cars = "green.ripe", walkers = "stop" }
  advance("1h")
  expect { cars = "green.ripe" }
end)

scenario("who pushes early waits", function()
  pass.push()
  expect { cars = "green.fresh", walkers = "waiting" }
  pass.push()                      -- again: nothing more happens
  expect.change {}
  advance("30s")
  expect { cars = "yellow", walkers = "waiting" }
  advance("3s")
  expect { cars = "red", walkers = "walk" }
  advance("20s")
  expect { cars = "green.fresh", walkers = "stop" }
end)

scenario("who pushes late stops the cars in the same moment", function()
  advance("1m")
  pass.push()
  expect.change { cars = "yellow", walkers = "waiting" }
end)

scenario("nobody pushes while they walk", function()
  given { cars = "red", walkers = "walk" }
  refuse.push():because("push is not possible in on (cars: red, walkers: walk)")
end)

scenario("off and on again, everything begins anew", function()
  given { cars = "red", walkers = "walk" }
  pass.power()
  expect.state { crossing = "off" }
  refuse.push():by("machine crossing")
  pass.power()
  expect.state { crossing = "on", cars = "green.fresh", walkers = "stop" }
  advance("29s")
  expect { cars = "green.fresh" }
  advance("1s")
  expect { cars = "green.ripe" }
end)

scenario("the lights change by themselves: nobody else may", function()
  refuse.tick():by("internal")
  inside.ripen {}
  expect { cars = "green.ripe" }
  pass.push()
  inside.tick {}
  inside.tick {}
  expect { cars = "green.fresh", walkers = "stop" }
end)
