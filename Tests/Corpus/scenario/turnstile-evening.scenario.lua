-- An evening at the gate of a fair, where a coin of 2 lies in the turnstile already.
flow "turnstile.lua"

before_each(function()
  pass.coin { amount = 2 }
end)

-- However a scenario goes, the next visitor finds the turnstile in order.
after_each(function()
  dispatch("push")
  expect { locked = true }
end)

scenario("the visitor who paid walks through", { tags = { "fair" } }, function()
  pass.push()
  expect.view.takings(2)
end)

scenario("the visitor who paid walks away", { tags = { "fair" } }, function()
  expect { locked = false }
end)

-- Scenarios made in a loop are scenarios like all others.
for _, visitors in ipairs { 1, 10, 100 } do
  scenario(("one coin each lets %d visitors in"):format(visitors), function()
    pass.push()
    for _ = 1, visitors do
      pass.coin { amount = 1 }
      pass.push()
    end
    refuse.push()
    expect.view.takings(2 + visitors)
  end)
end
