-- Scenarios of a subscription, for each way in which the bank may answer.
flow "billing.lua"

local calls     -- the charges that the bank was asked for: when, period and cents
local answers   -- its next answers: "declined", or the text of an error; it charges if there is none

before_each(function()
  calls, answers = {}, {}
  stub("root.charge", function(cents, period)
    calls[#calls + 1] = { day = now() / 86400, period = period, cents = cents }
    local answer = table.remove(answers, 1)
    if answer == "declined" then return { status = 402, body = { error = "card_declined" } } end
    if answer then error(answer, 0) end
    return { status = 201, body = { id = "ch-" .. #calls } }
  end)
  stub("root.refund", function(charge, cents)
    if answers[1] then error(table.remove(answers, 1), 0) end
    return { id = ("re-%s-%d"):format(charge, cents) }
  end)
end)

local function expect_calls(field, values)
  expect.equal(table.map(calls, function(call) return call[field] end), values)
end

local function paid_months(count)
  pass.sign_up { plan = "basic" }
  advance("14d")
  for _ = 2, count do advance("31d") end
  expect.machine.subscription("active")
end

-- Time --------------------------------------------------------------------------------------------

scenario("a trial of 14 days is free, and then each month is charged", function()
  given.born("2026-01-01T09:30:00Z")
  pass.sign_up { plan = "basic" }
  expect.view.next_charge("2026-01-15")
  advance("13d23h59m")
  expect { subscription = "trial", charges = {} }
  advance("1m")
  expect { subscription = "active", charges = { { period = 1, cents = 900, id = "ch-1" } } }
  expect.view.next_charge("2026-02-15")
  advance("31d")
  expect.view.next_charge("2026-03-15")
  advance("28d")
  expect.view.paid(2700)
  expect_calls("day", { 14, 45, 73 })
  expect_calls("period", { 1, 2, 3 })
end)

-- The days on which a subscription is charged, if its trial ends on the 31st of January.
local ends_of_months = {
  { "2023-01-17", "a common year", { "2023-01-31", "2023-02-28", "2023-03-31", "2023-04-30", "2023-05-31" } },
  { "2024-01-17", "a leap year", { "2024-01-31", "2024-02-29", "2024-03-31", "2024-04-30", "2024-05-31" } },
  { "2100-01-17", "a century without a leap day", { "2100-01-31", "2100-02-28", "2100-03-31" } },
  { "2000-01-17", "a century with one", { "2000-01-31", "2000-02-29", "2000-03-31" } },
}

for _, case in ipairs(ends_of_months) do
  local born, name, days = case[1], case[2], case[3]
  scenario("the 31st is the last day of shorter months, in " .. name, function()
    given.born(born .. "T12:00:00Z")
    pass.sign_up { plan = "pro" }
    expect.view.next_charge(days[1])
    advance("14d")
    for number = 2, #days do
      expect.view.next_charge(days[number])
      advance("28d")
      while view.charges()[number] == nil do advance("1d") end
    end
    expect.equal(#calls, #days)
  end)
end

scenario("a subscription of the 29th of February is charged on the 28th in common years", function()
  given.born("2024-02-15T00:00:00Z")
  pass.sign_up { plan = "basic" }
  advance("14d")
  expect { charges = { { period = 1 } } }
  advance("366d")   -- until the 1st of March 2025
  expect.equal(#calls, 13)
  expect.view.next_charge("2025-03-29")
end)

-- The bank ----------------------------------------------------------------------------------------

scenario("a bank that does not answer is asked again for the same charge, longer apart each time", function()
  answers = { "no answer", "no answer", "no answer" }
  pass.sign_up { plan = "basic" }
  advance("14d6s")
  expect.machine.subscription("charging")
  advance("1s")
  expect { subscription = "active", charges = { { period = 1, cents = 900, id = "ch-4" } } }
end)

scenario("nobody is charged again before it is clear how a charge has ended", function()
  for number = 1, 16 do answers[number] = "no answer" end
  pass.sign_up { plan = "basic" }
  advance("40d")
  expect.equal(#calls, 16)
  expect { subscription = "unclear", charges = {} }
  expect.view.status("unclear: no answer")
  pass.cancel()
  pass.settle { id = "ch-of-the-bank" }
  expect { subscription = "active", leaving = true, charges = { { period = 1, cents = 900, id = "ch-of-the-bank" } } }
end)

scenario("a charge that was not made, as the bank says, is made by a new call", function()
  for number = 1, 16 do answers[number] = "no answer" end
  pass.sign_up { plan = "basic" }
  advance("15d")
  refuse.settle_refund {}
  pass.settle {}
  settle()
  expect { subscription = "active", charges = { { period = 1, id = "ch-17" } }, problem = none }
end)

scenario("a charge settles one period alone", function()
  paid_months(1)
  for number = 1, 16 do answers[number] = "no answer" end
  advance("32d")
  refuse.settle { id = "ch-1" }:because("charge ch-1 is that of period 1")
  pass.settle { id = "ch-18" }
  expect { charges = { { id = "ch-1" }, { id = "ch-18" } } }
end)

-- Dunning -----------------------------------------------------------------------------------------

scenario("a declined charge is tried again after 3, 5 and 7 days, and then the subscription ends", function()
  answers = { "declined", "declined", "declined", "declined" }
  pass.sign_up { plan = "basic" }
  advance("14d")
  expect.view.status("past_due: card_declined")
  advance("14d")
  expect.machine.subscription("past_due")
  advance("1d")
  expect { subscription = "cancelled", charges = {} }
  expect_calls("day", { 14, 17, 22, 29 })
  advance("90d")
  expect.equal(#calls, 4)
end)

scenario("a charge that is paid late does not move the day of the next one", function()
  given.born("2026-01-01T00:00:00Z")
  answers = { "declined", "declined" }
  pass.sign_up { plan = "basic" }
  advance("22d")
  expect { subscription = "active", declined = 0, charges = { { period = 1 } } }
  expect.view.next_charge("2026-02-15")
end)

scenario("a new card is charged at once", function()
  answers = { "declined" }
  pass.sign_up { plan = "basic" }
  refuse.new_card()
  advance("14d")
  pass.new_card()
  settle()
  expect { subscription = "active", problem = none }
  expect.equal(#calls, 2)
  advance("16d")   -- nothing is left of the dunning
  expect.equal(#calls, 2)
end)

-- Changes -----------------------------------------------------------------------------------------

scenario("another plan is charged from the next charge on", function()
  paid_months(1)
  pass.change_plan { plan = "pro" }
  expect.view.paid(900)
  advance("31d")
  expect { charges = { { cents = 900 }, { cents = 2900 } } }
end)

scenario("a change during a charge does not change that charge", function()
  answers = { "no answer" }
  pass.sign_up { plan = "basic" }
  advance("14d")
  expect.machine.subscription("charging")
  pass.change_plan { plan = "pro" }
  advance("1s")
  expect { plan = "pro", charges = { { cents = 900 } } }
  expect_calls("cents", { 900, 900 })
end)

scenario("a trial that is cancelled is never charged", function()
  pass.sign_up { plan = "pro" }
  pass.cancel()
  advance("90d")
  expect.machine.subscription("cancelled")
  expect.equal(#calls, 0)
  refuse.cancel()
end)

scenario("a cancelled subscription lasts until the end of the month that was paid", function()
  paid_months(1)
  pass.cancel()
  refuse.cancel():because("it is cancelled already")
  advance("30d")
  expect.view.status("active until the end of the month")
  advance("1d")
  expect.machine.subscription("cancelled")
  advance("90d")
  expect.equal(#calls, 1)
end)

scenario("a cancellation can be taken back until then", function()
  paid_months(1)
  refuse.resume():because("it is not cancelled")
  pass.cancel()
  expect.view.next_charge(nil)
  advance("30d")
  pass.resume()
  advance("1d")
  expect { subscription = "active", charges = { { period = 1 }, { period = 2 } } }
end)

scenario("a charge that is under way when somebody cancels is answered, and is the last one", function()
  answers = { "no answer" }
  pass.sign_up { plan = "basic" }
  advance("14d")
  pass.cancel()
  expect.machine.subscription("charging")
  advance("1s")
  expect { subscription = "active", charges = { { period = 1 } } }
  advance("31d")
  expect.machine.subscription("cancelled")
  expect_calls("period", { 1, 1 })
end)

scenario("a charge that is declined after somebody has cancelled ends the subscription", function()
  answers = { "no answer", "declined" }
  pass.sign_up { plan = "basic" }
  advance("14d")
  pass.cancel()
  advance("1s")
  expect { subscription = "cancelled", charges = {} }
end)

-- Refunds -----------------------------------------------------------------------------------------

scenario("a part of the last charge is refunded, and never more than it", function()
  refuse.refund { cents = 1 }:because("nothing was charged yet")
  paid_months(2)
  pass.refund { cents = 400 }
  settle()
  expect { charges = { { refunded = 0 }, { refunded = 400 } }, refunding = none }
  expect.view.paid(1400)
  refuse.refund { cents = 501 }:because("only 500 cents of the last charge are left to refund")
  pass.refund { cents = 500 }
  settle()
  expect.view.paid(900)
end)

scenario("a refund with an unclear end is not made again before somebody has looked", function()
  paid_months(1)
  for number = 1, 16 do answers[number] = "no answer" end
  pass.refund { cents = 900 }
  refuse.refund { cents = 1 }:by("machine refund")
  advance("1d")
  expect { refund = "unclear", charges = { { refunded = 0 } } }
  refuse.refund { cents = 900 }:by("machine refund")
  pass.settle_refund {}
  pass.refund { cents = 900 }
  settle()
  expect { refund = "idle", charges = { { refunded = 900 } } }
end)

scenario("a cancelled subscription can still be refunded", function()
  paid_months(1)
  pass.cancel()
  advance("31d")
  expect.machine.subscription("cancelled")
  pass.refund { cents = 900 }
  settle()
  expect.view.paid(0)
end)

scenario("other terms have seconds in place of months", function()
  given { terms = { trial = 1, month = 2, patience = { 1 }, tries = 1 } }
  answers = { "declined" }
  pass.sign_up { plan = "basic" }
  advance(6)
  expect_calls("period", { 1, 1, 2, 3 })
  expect { charges = { { period = 1 }, { period = 2 }, { period = 3 } } }
end)
