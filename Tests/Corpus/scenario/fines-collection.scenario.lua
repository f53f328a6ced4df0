-- Cases of the log that nobody pays.
flow "fines.lua"

scenario("N67803: created, sent, notified, penalized, collected", function()
  pass["Create Fine"] { amount = 33.6, points = 0.0, dismissal = "NIL" }
  expect.change { fine = "created", amount = 3360 }
  pass["Send Fine"] { expense = 11.0 }
  expect.change { fine = "sent", expense = 1100 }
  pass["Insert Fine Notification"] { notificationType = "P" }
  expect.change { fine = "notified" }
  pass["Add penalty"] { amount = 68.77 }
  expect.change { fine = "penalized", amount = 6877 }
  pass["Send for Credit Collection"]()
  expect.change { fine = "in collection" }
  expect.view.balance(79.77)
end)

scenario("N77802: sent, and the log knows no more of it", function()
  pass["Create Fine"] { amount = 35.0, points = 0.0, dismissal = "NIL" }
  pass["Send Fine"] { expense = 11.0 }
  expect.state {
    fine = "sent", appeal = "absent", dismissal = "NIL", points = 0,
    amount = 3500, expense = 1100, payments = {}, paid = 0,
  }
  expect.view.balance(46.0)
  expect.view.settled(false)
end)

scenario("S60775: dismissed from the start, sent all the same", function()
  pass["Create Fine"] { amount = 65.6, points = 0.0, dismissal = "A" }
  pass["Send Fine"] { expense = 6.71 }
  expect.view.balance(0)
  pass["Insert Fine Notification"] { notificationType = "P" }   -- from here on not recorded
  refuse["Add penalty"] { amount = 131.2 }:because("the fine was dismissed (A)")
end)

-- Whoever collects a fine must have taken every step before.
local steps = {
  { "Create Fine", { amount = 33.6 } },
  { "Send Fine", { expense = 11.0 } },
  { "Insert Fine Notification", { notificationType = "P" } },
  { "Add penalty", { amount = 68.77 } },
}

for missing = 1, #steps do
  scenario(("no collection without %q"):format(steps[missing][1]), function()
    for n = 1, missing - 1 do
      local name, payload = steps[n][1], steps[n][2]
      pass[name](payload)
    end
    for n = missing + 1, #steps do
      local name, payload = steps[n][1], steps[n][2]
      refuse[name](payload):by("machine fine")
    end
    refuse["Send for Credit Collection"]():by("machine fine")
  end)
end
