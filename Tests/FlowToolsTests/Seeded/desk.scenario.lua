flow "desk.lua"

local function staffed()
  pass.log_in { name = "ann", skills = { "mail" } }
end

local function one(priority)
  pass.create { who = "bob", priority = priority }
  return 1
end

scenario("it works", function()
  staffed()
  one("low")
  expect { tickets = { [1] = { who = "bob" } } }
end)

scenario("mistakes", function()
  given { desk = "stafed" } --> unknown-value
  given { stats = { open = 3, sloved = 1 } } --> unknown-field
  given { tickets = { [1] = { id = 1, who = "bob", priority = "hi" } } } --> unknown-value
  stub("agent.mail", function(text) return text end)
  stub("agent.maill", function(text) return text end) --> unused-stub
  pass.log_in { name = "" , skills = {} } --> wrong-payload
  pass.log_in { name = "ann", skills = "mail" } --> wrong-payload
  pass.log_in { name = "ann" } --> wrong-payload
  refuse.answr { id = 1, text = "x" } --> unknown-name
  refuse.answer { id = 1 }:by("scope agent") --> wrong-payload
  refuse.answer { id = 1, text = "x" }:by("scope agnet") --> unknown-value
  refuse.create { who = "x", priority = "low" }:by("gate answer") --> unknown-value
  refuse.create { who = "x", priority = "low" }:because("x"):of("gate") --> unknown-value
  pass.solve { id = 1, rating = 6 } --> wrong-payload
  inside.mailed { id = 1 } --> wrong-payload
  expect { stats = { solvd = 1 } } --> unknown-field
  expect { ["stats.solvd"] = 1 } --> unknown-field
  expect { stats = { solved = "1" } } --> unknown-value
  expect { tickets = { [1] = { prority = "low" } } } --> unknown-field
  expect { ["tickets[1].priority"] = "lo" } --> unknown-value
  expect { mood = 5, desk = "bsy" } --> unknown-value
  expect.machine.desk("bussy") --> unknown-value
  expect.machine.dsk("busy") --> unknown-name
  expect.gatekeeper.lin { "phone" } --> unknown-name
  expect.gatekeeper.line { "fone" } --> unknown-value
  expect.scope.agent("opened") --> unknown-value
  expect.scope.agents("open") --> unknown-name
  expect.view.waiting { high = "1" }
  expect.view.waitin { high = 1 } --> unknown-name
  expect.view.waiting { hihg = 1 } --> unknown-field
  expect.change { ["stats.open"] = 1, moood = "x" } --> unknown-field
  expect.refused.solv() --> unknown-value
  expect.nothing() --> unknown-value
  expect(view.waiting.high == 1) --> wrong-kind
  assert(view.waiting().hgh == 1) --> unknown-field
  advance("10 minuts") --> unknown-value
  stafed() --> unknown-global
  local id = one() --> unused-local
  if now > 3 then settle() end --> wrong-kind
  given.gatekeeper.line { "phon" } --> unknown-value
end)
