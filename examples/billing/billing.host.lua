-- The bank makes charges and refunds over HTTP: provider.py, unless BANK_URL names another one.

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
