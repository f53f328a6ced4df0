-- Refunds of one order: no more than was paid, and large ones by a manager alone.
state { paid = 100, returned = 0, asked = 0 }

action.request { amount = integer { min = 1, samples = { 40, 60 } } }
action.approve { by = one_of { "clerk", "manager" } }
action.reject {}
action.close {}

machine.refund {
  initial = "open",
  open    = { request = "pending", close = "closed" },
  pending = { approve = "open", reject = "open" },
  closed  = { final = true },
}

function gate.request(s, a)
  local left = s.paid - s.returned
  return a.amount <= left, "only " .. left .. " is left to refund"
end

function gate.approve(s, a)
  return s.asked <= 50 or a.by == "manager", "a refund above 50 needs a manager"
end

function reduce.request(s, a) s.asked = a.amount end
function reduce.approve(s) s.returned = s.returned + s.asked end

function invariant.never_more_than_paid(s)
  return s.returned <= s.paid
end
