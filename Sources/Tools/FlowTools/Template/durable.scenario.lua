flow "{name}.lua"

local mails

before_each(function()
  mails = {}
  stub("root.charge", function(cents) sleep(1) return "r-" .. cents end)
  stub("root.mail", function(text) mails[#mails + 1] = text end)
end)

scenario("{Title} is requested, paid and confirmed, also across a restart", function()
  pass.request { cents = 250 }
  pass.pay()
  restart()
  advance(1)
  expect.machine{machine}("done")
  expect.equal(mails, { "{title}: receipt r-250" })
end)

scenario("a payment that fails five times leaves {title} open, with the reason", function()
  stub("root.charge", function() error("no answer") end)
  pass.request { cents = 250 }
  pass.pay()
  advance("1m")
  expect.machine{machine}("open")
  expect.equal(mails, {})
end)

scenario("{Title} expires after three days", function()
  pass.request { cents = 250 }
  advance("3d")
  expect.machine{machine}("expired")
end)
