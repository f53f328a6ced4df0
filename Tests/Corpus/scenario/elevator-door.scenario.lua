-- The door, and why it is never open at the wrong time.
flow "elevator.lua"

scenario("it does not open between the floors", function()
  given { calls = { 2 }, cabin = "up" }
  refuse.open():by("machine cabin"):because("open is not possible in up (possible in: still)")
end)

for _, door in ipairs { "opening", "open", "closing" } do
  scenario(("the cabin does not move while the door is %s"):format(door), function()
    given { calls = { 2 }, door = door }
    refuse.depart():by("machine door"):because("possible in: closed")
  end)
end

scenario("it opens again for whoever stands in it", function()
  given { door = "closing" }
  advance(1)
  pass.obstruct()
  expect.change { door = "opening" }
  advance(2)
  expect.machine.door("open")
end)

scenario("it stays open as long as somebody stands in it", function()
  given { door = "open" }
  for _ = 1, 10 do
    advance(4)
    pass.obstruct()
  end
  advance(4.9)
  expect.machine.door("open")
  advance(0.1)
  expect.machine.door("closing")
end)

scenario("the button keeps it open for another five seconds", function()
  given { door = "open" }
  advance(4)
  pass.open()
  advance(4.9)
  expect.machine.door("open")
  advance(0.1)
  expect.machine.door("closing")
end)

scenario("the button closes it before its time", function()
  given { door = "open" }
  advance(1)
  pass.close()
  advance(2)
  expect.machine.door("closed")
  expect.effects.none()   -- the timer stopped with the state that it belonged to
end)

scenario("who is called away leaves when the door is closed", function()
  given { door = "open" }
  pass.call { floor = 2 }
  settle()
  expect.refused.depart():by("machine door")
  advance(7)
  expect.machine.cabin("up")
end)
