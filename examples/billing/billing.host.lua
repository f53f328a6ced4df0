-- The bank makes charges and refunds over HTTP, and tells of charges by a webhook: provider.py, unless BANK_URL names
-- another one.

local bank = env("BANK_URL", "http://localhost:8090")

provide {
  charge = http {
    "POST", bank .. "/charges?subscription={case}", timeout = "10s",
    args = { { "cents", integer { min = 1 } }, { "period", integer { min = 1 } } },
    answers = { 402 },   -- declined: the flow decides what follows
  },
  refund = http {
    "POST", bank .. "/charges/{charge}/refunds", timeout = "10s",
    args = { "charge", { "cents", integer { min = 1 } } },
    result = { id = string, charge = string, cents = integer },
  },
}

-- The bank says how a charge has ended, also one whose responses were all lost.
hooks.bank = {
  signature = "standard", secret = env("BANK_SECRET", "whsec_ZXhhbXBsZXMvYmlsbGluZw=="),
  actions = { "settle" },
  refused = "accept",   -- only an unclear charge is settled: the flow knows how any other one has ended
  run = function(event)
    if event.type ~= "charge.succeeded" then return end
    local charge = event.data
    return { case = charge.subscription, action = "settle", payload = { id = charge.id }, key = charge.call }
  end,
}
