flow "{name}.lua"

scenario("{Title} counts what is added", function()
  pass.add { by = 3 }
  pass.add { by = 4 }
  expect { count = 7 }
  expect.view.count(7)
end)

scenario("{Title} refuses more than 100", function()
  given { count = 95 }
  refuse.add { by = 6 }:because("{title} holds 100 at most")
end)
