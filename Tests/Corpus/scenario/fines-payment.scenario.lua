-- Cases of the log that end with a payment. Each is named; every amount is as recorded.
flow "fines.lua"

scenario("A17641: paid within two days, never sent by post", function()
  pass["Create Fine"] { amount = 36.0, points = 0.0, dismissal = "NIL" }
  pass.Payment { paymentAmount = 36.0, totalPaymentAmount = 36.0 }
  expect.change { payments = { 3600 }, paid = 3600 }
  expect.view.settled(true)
end)

scenario("S67541: the offender pays for the letter, too", function()
  pass["Create Fine"] { amount = 32.8, points = 0.0, dismissal = "NIL" }
  pass["Send Fine"] { expense = 6.71 }
  expect.view.balance(39.51)
  pass.Payment { paymentAmount = 39.51, totalPaymentAmount = 39.51 }
  expect.view.settled(true)
end)

scenario("S106046: the fine, and after the penalty the rest of it", function()
  pass["Create Fine"] { amount = 35.0, points = 0.0, dismissal = "NIL" }
  pass["Send Fine"] { expense = 11.0 }
  pass["Insert Fine Notification"] { notificationType = "P" }
  expect.view.balance(46.0)
  pass["Add penalty"] { amount = 71.5 }
  expect.change { fine = "penalized", amount = 7150 }
  expect.view.balance(82.5)
  pass.Payment { paymentAmount = 49.25, totalPaymentAmount = 49.25 }
  expect.view.balance(33.25)
  pass.Payment { paymentAmount = 33.25, totalPaymentAmount = 82.5 }
  expect { payments = { 4925, 3325 } }
  expect.view.settled(true)
end)

scenario("N47046: the last cent counts, which floating point would lose", function()
  pass["Create Fine"] { amount = 33.6, points = 0.0, dismissal = "NIL" }
  pass["Send Fine"] { expense = 15.16 }
  pass["Insert Fine Notification"] { notificationType = "P" }
  pass["Add penalty"] { amount = 68.77 }
  pass.Payment { paymentAmount = 53.6, totalPaymentAmount = 53.6 }
  pass.Payment { paymentAmount = 30.33, totalPaymentAmount = 83.93 }
  expect { amount = 6877, expense = 1516, paid = 8393 }
  expect.view.settled(true)
end)

scenario("C18702: handed over on the spot, paid with the penalty eight months later", function()
  pass["Create Fine"] { amount = 138.0, points = 6.0, dismissal = "NIL" }
  pass["Send Fine"] { expense = 0.0 }
  pass["Insert Fine Notification"] { notificationType = "P" }
  pass["Add penalty"] { amount = 275.0 }
  pass.Payment { paymentAmount = 275.0, totalPaymentAmount = 275.0 }
  expect { points = 6 }
  expect.view.settled(true)
end)

-- From here on the offender pays the fine and the letter, and the penalty stays open. The log ends
-- there: nobody pursues it.

scenario("S100992: too little before the penalty, the rest of the old sum after it", function()
  pass["Create Fine"] { amount = 35.0, points = 0.0, dismissal = "NIL" }
  pass["Send Fine"] { expense = 16.6 }
  pass["Insert Fine Notification"] { notificationType = "P" }
  pass.Payment { paymentAmount = 46.0, totalPaymentAmount = 46.0 }
  expect.view.balance(5.6)
  pass["Add penalty"] { amount = 71.5 }
  expect.view.balance(42.1)
  pass.Payment { paymentAmount = 5.6, totalPaymentAmount = 51.6 }
  expect.view.balance(36.5)
end)

scenario("N61259: a payment overtakes the notification", function()
  pass["Create Fine"] { amount = 33.6, points = 0.0, dismissal = "NIL" }
  pass["Send Fine"] { expense = 16.6 }
  pass.Payment { paymentAmount = 44.6, totalPaymentAmount = 44.6 }
  expect { fine = "sent" }
  pass["Insert Fine Notification"] { notificationType = "P" }
  pass["Add penalty"] { amount = 68.77 }
  pass.Payment { paymentAmount = 5.6, totalPaymentAmount = 50.2 }
  expect.view.balance(35.17)
end)

scenario("A43678: paid on the very day of the penalty, without it", function()
  pass["Create Fine"] { amount = 38.0, points = 0.0, dismissal = "NIL" }
  pass["Send Fine"] { expense = 13.5 }
  pass["Insert Fine Notification"] { notificationType = "P" }
  pass["Add penalty"] { amount = 77.5 }
  pass.Payment { paymentAmount = 51.5, totalPaymentAmount = 51.5 }
  expect.view.balance(39.5)
end)
