flow "counter.lua"

local label

before_each(function()
  label = "nothing"
  stub("label.new_count", function(count) label = tostring(count) end)
end)

scenario("a label that appears is told the count", function()
  given { counter = 7 }
  pass.appear()
  assert(label == "7")
end)

scenario("a label that is there is told every new count", function()
  pass.appear()
  assert(label == "0")
  pass.increase { by = 2 }
  assert(label == "2")
  pass.decrease()
  assert(label == "1")
end)

scenario("what is refused is not told", function()
  pass.appear()
  refuse.decrease()
  assert(label == "0")
end)

scenario("a label that has disappeared is told nothing more", function()
  pass.appear()
  expect.scope.label("open")
  pass.disappear()
  expect.scope.label("locked")
  pass.increase()
  assert(label == "0")
end)
