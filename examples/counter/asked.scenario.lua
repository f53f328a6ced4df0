flow "counter.lua"

before_each(function()
  stub("label.new_count", function() end)
end)

scenario("who asks gets the count, and nothing else", function()
  expect.view.count(0)
  pass.increase { by = 3 }
  expect.view.count(3)
  pass.decrease()
  expect.view.count(2)
end)

scenario("the navigation changes nothing about the count", function()
  pass.increase()
  pass.appear()
  expect.change { ["navigation.screen"] = "counter" }
  expect.view.count(1)
  pass.disappear()
  expect.view.count(1)
end)

scenario("the count never goes below zero", function()
  pass.increase { by = 2 }
  refuse.decrease { by = 3 }:because("below zero"):by("gate decrease")
  fail.increase { by = 0 }:by("payload")
  expect.view.count(2)
end)
