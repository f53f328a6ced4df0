-- A flow with effects, long delays and a gatekeeper: one effect sleeps, one is tried again, one fails.
state { tries = 0, weight = 1 }

action.send {}
action.lose {}
action.nap {}
action.weigh { weight = integer { min = 1 } }

machine.parcel {
  initial = "packed",
  packed = { send = "sent", after = { { "14d", "lost" } } },
  sent   = { lose = "lost", after = { { "36h", "lost" } } },
  lost   = {},
}

gatekeeper.van { send = { attempt = "left" }, lose = { reset = "left" } }

effect.send = {
  durable = true,
  run = function()
    retry({ times = 5, wait = "10m" }, function() error("the depot does not answer", 0) end)
  end,
}
function effect.nap() sleep("2h") end
function effect.lose() error("nobody has seen it", 0) end
function reduce.weigh(s, a) s.weight = a.weight end
