flow "coffee.scxml"

local function begin()
  pass.brew()
  expect { ["#coffee"] = "making.preparing", ["#boiler"] = "heating", ["#grinder"] = "turning" }
end

scenario("it heats for twenty seconds while it grinds, and pours for twenty-five", function()
  begin()
  advance(9)
  expect { ["#beans"] = "ground", ["#boiler"] = "heating" }
  advance(11)
  expect { ["#coffee"] = "making.pouring" }
  advance(25)
  expect { ["#coffee"] = "idle", cups = 1, water = 1 }
end)

scenario("the third cup wants water", function()
  for _ = 1, 2 do
    begin()
    advance(45)
  end
  pass.brew()
  expect { ["#coffee"] = "idle", cups = 2, complaint = "no water" }
  pass.fill()
  begin()
end)

scenario("a stone ends it, with a reason from the grinder", function()
  begin()
  advance(3)
  pass.stone()
  settle()
  expect { ["#coffee"] = "idle", complaint = "a stone, 6 g before the end" }
end)

scenario("what was stopped neither heats nor grinds any more", function()
  begin()
  advance(5)
  pass.stop()
  advance(60)
  expect { ["#coffee"] = "idle", cups = 0, water = 2 }
  begin()
  advance(9)
  expect { ["#beans"] = "ground" }
end)
