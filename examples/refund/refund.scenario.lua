flow "refund.lua"

scenario("a clerk approves a small refund", function()
  pass.request { amount = 40 }
  pass.approve { by = "clerk" }
  expect.change { refund = "open", returned = 40 }
end)

scenario("a large one needs a manager", function()
  pass.request { amount = 60 }
  refuse.approve { by = "clerk" }:because("a refund above 50 needs a manager")
  pass.approve { by = "manager" }
  expect { returned = 60 }
end)

scenario("what is refunded already cannot be asked for again", function()
  given { returned = 60 }
  refuse.request { amount = 60 }:because("only 40 is left to refund")
  pass.request { amount = 40 }
end)

scenario("one request at a time", function()
  pass.request { amount = 40 }
  refuse.request { amount = 40 }:by("machine refund")
  pass.reject()
  expect { refund = "open", returned = 0 }
end)

scenario("nothing is refunded once the order is closed", function()
  pass.close()
  refuse.request { amount = 1 }:because("request is not possible in closed")
end)
