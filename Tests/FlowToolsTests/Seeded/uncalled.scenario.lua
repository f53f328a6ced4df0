flow "game.lua"

scenario("a word without a call is no statement", function()
  pass.tick()
  settle --> wrong-kind
  expect { round = 1 } --> fault
end)
