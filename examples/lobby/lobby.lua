-- A lobby, and the game that begins in it: a machine for the room beside a machine for each player.
local PATIENCE = 120   -- seconds until who is not ready has left
local LIVES = 2

state { players = map_of { lives = integer { min = 0, default = LIVES } } }

action.join    { id = string }
action.leave   { id = string }
action.ready   { id = string }
action.unready { id = string }
action.hit     { id = string }
action.start   {}   -- about all of them
action.finish  {}   -- likewise

machine.lobby {
  initial = "open",
  open    = {
    join  = true,
    leave = true,
    start = { to = "running", when = function(s) return next(s.players), "nobody is here" end },
  },
  running = {
    leave  = true,
    hit    = true,
    finish = "open",
    always = { to = "open", when = function(s) return next(s.players) == nil end },   -- all have left
  },
}

machine.stage {
  each    = "players",
  which   = "id",
  without = { join = true },   -- who joins is not there yet
  initial = "waiting",

  waiting = { ready = "ready", start = { refuse = "not ready" }, after = { leave = PATIENCE } },
  ready   = { unready = "waiting", start = "playing" },
  playing = {
    hit = {
      { to = "out", when = function(s, a, it) return it.lives <= 1, "still alive" end },
      { reduce = function(s, a, it) it.lives = it.lives - 1 end },
    },
  },
  out     = {},

  -- Wherever somebody is:
  leave   = true,
  join    = { refuse = "the name is taken" },
  ["*"]   = { finish = { to = "waiting", reduce = function(_, _, it) it.lives = LIVES end } },
}

function reduce.join(s, a)
  s.players[a.id] = {}   -- with all its lives, in waiting
end

function reduce.leave(s, a)
  s.players[a.id] = nil
end

function view.waiting_for(s)
  return count_in(s, "stage.waiting")
end

function view.all_ready(s)
  return next(s.players) ~= nil and all_in(s, "stage.ready")
end
