-- Attempt: have hundreds of records leave a state at once, whose effects wait and have dispatched.
-- Stopped: stale: heard comes from

state { n = 0, players = map {} }

action.good {}
action.hostile {}
action.start { id = string }
action.stop {}
action.heard {}

machine.stage {
  each = "players", which = "id", initial = "waiting",
  waiting = { start = "playing" },
  playing = { stop = "waiting", effect = function() dispatch.heard() sleep(100) end },
}

function reduce.good(s)
  s.n = s.n + 1
end

function reduce.hostile(s)
  for i = 1, 450 do s.players["p" .. i] = { lives = 1 } end
end

function effect.hostile()
  for i = 1, 450 do dispatch.start { id = "p" .. i } end
  dispatch.stop()
end
