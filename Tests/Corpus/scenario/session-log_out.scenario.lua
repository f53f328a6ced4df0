-- Log-out takes the key away, and with it everything that it had opened.
flow "session.lua"

local erased, read

before_each(function()
  erased, read = 0, {}
  given { session = { id = "u1", name = "Ann" } }
  stub("root.erase_keychain", function() erased = erased + 1 end)
  stub("root.load_image", function(file) sleep(2) return file end)
  stub("user.inbox", function() return { 7, 8, 9 } end)
  stub("user.load_text", function(number) sleep(2) return "text " .. number end)
  stub("user.mark_as_read", function(number) table.insert(read, number) end)
end)

scenario("it locks every scope and leads back to the log-in screen", function()
  pass.open_message { number = 7 }
  settle()
  pass.log_out()
  expect.scope.user("locked")
  expect.scope.message("locked")
  settle()
  expect.state { session = none, opened = none, stored = {}, log_in_error = none,
    sync_error = none, screen = { title = "Log in" } }
  assert(erased == 1)
end)

scenario("clean-ups still have what they need", function()
  pass.open_message { number = 7 }
  pass.log_out()
  assert(read[1] == 7)
end)

scenario("a profile that is still loading never shows", function()
  pass.show_profile()
  pass.log_out()
  advance(2)
  expect { screen = { title = "Log in" } }
  expect.effects.none()
end)

scenario("all messages are stored, one at a time", function()
  pass.sync()
  advance(4)
  expect { stored = map { [7] = "text 7", [8] = "text 8" } }
  expect.scope.message("locked")   -- opened by hand, and not by the state
  advance(2)
  expect { stored = map { [9] = "text 9" }, sync_error = none }
  expect.effects.none()
end)

scenario("what the network interrupts can be done again", function()
  stub("user.load_text", function(number)
    if number == 8 then error("the network is down") end
    return "text " .. number
  end)
  pass.sync()
  settle()
  expect { stored = map { [7] = "text 7", [8] = none } }
  assert(view.sync_error():find("the network is down"))
  stub("user.load_text", function(number) return "text " .. number end)
  pass.sync()
  settle()
  expect { stored = map { [8] = "text 8", [9] = "text 9" }, sync_error = none }
end)

scenario("what was handed out is taken back", function()
  pass.sync()
  advance(3)
  pass.log_out()
  advance(1)   -- the text of 8 arrives, and there is nobody to store it for
  expect { stored = {} }
  assert(view.sync_error():find("scope message is closed %(since log_out, #3%)"))
  expect.effects.none()
end)

scenario("the next user's scope is another one", function()
  pass.sync()
  advance(1)
  pass.log_out()
  pass.logged_in { session = { id = "u2", name = "Bob" } }
  expect.scope.user("open")
  advance(2)
  expect { stored = {}, screen = { title = "Bob", photo = "u2.jpg" } }
  assert(view.sync_error():find("scope message is closed %(since log_out, #2%)"))
end)
