-- Two customers, one price, and a station that may fail at any time.
flow "kiosk.lua"

explore("one price", {
  actions = {
    order = { destination = { "Rome", "Oslo" } }, pay = { cents = { 100, 200 } },
    priced = false, failed = false, jammed = false,   -- the station's answers come from effects alone
  },
  effects = {
    order = { { "priced", cents = 200 }, { "failed", error = "no connection" } },
    pay   = { false, { "jammed", error = "paper jam" } },
  },
  within = function(s) return s.sold <= 1 end,
}, function()
  always("who pays knows where to and how much", function(s)
    return s.kiosk ~= "paying" or s.order ~= nil and s.price == 200
  end)
  step("a ticket is sold to who has paid for it", function(before, after, action)
    return after.sold == before.sold
      or action.name == "pay" and action.payload.cents >= before.price and before.kiosk == "paying"
  end)
  step("nobody's order is changed while they pay", function(before, after)
    return after.kiosk ~= "paying" or after.order == before.order
  end)
  leads_to("who orders is asked to pay or told why not, if the station answers",
    function(s) return s.kiosk == "pricing" end,
    function(s) return s.kiosk == "paying" or s.problem ~= nil end, { fair = { "effects end" } })
  leads_to("the next customer gets a turn", function(s) return s.kiosk ~= "idle" end,
    function(s) return s.kiosk == "idle" end, { fair = { "effects end", "time passes" } })
end)
