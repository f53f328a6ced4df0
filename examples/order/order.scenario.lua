-- What an order does, whatever the bank does.
flow "order.lua"

local mails

before_each(function()
  mails = {}
  stub("root.charge", function(cents) sleep(1) return "r-" .. cents end)
  stub("root.mail", function(text) mails[#mails + 1] = text end)
end)

scenario("an order is placed, paid, and confirmed by a mail", function()
  pass.place { cents = 250 }
  pass.pay()
  expect.view.status("paying")
  advance(1)
  expect { receipt = "r-250" }
  expect.view.receipt("r-250")
  expect.machine.order("done")
  expect.equal(mails, { "receipt r-250" })
end)

scenario("a bank that does not answer at first is asked again, longer apart each time", function()
  local asked = 0
  stub("root.charge", function(cents)
    asked = asked + 1
    if asked < 3 then error("no answer") end
    return "r-" .. cents
  end)
  pass.place { cents = 5 }
  pass.pay()
  advance(2)
  expect.view.status("paying")
  advance(4)
  expect.view.status("done")
  expect.equal(asked, 3)
end)

scenario("a bank that never answers leaves the order open, and says why", function()
  stub("root.charge", function() error("no answer") end)
  pass.place { cents = 5 }
  pass.pay()
  advance("1m")
  expect.machine.order("open")
  expect.equal(#mails, 0)
end)

scenario("an order of version 1, which counted euros, is taken over with its three days", function()
  expect.migrates {
    version = 1,
    from = { euros = 2.5, order = "open" },
    to = { cents = 250, receipt = none, order = "open" },
    timers = { expire = "3d" },
  }
  expect.migrates { version = 1, from = { order = "empty" }, to = { cents = none }, timers = {} }
end)

scenario("an order that nobody pays expires after three days", function()
  pass.place { cents = 5 }
  advance("71h")
  expect.machine.order("open")
  advance("1h")
  expect.machine.order("expired")
  refuse.pay()
end)
