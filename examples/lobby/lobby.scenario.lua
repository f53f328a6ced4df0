flow "lobby.lua"

local function join(...)
  for _, id in ipairs { ... } do pass.join { id = id } end
end

scenario("all have to be ready", function()
  join("ann", "bob")
  pass.ready { id = "ann" }
  refuse.start():by("machine stage"):because("start is not possible for players[\"bob\"]: not ready")
  expect.view.waiting_for(1)
  pass.ready { id = "bob" }
  expect.view.all_ready(true)
  pass.start()
  expect { lobby = "running", players = { ann = { stage = "playing" }, bob = { stage = "playing" } } }
end)

scenario("a lobby without anybody starts nothing", function()
  refuse.start():because("nobody is here")
end)

scenario("who changes their mind is waited for", function()
  join("ann")
  pass.ready { id = "ann" }
  pass.unready { id = "ann" }
  refuse.start():because("not ready")
end)

scenario("a name is there once", function()
  join("ann")
  refuse.join { id = "ann" }:because("the name is taken")
  refuse.ready { id = "zoe" }:because("there is no players[\"zoe\"]")
end)

scenario("who is not ready after two minutes has left, and nobody else", function()
  join("ann")
  advance("1m")
  join("bob")
  pass.ready { id = "bob" }
  advance("1m")
  expect.state { lobby = "open", players = map { bob = { lives = 2, stage = "ready" } } }
  advance("1h")
  expect { players = { bob = { stage = "ready" } } }
end)

scenario("the third hit hits nobody", function()
  join("ann", "bob")
  for _, id in ipairs { "ann", "bob" } do pass.ready { id = id } end
  pass.start()
  pass.hit { id = "ann" }
  expect { players = { ann = { lives = 1, stage = "playing" } } }
  pass.hit { id = "ann" }
  expect { players = { ann = { lives = 1, stage = "out" }, bob = { stage = "playing" } } }
  refuse.hit { id = "ann" }:because("hit is not possible for players[\"ann\"] in out (possible in: playing)")
end)

scenario("after the game everybody waits again, wherever they were", function()
  join("ann", "bob", "cid")
  for _, id in ipairs { "ann", "bob", "cid" } do pass.ready { id = id } end
  pass.start()
  for _ = 1, 2 do pass.hit { id = "ann" } end
  pass.leave { id = "cid" }
  pass.finish()
  expect { lobby = "open", players = { ann = { stage = "waiting" }, bob = { stage = "waiting" } } }
  advance("2m")
  expect.state { lobby = "open", players = map {} }
end)

scenario("who is ready, or waits, is waiting after a finish too", function()
  given { lobby = "running", players = { ann = { lives = 1, stage = "ready" }, bob = { lives = 1 } } }
  pass.finish()
  expect { players = { ann = { stage = "waiting" }, bob = { stage = "waiting" } } }
end)

scenario("the next game begins with all lives", function()
  join("ann")
  pass.ready { id = "ann" }
  pass.start()
  pass.hit { id = "ann" }
  pass.finish()
  expect { players = { ann = { lives = 2, stage = "waiting" } } }
end)

scenario("a game that all have left is over", function()
  join("ann")
  pass.ready { id = "ann" }
  pass.start()
  pass.leave { id = "ann" }
  expect { lobby = "open", players = map {} }
  join("bob")
end)
