flow "{name}.lua"

scenario("{Title} is submitted, approved and published", function()
  pass.submit()
  pass.approve()
  expect.machine{machine}("published")
end)

scenario("{Title} goes back to its author with the problem", function()
  pass.submit()
  pass.reject { problem = "no title" }
  expect.view.summary("rejected: no title")
  refuse.approve():by("machine {id}")
end)

scenario("three submissions are enough", function()
  for _ = 1, 3 do
    pass.submit()
    pass.withdraw()
  end
  refuse.submit():because("it was submitted three times already")
end)

scenario("a day after it was submitted the reviewer is reminded", function()
  pass.submit()
  advance("1d")
  expect { reminders = 1 }
end)
