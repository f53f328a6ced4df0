-- A fine of 30 euros, a letter of 10, a penalty up to 60; paid in full, in parts, or dismissed by somebody.
flow "fines.lua"

explore("one fine", {
  actions = {
    ["Create Fine"] = { amount = { 30 }, dismissal = { "NIL", "A" }, points = { 0 } },   -- which decide nothing
    ["Send Fine"]   = { expense = { 10 } },
    ["Add penalty"] = { amount = { 20, 60 } },
    Payment         = { paymentAmount = { 10, 30, 40, 60 }, totalPaymentAmount = { none } },
    ["Send Appeal to Prefecture"] = { dismissal = { "NIL", "#" } },
    ["Appeal to Judge"]           = { dismissal = { "NIL", "G" } },
  },
  ends = function(s) return s.paid == s.amount + s.expense end,   -- nobody has to do anything then
}, function()
  always("nothing is collected that is not owed", function(s)
    return s.fine ~= "in collection" or s.dismissal == "NIL" and s.amount + s.expense > s.paid
  end)
  never("collected while an appeal is open", function(s)
    return s.fine == "in collection"
      and (s.appeal == "lodged" or s.appeal == "sent" or s.appeal == "decided")
  end)
  step("nothing is collected twice: the agency has the case for good", function(before, after)
    return before.fine ~= "in collection" or after.fine == "in collection" and after.paid == before.paid
  end)
  step("what was paid is never paid back, and never too much", function(before, after)
    return after.paid >= before.paid and (after.paid == before.paid
      or after.paid <= after.amount + after.expense)
  end)
  step("who has been told of nothing appeals against nothing", function(before, after)
    return before.appeal ~= "absent" or after.appeal == "absent"
      or before.fine == "notified" or before.fine == "penalized"
  end)
  step("who has dismissed it, an appeal alone changes", function(before, after, action)
    return after.dismissal == before.dismissal or action.name == "Create Fine"
      or action.name == "Send Appeal to Prefecture" or action.name == "Appeal to Judge"
  end)
  sometimes("paid in two parts", function(s) return #s.payments == 2 and s.paid == s.amount + s.expense end)
end)
