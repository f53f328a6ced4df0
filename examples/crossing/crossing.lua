-- A crossing for pedestrians: the cars' lights and the walkers' beside each other. Each looks at
-- the other, and neither tells it what to do.
action.power {}
action.push {}     -- the button at the kerb
internal.ripen {}  -- the cars have been green for long enough
internal.tick {}   -- the time of a light is over

machine.crossing {
  initial = "on",
  off = { power = "on" },
  on  = {
    power    = "off",
    parallel = { "cars", "walkers" },

    cars = {
      initial = "green",
      green = {
        initial = "fresh",
        after   = { ripen = 30 },
        fresh   = { ripen = "ripe" },
        -- They stay green until somebody wants to cross.
        ripe    = {
          always = { to = "yellow", when = function(s) return s.walkers == "waiting" end },
        },
      },
      yellow = { after = { tick = 3 },  tick = "red" },
      red    = { after = { tick = 20 }, tick = "green" },
    },

    walkers = {
      initial = "stop",
      stop    = { push = "waiting" },
      waiting = {
        push   = true,
        always = { to = "walk", when = function(s) return s.cars == "red" end },
      },
      walk    = {
        always = { to = "stop", when = function(s) return s.cars ~= "red" end },
      },
    },
  },
}

function invariant.nobody_is_run_over(s)
  return not (s.walkers == "walk" and s.cars ~= "red"), "they walk while the cars drive"
end
