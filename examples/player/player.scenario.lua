flow "player.lua"

scenario("the first time it begins at the beginning", function()
  pass.power()
  expect.state { player = "on", transport = "stopped", sound = "audible" }
end)

scenario("switched off and on, it goes on as it was", function()
  pass.power()
  pass.play()
  pass.faster()
  pass.mute()
  pass.power()
  expect.state { player = "off" }
  pass.power()
  expect.state { player = "on", transport = "playing.fast", sound = "muted" }
end)

scenario("after a pause it plays as fast as before", function()
  pass.power()
  pass.play()
  pass.faster()
  pass.pause()
  expect { transport = "paused" }
  pass.play()
  expect { transport = "playing.fast" }
  pass.slower()
  pass.pause()
  pass.play()
  expect { transport = "playing.normal" }
end)

scenario("a stop forgets how fast it was", function()
  pass.power()
  pass.play()
  pass.faster()
  pass.stop()
  pass.play()
  expect { transport = "playing.normal" }
  pass.pause()
  pass.stop()
  expect { transport = "stopped" }
end)

scenario("the sound has nothing to do with the rest", function()
  pass.power()
  pass.mute()
  pass.play()
  expect { transport = "playing.normal", sound = "muted" }
  pass.mute()
  expect { sound = "audible" }
end)

scenario("nothing plays in a player that is off", function()
  refuse.play():because("play is not possible in off (possible in: on.transport.paused, on.transport.stopped)")
end)

scenario("what is paused is not paused again", function()
  given { player = "on", transport = "paused" }
  refuse.pause():because("pause is not possible in on (transport: paused, sound: audible)")
end)
