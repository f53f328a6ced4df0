-- What is behind the locks: the user's scope, and in it the message's.
flow "session.lua"

local read, sent   -- what the server was told

before_each(function()
  read, sent = {}, {}
  given { session = { id = "u1", name = "Ann" } }
  stub("root.load_image", function(file) return file end)
  stub("user.load_text", function(number) sleep(2) return "text " .. number end)
  stub("user.mark_as_read", function(number) table.insert(read, number) end)
  stub("user.send", function(number, text) table.insert(sent, number .. ": " .. text) end)
end)

scenario("without a message there is no reply", function()
  refuse.reply { text = "Hello" }:by("scope message"):because("scope message needs its key")
  pass.open_message { number = 7 }
  expect.scope.message("open")
  pass.reply { text = "Hello" }
  assert(sent[1] == "7: Hello")
end)

scenario("a new name is no new key", function()
  pass.open_message { number = 7 }
  pass.rename { name = "Anna" }
  advance(2)   -- the text was still on its way, and arrives
  expect { screen = { title = "Message 7 for Anna", text = "text 7" } }
end)

scenario("another number is another key: the first message closes", function()
  pass.open_message { number = 7 }
  advance(1)
  pass.open_message { number = 8 }
  assert(read[1] == 7)
  advance(1)   -- the text of 7 would be here now
  expect { opened = 8, screen = none }
  advance(1)
  expect { screen = { title = "Message 8 for Ann", text = "text 8" } }
end)

scenario("a message that closes is marked as read", function()
  pass.open_message { number = 7 }
  pass.close_message()
  expect.scope.message("locked")
  expect.scope.user("open")
  assert(read[1] == 7)
  settle()
  expect { screen = { title = "Ann" } }
end)
