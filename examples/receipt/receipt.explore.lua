flow "receipt.lua"

-- What comes before what, whoever does it and however often.
local function after_all(name, earlier)
  step(name, function(before, after)
    return after[earlier.of] ~= earlier.reaches or before[earlier.of] == earlier.reaches
      or before[earlier.of] == earlier.from
  end)
end

explore("all orders of steps", function()
  always("nothing is done about what was not received", function(s)
    return s.confirmation ~= "absent"
      or s.document == "absent" and s.report == "absent" and s.stop == "open"
  end)
  always("no document and no report without a decision to stop", function(s)
    return s.stop ~= "open" or s.document == "absent" and s.report == "absent"
  end)
  after_all("what is sent was determined before",
    { of = "confirmation", reaches = "sent", from = "determined" })
  after_all("what is determined was checked right before",
    { of = "confirmation", reaches = "determined", from = "checked" })
  after_all("document X is printed as it was determined",
    { of = "document", reaches = "printed", from = "determined" })
  step("what is sent, or printed, stays so", function(before, after)
    return (before.confirmation ~= "sent" or after.confirmation == "sent")
      and (before.document ~= "printed" or after.document == "printed")
      and (before.report ~= "printed" or after.report == "printed")
  end)
  sometimes("a document that says no licence is needed, and a report to hold the request", function(s)
    return s.document == "printed" and s.report == "printed"
  end)
end)
