-- A trial and the first days of two months, with a bank that charges, declines, or does not answer.
flow "billing.lua"

local DAY = 24 * 3600

-- The bank charges, or declines, or nobody knows; and likewise for refunds.
local bank = {
  ["subscription.charging"] = function(s)
    return { { "charged", id = "ch-" .. #s.charges + 1 }, { "declined", reason = "card_declined" },
      { "charge_failed", error = "no answer" } }
  end,
  ["refund.running"] = { { "refunded", id = "re-1" }, { "refund_failed", error = "no answer" } },
}

local function day_of_charge(s, period) return date.add_months(s.first, period - 1) end

local function charges_until_now(s)
  local count = 0
  while s.first and day_of_charge(s, count + 1) <= now() do count = count + 1 end
  return count
end

explore("two months", {
  actions = {
    sign_up = { plan = { "basic" } }, change_plan = false, refund = { cents = { 900 } },
    settle = { id = { none, "ch-settled" } }, settle_refund = { id = { none, "re-settled" } },
  },
  effects = bank,
  given = { { terms = { patience = { 3 * DAY } } } },
  time = { up_to = 46 * DAY },
}, function()
  always("a period is never charged twice, and never before it begins", function(s)
    return #s.charges <= charges_until_now(s)
  end)
  step("nobody is charged who has cancelled", function(before, after)
    local is_new = after.subscription == "charging" and before.subscription ~= "charging"
    return not (is_new and (before.leaving or before.subscription == "cancelled"))
  end)
  step("what is cancelled stays so", function(before, after)
    return before.subscription ~= "cancelled" or after.subscription == "cancelled" and #after.charges == #before.charges
  end)
  step("an unclear charge is not repeated before it is settled", function(before, after, action)
    return before.subscription ~= "unclear" or after.subscription == "unclear" or action.name == "settle"
  end)
  step("an unclear refund is not repeated before it is settled", function(before, after, action)
    return before.refund ~= "unclear" or after.refund == "unclear" or action.name == "settle_refund"
  end)
  sometimes("two months are paid", function(s) return #s.charges == 2 end)
  sometimes("charged again after dunning", function(s) return s.subscription == "charging" and s.declined > 0 end)
  sometimes("cancelled after dunning", function(s) return s.subscription == "cancelled" and s.declined == 2 end)
end)
