flow "fines.lua"

-- The one appeal among the hundred cases.
scenario("V18195: an appeal to the prefecture, turned down, and the fine paid", function()
  pass["Create Fine"] { amount = 148.0, points = 5.0, dismissal = "NIL" }
  pass["Send Fine"] { expense = 26.0 }
  pass["Insert Fine Notification"] { notificationType = "P" }
  pass["Insert Date Appeal to Prefecture"]()
  expect.change { appeal = "lodged" }
  pass["Add penalty"] { amount = 297.0 }   -- sixty days after the notification, appeal or not
  refuse["Send for Credit Collection"]():because("an appeal is lodged")
  pass["Send Appeal to Prefecture"] { dismissal = "NIL" }
  expect.change { appeal = "sent" }
  pass["Receive Result Appeal from Prefecture"]()
  expect.change { appeal = "decided" }
  pass["Notify Result Appeal to Offender"]()
  expect.change { appeal = "notified" }
  pass.Payment { paymentAmount = 174.0, totalPaymentAmount = 174.0 }
  expect { points = 5, amount = 29700, expense = 2600, paid = 17400 }
  expect.view.balance(149.0)   -- the penalty, which nobody asks for
end)

-- The rest is not in the hundred cases, but in the process as its owners describe it.

local function notify()
  pass["Create Fine"] { amount = 148.0, points = 5 }
  pass["Send Fine"] { expense = 26.0 }
  pass["Insert Fine Notification"] { notificationType = "P" }
end

scenario("an appeal that succeeds leaves nothing to pay", function()
  notify()
  pass["Insert Date Appeal to Prefecture"]()
  pass["Send Appeal to Prefecture"] { dismissal = "#" }
  expect.change { appeal = "sent", dismissal = "#" }
  expect.view.settled(true)
  refuse.Payment { paymentAmount = 174.0 }:because("the fine was dismissed (#)")
end)

scenario("who is turned down may go to the judge, but not earlier", function()
  notify()
  pass["Insert Date Appeal to Prefecture"]()
  refuse["Appeal to Judge"]():by("machine appeal"):because("not possible in lodged")
  pass["Send Appeal to Prefecture"]()
  refuse["Appeal to Judge"]():because("not possible in sent")
  pass["Receive Result Appeal from Prefecture"]()
  refuse["Appeal to Judge"]():because("not possible in decided")
  pass["Notify Result Appeal to Offender"]()
  pass["Appeal to Judge"] { dismissal = "G" }
  expect.change { appeal = "judged", dismissal = "G" }
  expect.view.balance(0)
end)

scenario("nobody appeals against a fine of which nobody told him", function()
  pass["Create Fine"] { amount = 148.0 }
  pass["Send Fine"] { expense = 26.0 }
  refuse["Insert Date Appeal to Prefecture"]():because("has not been notified")
  refuse["Appeal to Judge"]():because("has not been notified")
end)

scenario("an appeal is made once, and its steps are not skipped", function()
  notify()
  pass["Insert Date Appeal to Prefecture"]()
  refuse["Insert Date Appeal to Prefecture"]():because("in lodged (possible in: absent)")
  refuse["Receive Result Appeal from Prefecture"]():because("in lodged (possible in: sent)")
  refuse["Notify Result Appeal to Offender"]():because("in lodged (possible in: decided)")
end)
