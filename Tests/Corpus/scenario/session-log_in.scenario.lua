-- The way in: with a password, or with what the key chain holds.
flow "session.lua"

local ann = { id = "u1", name = "Ann" }
local keychain   -- what it holds

before_each(function()
  stub("root.read_keychain", function() return keychain end)
  stub("root.write_keychain", function(session) keychain = session end)
  stub("root.load_image", function(file) return file end)
  stub("root.authenticate", function(_, password)
    sleep(1)
    if password == "secret" then return { session = ann } end
    return { problem = "wrong password" }
  end)
end)

scenario("an empty key chain leads to the log-in screen", function()
  pass.start()
  settle()
  expect { session = none, screen = { title = "Log in" } }
  expect.scope.user("locked")
end)

scenario("the right password is the key to the user's scope", function()
  pass.log_in { name = "Ann", password = "secret" }
  expect.scope.user("locked")
  advance(1)
  expect.scope.user("open")
  expect { session = ann, screen = { title = "Ann", photo = "u1.jpg" } }
  assert(keychain == ann)
end)

scenario("a wrong password leaves everything locked, and says so", function()
  pass.log_in { name = "Ann", password = "guess" }
  advance(1)
  expect { session = none, screen = { title = "Log in", problem = "wrong password" } }
  expect.scope.user("locked")
  assert(keychain == nil)
end)

scenario("who failed may try again", function()
  pass.log_in { name = "Ann", password = "guess" }
  refuse.log_in { name = "Ann", password = "secret" }:by("gatekeeper entrance")
  advance(1)
  expect.gatekeeper.entrance("free")
  pass.log_in { name = "Ann", password = "secret" }
  advance(1)
  expect { log_in_error = none, screen = { title = "Ann" } }
end)

scenario("a network that is down is no answer, and no end either", function()
  stub("root.authenticate", function() error("the network is down") end)
  pass.log_in { name = "Ann", password = "secret" }
  settle()
  assert(view.log_in_error():find("the network is down"))
  expect.gatekeeper.entrance("free")
end)

scenario("what the key chain holds opens the scope at the start", function()
  keychain = ann
  pass.start()
  settle()
  expect { session = ann, screen = { title = "Ann", photo = "u1.jpg" } }
  expect.scope.user("open")
end)

scenario("nobody logs in over somebody else", function()
  given { session = ann }
  refuse.log_in { name = "Eve", password = "secret" }:because("log out first")
  refuse.logged_in { session = { id = "u2", name = "Eve" } }:because("log out first")
end)

scenario("the password is nowhere in the state", function()
  pass.log_in { name = "Ann", password = "secret" }
  expect.change {}
end)

scenario("without a user there is nothing of a user's", function()
  refuse.show_profile():by("scope user"):because("scope user needs its key")
  refuse.rename { name = "Eve" }:by("scope user")
  refuse.log_out():by("scope user")
  pass.sync()   -- the root's, but it unlocks the user's scope
  settle()
  assert(view.sync_error():find("scope user is locked: it needs its key"))
end)

scenario("a message is of no use without its user", function()
  refuse.reply { text = "Hello" }:by("scope message"):because("scope user needs its key")
end)
