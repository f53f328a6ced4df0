-- A player for music that, switched on again, goes on as it was left.
action.power  {}
action.play   {}
action.stop   {}
action.pause  {}
action.faster {}
action.slower {}
action.mute   {}

machine.player {
  initial = "off",
  off = { power = { to = "on", history = "deep" } },
  on  = {
    power     = "off",
    parallel  = { "transport", "sound" },
    transport = {
      initial = "stopped",
      stopped = { play = "playing" },
      playing = {
        initial = "normal",
        stop    = "stopped",
        pause   = "paused",
        normal  = { faster = "fast" },
        fast    = { slower = "normal" },
      },
      paused  = { play = { to = "playing", history = true }, stop = "stopped" },
    },
    sound = { initial = "audible", audible = { mute = "muted" }, muted = { mute = "audible" } },
  },
}
