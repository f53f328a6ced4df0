flow "{name}.lua"

scenario("a locked door opens with its code only", function()
  pass.lock()
  refuse.open():by("machine door")
  refuse.unlock { code = "0000" }:because("wrong code")
  pass.unlock { code = "1234" }
  pass.open()
  expect { door = "opened", openings = 1 }
  expect.view.openings(1)
end)

scenario("an open door closes by itself", function()
  pass.open()
  advance(30)
  expect.machine.door("closed")
end)
