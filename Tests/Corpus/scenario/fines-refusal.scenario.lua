flow "fines.lua"

-- The one case of the hundred that this flow does not let through.
scenario("N36957: paid in three days, sent by post seven weeks later", function()
  pass["Create Fine"] { amount = 32.8, points = 0.0, dismissal = "NIL" }
  pass.Payment { paymentAmount = 32.8, totalPaymentAmount = 32.8 }
  refuse["Send Fine"] { expense = 6.71 }
    :by("gate Send Fine")
    :because("nobody is written to who has paid")
  expect.view.settled(true)   -- with the letter, 6.71 would be owed again
end)

scenario("nobody pays more than he owes", function()
  pass["Create Fine"] { amount = 35.0 }
  refuse.Payment { paymentAmount = 35.01 }:because("35.00 is owed, not 35.01")
  pass.Payment { paymentAmount = 35.0 }
  refuse.Payment { paymentAmount = 0.01 }:because("nothing is owed")
  expect { payments = { 3500 } }
end)

scenario("the total of a payment must add up", function()
  pass["Create Fine"] { amount = 35.0 }
  pass.Payment { paymentAmount = 20.0, totalPaymentAmount = 20.0 }
  refuse.Payment { paymentAmount = 10.0, totalPaymentAmount = 35.0 }
    :because("the payments add up to 30.00")
end)

scenario("a penalty raises the fine, and only where something is owed", function()
  pass["Create Fine"] { amount = 35.0 }
  pass["Send Fine"] { expense = 11.0 }
  pass["Insert Fine Notification"] { notificationType = "P" }
  refuse["Add penalty"] { amount = 35.0 }:because("a penalty raises the fine of 35.00")
  pass.Payment { paymentAmount = 46.0 }
  refuse["Add penalty"] { amount = 71.5 }:because("nothing is owed")
end)

scenario("what the agency has is no longer the police's", function()
  given { fine = "in collection", amount = 6877, expense = 1100 }
  refuse.Payment { paymentAmount = 79.77 }:by("gate with the agency")
  refuse["Insert Date Appeal to Prefecture"]():by("gate with the agency")
  refuse["Send for Credit Collection"]():by("machine fine")
end)

scenario("there is no half cent", function()
  pass["Create Fine"] { amount = 35.0 }
  fail.Payment { paymentAmount = 17.505 }:by("script"):because("not a whole number of cents")
  fail["Send Fine"] { expense = 6.715 }:by("script"):because("not a whole number of cents")
  expect { fine = "created", expense = 0, paid = 0 }   -- a reducer that raises is rolled back
end)

scenario("every fault of a payload is named", function()
  fail["Create Fine"] { amount = -35, points = 1.5, dismissal = "" }
    :by("payload"):because("amount"):because("points"):because("dismissal")
  fail["Insert Fine Notification"] { notificationType = "X" }:because("notificationType")
  fail["Add Penalty"] { amount = 71.5 }:by("undeclared"):because("Add penalty")
end)
