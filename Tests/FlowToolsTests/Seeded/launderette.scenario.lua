flow "launderette.lua"

scenario("a quick wash", function()
  stub("root.open_valve", function() sleep(60) end)
  stub("root.spin", function() end)
  refuse.start():because("choose a program first")
  pass.choose { program = "quick" }
  pass.open_door()
  refuse.start():because("close the door first")
  pass.close_door()
  refuse.start():because("the price is 300 cents")
  pass.coin { amount = 200 }
  pass.coin { amount = 200 }
  pass.start()
  expect { credit = 100, takings = 300, washer = "busy.running.filling" }
  refuse.open_door():because("the door is locked")
  pass.measured { degrees = 20.0, litres = 25.0 }
  advance(60)
  expect { washer = "busy.running.washing" }
  expect.view.heating(true)
  pass.pause()
  pass.resume()
  advance(600)
  advance("4m")
  advance("6m")
  expect { washer = "finished", litres = 0, washes = { { program = "quick", at = 1260 } } }
  pass.open_door()
  expect { washer = "idle" }
end)

scenario("a leak", function()
  stub("root.open_valve", function() sleep(600) end)
  pass.choose { program = "wool" }
  for _ = 1, 3 do pass.coin { amount = 200 } end
  pass.start()
  pass.leak { place = "the door" }
  expect { washer = "broken" }
  expect.view.display("out of order: water at the door")
  refuse.start()
  pass.repaired { by = "Eve" }
  local returned
  stub("root.return_coins", function(cents) returned = cents end)
  pass.give_back()
  settle()
  assert(returned == 100)
end)
