flow "turnstile.lua"

scenario("a coin opens it for one push", function()
  pass.coin { amount = 1 }
  expect.change { coins = 1, locked = false }   -- exactly what the last transition changed
  pass.push()
  expect.change { locked = true }
  refuse.push():because("insert a coin")        -- a piece of the reason is enough
end)

scenario("a refused push changes nothing", function()
  refuse.push():by("gate push")
  expect.state { locked = true, coins = 0 }     -- the whole state
end)

scenario("a coin in an open turnstile is kept", function()
  given { coins = 3, locked = false }           -- begin elsewhere than at the beginning
  pass.coin { amount = 2 }
  expect.change { coins = 5 }                   -- it was open already
  expect { locked = false }                     -- a part of the state
  expect.view.takings(5)
end)

scenario("a coin needs an amount that is worth something", function()
  fail.coin { amount = 0 }:by("payload")
  fail.coin { amount = "five" }:because("amount must be an integer of at least 1")
  fail.coin { amuont = 1 }:because("amuont"):because("amount")   -- every fault at once
  fail.coin { amount = 1.5 }
  pass.coin { amount = 1.0 }                    -- a whole number is an integer
  expect { coins = 1 }
end)

scenario("nobody can kick it", function()
  dispatch("push")                              -- whatever comes of it
  fail.kick():by("undeclared")
  expect { locked = true, coins = 0 }
end)
