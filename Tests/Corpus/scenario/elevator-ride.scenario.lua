-- Rides, on virtual time: 3 seconds a floor, 2 for the door to open, 5 open, 2 to close.
flow "elevator.lua"

local function expect_at(floor, cabin, door)
  expect { floor = floor }
  expect.machine.cabin(cabin)
  expect.machine.door(door)
end

scenario("a call from two floors above", function()
  pass.call { floor = 3 }
  settle()
  expect_at(1, "up", "closed")
  expect.view.display("1^")
  advance(3)
  expect_at(2, "up", "closed")
  advance(3)
  expect_at(3, "still", "opening")   -- both machines move at once
  expect { calls = {} }
  advance(2)
  expect_at(3, "still", "open")
  advance(5)
  expect_at(3, "still", "closing")
  advance(2)
  expect_at(3, "still", "closed")
  expect.refused.depart():because("nobody calls")
  expect.effects.none()
end)

scenario("it stops on its way, and keeps going where it was first called to", function()
  pass.call { floor = 6 }
  pass.call { floor = 3 }
  expect { calls = { 6, 3 } }
  advance(6)
  expect_at(3, "still", "opening")
  expect { calls = { 6 } }
  advance(9)
  expect_at(3, "up", "closed")
  advance(9)
  expect_at(6, "still", "opening")
end)

scenario("who calls from behind has to wait", function()
  given { floor = 3 }
  pass.call { floor = 5 }
  pass.call { floor = 1 }
  advance(6)
  expect_at(5, "still", "opening")
  advance(9)
  expect_at(5, "down", "closed")
  expect { calls = { 1 } }
  advance(12)
  expect_at(1, "still", "opening")
end)

scenario("too late for this floor: it has to come back", function()
  given { floor = 1, calls = { 3 }, cabin = "up" }
  advance(2)
  pass.call { floor = 1 }   -- the cabin is between the floors
  expect { calls = { 3, 1 } }
  advance(1)
  expect_at(2, "up", "closed")
  advance(3 + 9 + 6)
  expect_at(1, "still", "opening")
end)

scenario("two calls from one floor are one call", function()
  pass.call { floor = 4 }
  pass.call { floor = 4 }
  expect { calls = { 4 } }
end)

scenario("a call to where it stands opens the door", function()
  pass.call { floor = 1 }
  settle()
  expect_at(1, "still", "opening")
  expect { calls = {} }
end)

scenario("there is no floor 7", function()
  fail.call { floor = 7 }:by("payload"):because("floor")
  fail.call { floor = 0 }:by("payload")
end)

-- Calls at odd moments, all over the house: sooner or later everybody is fetched.
for seed = 1, 20 do
  scenario(("nobody is forgotten, whatever happens (%d)"):format(seed), function()
    local x = seed
    local function die(n)
      x = x * 1103515245 + 12345 & 0x7FFFFFFF
      return (x >> 16) % n + 1
    end
    for _ = 1, 30 do
      pass.call { floor = die(6) }
      dispatch(({ "open", "close", "obstruct" })[die(3)])   -- with luck at the right moment
      advance(die(8))
    end
    advance(300)
    expect { calls = {} }
    expect.machine.door("closed")
    expect.effects.none()
  end)
end
