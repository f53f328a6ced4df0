-- Road traffic fines of an Italian police force, one fine a flow. Actions and fields are named as
-- in the recorded log, so that a recorded case can be played as it stands.
local money = require "money"
local cents, euros, text = money.cents, money.euros, money.text

local sum       = number { min = 0 }
local price     = number { min = 0.01 }
local dismissal = string { pattern = "^%S+$", default = "NIL" }
local in_cents  = integer { min = 0, default = 0 }

state {
  dismissal = dismissal,    -- "NIL": not dismissed; any other code tells who dismissed the fine
  points    = integer { default = 0 },   -- that the licence loses

  amount    = in_cents,     -- doubled by the penalty
  expense   = in_cents,     -- of the letter, which the offender bears
  payments  = list_of(integer { min = 1 }),
  paid      = in_cents,
}

action["Create Fine"] { amount = price, points = integer { default = 0 }, dismissal = dismissal }
action["Send Fine"] { expense = sum }
action["Insert Fine Notification"] { notificationType = one_of { "P", "C" } }
action["Add penalty"] { amount = sum }
action.Payment { paymentAmount = price, totalPaymentAmount = optional(sum) }
action["Send for Credit Collection"] {}

action["Insert Date Appeal to Prefecture"] {}
action["Send Appeal to Prefecture"] { dismissal = dismissal }
action["Receive Result Appeal from Prefecture"] {}
action["Notify Result Appeal to Offender"] {}
action["Appeal to Judge"] { dismissal = dismissal }

-- What becomes of the fine. Payments and appeals may come between its steps.
machine.fine {
  initial = "absent",

  absent    = { ["Create Fine"] = "created" },
  created   = { ["Send Fine"] = "sent" },
  sent      = { ["Insert Fine Notification"] = "notified" },
  notified  = { ["Add penalty"] = "penalized" },
  penalized = { ["Send for Credit Collection"] = "in collection" },

  ["in collection"] = { final = true },
}

-- What becomes of an appeal against it: to the prefecture, and then, or instead, to the judge.
machine.appeal {
  initial = "absent",

  absent   = { ["Insert Date Appeal to Prefecture"] = "lodged", ["Appeal to Judge"] = "judged" },
  lodged   = { ["Send Appeal to Prefecture"] = "sent" },
  sent     = { ["Receive Result Appeal from Prefecture"] = "decided" },
  decided  = { ["Notify Result Appeal to Offender"] = "notified" },
  notified = { ["Appeal to Judge"] = "judged" },
  judged   = { ["Appeal to Judge"] = "judged" },
}

-- What is still to be paid.
local function balance(s)
  if s.dismissal ~= "NIL" then
    return 0
  end
  return s.amount + s.expense - s.paid
end

gate("with the agency", "*", function(s)
  return s.fine ~= "in collection", "the case is with the credit collection agency"
end)

gate["Send Fine"] = function(s)
  return s.paid < s.amount, "nobody is written to who has paid"
end

gate("something is owed", { "Add penalty", "Payment", "Send for Credit Collection" }, function(s)
  if s.dismissal ~= "NIL" then
    return false, ("the fine was dismissed (%s)"):format(s.dismissal)
  end
  return balance(s) > 0, "nothing is owed"
end)

gate("notified", { "Insert Date Appeal to Prefecture", "Appeal to Judge" }, function(s)
  return s.fine == "notified" or s.fine == "penalized", "the offender has not been notified"
end)

local appeal_is_open = { lodged = true, sent = true, decided = true }

gate["Send for Credit Collection"] = function(s)
  return not appeal_is_open[s.appeal], ("an appeal is %s"):format(s.appeal)
end

gate["Add penalty"] = function(s, a)
  return cents(a.amount) > s.amount, ("a penalty raises the fine of %s"):format(text(s.amount))
end

function gate.Payment(s, a)
  local paid = cents(a.paymentAmount)
  if paid > balance(s) then
    return false, ("%s is owed, not %s"):format(text(balance(s)), text(paid))
  end
  local total = s.paid + paid   -- the log keeps it too: let it agree
  return a.totalPaymentAmount == nil or cents(a.totalPaymentAmount) == total,
    ("the payments add up to %s"):format(text(total))
end

reduce["Create Fine"] = function(s, a)
  s.amount    = cents(a.amount)
  s.points    = a.points
  s.dismissal = a.dismissal
end

reduce["Send Fine"] = function(s, a)
  s.expense = cents(a.expense)
end

reduce["Add penalty"] = function(s, a)
  s.amount = cents(a.amount)
end

function reduce.Payment(s, a)
  local paid = cents(a.paymentAmount)
  table.insert(s.payments, paid)
  s.paid = s.paid + paid
end

reduce["Send Appeal to Prefecture"] = function(s, a)
  s.dismissal = a.dismissal
end

reduce["Appeal to Judge"] = reduce["Send Appeal to Prefecture"]

function view.balance(s)
  return euros(balance(s))
end

function view.settled(s)
  return s.fine ~= "absent" and balance(s) == 0
end

function invariant.the_balance_is_never_negative(s)
  return balance(s) >= 0, ("a balance of %s"):format(text(balance(s)))
end

function invariant.every_payment_counts(s)
  local total = 0
  for _, paid in ipairs(s.payments) do
    total = total + paid
  end
  return total == s.paid, ("payments of %s, paid %s"):format(text(total), text(s.paid))
end
