flow "receipt.lua"

local function receive()
  pass["Confirmation of receipt"] { ["org:resource"] = "Resource21" }
end

local function confirm()
  pass["T02 Check confirmation of receipt"]()
  pass["T04 Determine confirmation of receipt"]()
  pass["T05 Print and send confirmation of receipt"]()
end

local function decide()
  pass["T06 Determine necessity of stop advice"]()
  pass["T10 Determine necessity to stop indication"]()
end

scenario("half of all applications: confirmed first, then decided", function()
  receive()
  expect { resource = "Resource21" }
  confirm()
  decide()
  expect { confirmation = "sent", stop = "determined" }
end)

scenario("the confirmation and the decision do not wait for each other", function()
  receive()
  decide()
  confirm()
end)

scenario("an adjusted confirmation is checked again", function()
  receive()
  pass["T02 Check confirmation of receipt"]()
  pass["T03 Adjust confirmation of receipt"]()
  refuse["T04 Determine confirmation of receipt"]():by("machine confirmation")
  confirm()
end)

scenario("nothing happens before the receipt", function()
  refuse["T06 Determine necessity of stop advice"]():because("nothing was received yet")
end)

scenario("advice is drafted once its necessity was determined", function()
  receive()
  refuse["T07-1 Draft intern advice aspect 1"]():because("was not determined")
  pass["T06 Determine necessity of stop advice"]()
  pass["T07-1 Draft intern advice aspect 1"]()
end)

scenario("document X follows the decision, step by step", function()
  receive()
  refuse["T11 Create document X request unlicensed"]():because("was not determined")
  decide()
  pass["T11 Create document X request unlicensed"]()
  refuse["T14 Determine document X request unlicensed"]():by("machine document")
  pass["T12 Check document X request unlicensed"]()
  pass["T14 Determine document X request unlicensed"]()
  pass["T15 Print document X request unlicensed"]()
  expect { document = "printed" }
end)
