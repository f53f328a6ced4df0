-- A bank that answers, or does not until all attempts are used up.
flow "order.lua"

explore("one order", {
  actions = { place = { cents = { 1250 } } },
  effects = {
    pay = { { "paid", receipt = "R-1" }, { "payment_failed", error = "the bank does not answer" } },
  },
}, function()
  always("done is paid for", function(s) return (s.order == "done") == (s.receipt ~= nil) end)
  step("what is done, or has expired, stays so", function(before, after)
    return before.order ~= "done" and before.order ~= "expired" or after.order == before.order
  end)
  step("an order that is being paid does not expire", function(before, after)
    return before.order ~= "paying" or after.order ~= "expired"
  end)
  sometimes("paid after a failure", function(s) return s.order == "done" end)
  leads_to("a payment comes to an end, if the bank does",
    function(s) return s.order == "paying" end, function(s) return s.order ~= "paying" end,
    { fair = { "effects end" } })
  eventually("done or expired, if nobody pays in vain for ever",
    function(s) return s.order ~= "open" end, { fair = { "time passes" } })
end)
