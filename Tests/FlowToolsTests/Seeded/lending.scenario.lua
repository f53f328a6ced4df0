flow "lending.lua"

local FAUST = "9783150000014"

scenario("a book comes and goes", function()
  stub("root.look_up", function() sleep(1) return { title = "Faust", authors = list { "Goethe" }, year = 1808 } end)
  stub("root.send_mail", function() end)
  pass.enrol { id = "ann", name = "Ann", kind = "adult" }
  pass.enrol { id = "ben", name = "Ben", kind = "child" }
  refuse.enrol { id = "ann", name = "Anna", kind = "adult" }:because("the number is taken")
  pass.buy { isbn = FAUST }
  refuse.buy { isbn = FAUST }:by("gatekeeper catalogue")
  advance(1)
  refuse.buy { isbn = FAUST }:because("we have it")
  refuse.lend { isbn = FAUST, member = "eve" }:because("there is no member eve")
  pass.lend { isbn = FAUST, member = "ann" }
  refuse.lend { isbn = FAUST, member = "ben" }
  refuse.leave { id = "ann" }:because("give the books back first")
  pass.reserve { isbn = FAUST, member = "ben" }
  advance("28d")
  advance("2d")
  pass.give_back { isbn = FAUST }
  expect { books = { [FAUST] = { copy = "kept" } }, members = { ann = { fees = 40 } } }
  refuse.collect { isbn = FAUST, member = "ann" }:because("someone else is first")
  pass.collect { isbn = FAUST, member = "ben" }
  pass.write_off { isbn = FAUST }
  pass.buy { isbn = FAUST }
  advance(1)
  expect { books = { [FAUST] = { copy = "shelved", title = "Faust" } } }
  pass.pay { member = "ann", cents = 40 }
  pass.leave { id = "ann" }
end)
