flow "{name}.lua"

local function begin()
  pass.join { name = "ann" }
  pass.join { name = "bob" }
  pass.start()
  local first = view.next()
  return first, first == "ann" and "bob" or "ann"
end

scenario("{Title} needs two players, each with a name of its own", function()
  refuse.start():because("two players at least")
  pass.join { name = "ann" }
  refuse.join { name = "ann" }:because("that name is taken")
end)

scenario("players take turns", function()
  local first, second = begin()
  refuse.roll { name = second }:because("it is the turn of " .. first)
  pass.roll { name = first }
  pass.roll { name = second }
end)

scenario("{Title} is over when a player has twenty", function()
  local _, second = begin()
  for _ = 1, 20 do
    if not view.winner() then pass.roll { name = view.next() } end
  end
  expect.machine{machine}("over")
  refuse.roll { name = second }:by("machine {id}")
end)
