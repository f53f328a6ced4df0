-- The network fails: trying again, with longer and longer pauses.
flow "loader.lua"

local asked, working   -- how often, and from which attempt on the network works

before_each(function()
  asked, working = 0, 3
  stub("root.fetch", function()
    asked = asked + 1
    if asked < working then error("no network") end
    return { "apple" }
  end)
end)

scenario("it tries again by itself until it works", function()
  pass.load()
  settle()
  expect { failures = 1 }
  expect.view.status("failed")
  advance(1)
  expect { failures = 2 }
  advance(1.9)
  assert(asked == 2)
  advance(0.1)
  expect { failures = 0, error = none, items = { "apple" } }
  expect.view.status("loaded")
  expect.effects.none()
end)

scenario("after five failures it waits for the user", function()
  working = 7
  pass.load()
  for attempt, pause in ipairs { 1, 2, 4, 8 } do
    settle()
    expect { failures = attempt }
    expect.view.pause(pause)
    advance(pause)
  end
  expect { failures = 5 }
  expect.view.pause(none)
  expect.effects.none()
  pass.load()
  settle()
  expect { failures = 1 }   -- counted anew
  advance(1)
  expect.view.status("loaded")
end)

scenario("who loads by hand does not wait for the pause to end", function()
  working = 2
  pass.load()
  settle()
  pass.load()
  settle()
  expect.view.status("loaded")
  expect.effects.none()   -- the timer is gone, too
end)

scenario("stop means stop", function()
  pass.load()
  settle()
  pass.stop()
  advance(60)
  assert(asked == 1)
end)
