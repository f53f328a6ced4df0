/// The charts of the documentation, as flows.
enum ExampleMachines {
  static let crossing = """
    state {}
    action.power {} action.push {} action.tick {} action.ripen {}
    machine.crossing {
      initial = "on",
      off = { power = "on" },
      on  = {
        power    = "off",
        parallel = { "cars", "walkers" },
        cars = {
          initial = "green",
          green = {
            initial = "fresh", after = { ripen = 30 },
            fresh   = { ripen = "ripe" },
            ripe    = { always = { to = "yellow",
              when = function(s) return s.walkers == "waiting" end } },
          },
          yellow = { after = { tick = 3 },  tick = "red" },
          red    = { after = { tick = 20 }, tick = "green" },
        },
        walkers = {
          initial = "stop",
          stop    = { push = "waiting" },
          waiting = { push = true, always = { to = "walk",
            when = function(s) return s.cars == "red" end } },
          walk    = { always = { to = "stop", when = function(s) return s.cars ~= "red" end } },
        },
      },
    }
    """

  static let lobby = """
    action.join { id = string } action.leave { id = string } action.start {} action.finish {}
    action.ready { id = string } action.unready { id = string } action.hit { id = string }
    state { players = map {} }

    machine.lobby {
      initial = "open",
      open    = { join = true, leave = true, start = { to = "running",
        when = function(s) return next(s.players), "nobody is here" end } },
      running = { leave = true, finish = "open" },
    }

    machine.stage {
      each    = "players", which = "id",
      initial = "waiting",
      waiting = { ready = "ready", start = { refuse = "not ready" }, after = { leave = 120 } },
      ready   = { unready = "waiting", start = "playing" },
      playing = {
        hit = { { to = "out", when = function(s, a, it) return it.lives <= 1 end }, {
          reduce = function(s, a, it) it.lives = it.lives - 1 end } },
      },
      out     = {},
      ["*"]   = { finish = "waiting" },
    }

    function reduce.join(s, a)  s.players[a.id] = { lives = 2 } end
    function reduce.leave(s, a) s.players[a.id] = nil end
    """

  static let approval = """
    state { notes = list {} }
    action.edit {} action.submit {} action.withdraw {} action.reject { why = string }
    action.approve { role = string }
    local function only(role) return function(s, a) return a.role == role,
      "this is for " .. role end end

    machine.document {
      initial = "draft",
      draft   = { edit = true, submit = "review" },
      review  = {
        parallel = { "legal", "finance" },
        withdraw = "draft",
        reject   = { to = "draft", reduce = function(s, a) table.insert(s.notes, a.why) end },
        on_done  = "published",
        legal    = { initial = "asked", asked = { approve = { to = "agreed",
          when = only "legal" } },   agreed = { final = true } },
        finance  = { initial = "asked", asked = { approve = { to = "agreed",
          when = only "finance" } }, agreed = { final = true } },
      },
      published = { final = true },
    }
    """

  static let player = """
    state {}
    action.power {} action.play {} action.stop {} action.pause {} action.faster {} action.slower {}
    action.mute {}
    machine.player {
      initial = "off",
      off = { power = { to = "on", history = "deep" } },
      on  = {
        power     = "off",
        parallel  = { "transport", "sound" },
        transport = {
          initial = "stopped",
          stopped = { play = "playing" },
          playing = { initial = "normal", stop = "stopped", pause = "paused", normal = {
            faster = "fast" }, fast = { slower = "normal" } },
          paused  = { play = { to = "playing", history = true }, stop = "stopped" },
        },
        sound = { initial = "audible", audible = { mute = "muted" }, muted = {
          mute = "audible" } },
      },
    }
    """

  static let tcp = """
    state {}
    action.connect {} action.listen {} action.close {} action.time_out {} action.syn {}
    action.syn_ack {} action.ack {} action.fin {} action.expire {} action.reset {}
    local function keep_alive(self) end
    machine.tcp {
      initial = "closed",
      closed  = { connect = "opening.syn_sent", listen = "opening.listen" },
      opening = {
        initial = "listen", after = { time_out = 75 },
        close = "closed", time_out = "closed",
        listen       = { syn = "syn_received", time_out = true },
        syn_sent     = { syn_ack = "established", syn = "syn_received" },
        syn_received = { ack = "established", close = "closing.fin_wait_1" },
      },
      established = { effect = keep_alive, close = "closing.fin_wait_1",
        fin = "closing.close_wait" },
      closing = {
        initial = "fin_wait_1",
        fin_wait_1 = { ack = "fin_wait_2", fin = "closing" },
        fin_wait_2 = { fin = "time_wait" },
        closing    = { ack = "time_wait" },
        time_wait  = { after = { expire = 240 }, expire = "closed", fin = { to = "time_wait",
          reenter = true } },
        close_wait = { close = "last_ack" },
        last_ack   = { ack = "closed" },
      },
      reset = "closed",
    }
    """
}
