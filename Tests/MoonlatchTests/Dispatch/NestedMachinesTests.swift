import Testing

/// Machines with nested states and parallel regions.
@Suite struct NestedMachinesTests {
  private static let tcp = """
    state { log = list {} }
    for _, name in ipairs { "connect", "listen", "close", "time_out", "syn", "syn_ack", "ack", "fin",
      "expire", "reset" } do action[name] {} end
    machine.tcp {
      initial = "closed",
      closed  = { connect = "opening.syn_sent", listen = "opening.listen" },
      opening = {
        initial = "listen", after = { time_out = 75 },
        close = "closed", time_out = "closed",
        on_enter = function(s) table.insert(s.log, "opening in " .. s.tcp) end,
        on_exit = function(s) table.insert(s.log, "opening out " .. s.tcp) end,
        listen       = { syn = "syn_received", time_out = true },
        syn_sent     = { syn_ack = "established", syn = "syn_received" },
        syn_received = { ack = "established", close = "closing.fin_wait_1" },
      },
      established = { close = "closing.fin_wait_1", fin = "closing.close_wait",
        connect = { refuse = "it is there already" }, reset = false },
      closing = {
        initial = "fin_wait_1",
        fin_wait_1 = { ack = "fin_wait_2", fin = "closing" },
        fin_wait_2 = { fin = "time_wait" },
        closing    = { ack = "time_wait" },
        time_wait  = { after = { expire = "4m" }, expire = "closed",
          fin = { to = "time_wait", reenter = true,
            reduce = function(s) table.insert(s.log, "again") end } },
        close_wait = { close = "last_ack" },
        last_ack   = { ack = "closed" },
      },
      reset = "closed",
    }
    """

  @Test("transitions are looked up from the state outwards, and common ancestors are not exited")
  func depth() throws {
    let trial = try Trial(Self.tcp)
    try trial.play("listen")
    #expect(try trial.state("tcp") == "opening.listen")
    #expect(try trial.state("log") == ["opening in opening.listen"])
    try trial.play("syn")
    #expect(try trial.state("tcp") == "opening.syn_received")
    #expect(try trial.state("log") == ["opening in opening.listen"])
    try trial.play("ack")
    #expect(try trial.state("tcp") == "established")
    #expect(
      try trial.state("log") == ["opening in opening.listen", "opening out opening.syn_received"])
    for action in ["close", "fin"] { try trial.play(action) }
    #expect(try trial.state("tcp") == "closing.closing")
    for action in ["ack", "fin"] { try trial.play(action) }
    #expect(try trial.state("tcp") == "closing.time_wait")
    try trial.play("reset")
    #expect(try trial.state("tcp") == "closed")
  }

  @Test("a timer runs from the entry of its own state until its exit, whatever its substates do")
  func timers() throws {
    let trial = try Trial(Self.tcp)
    try trial.play("connect")
    try trial.advance(70)
    try trial.play("syn")
    try trial.advance(4)
    #expect(try trial.state("tcp") == "opening.syn_received")
    try trial.advance(1)
    #expect(try trial.state("tcp") == "closed")
    for action in ["listen", "syn", "ack"] { try trial.play(action) }
    try trial.advance(100)
    #expect(try trial.state("tcp") == "established")
    for action in ["close", "ack", "fin"] { try trial.play(action) }
    try trial.advance(200)
    try trial.play("fin")
    try trial.advance(200)
    #expect(try trial.state("tcp") == "closing.time_wait")
    try trial.advance(40)
    #expect(try trial.state("tcp") == "closed")
  }

  @Test("true, false and refuse override the ancestors, and a refusal says where it is possible")
  func refusals() throws {
    let trial = try Trial(Self.tcp)
    #expect(
      try trial.play("syn")
        == "refused by machine tcp: syn is not possible in closed "
        + "(possible in: opening.listen, opening.syn_sent)")
    try trial.play("listen")
    #expect(try trial.play("time_out") == "time_out passed (#2)")
    #expect(try trial.state("tcp") == "opening.listen")
    for action in ["syn", "ack"] { try trial.play(action) }
    #expect(try trial.play("connect") == "refused by machine tcp: it is there already")
    #expect(try trial.play("reset").hasPrefix("refused by machine tcp: reset is not possible in"))
    #expect(!(try trial.host.may("reset").isGranted))
  }

  @Test("undo, redo, given and a reload restore nested configurations, which continue from there")
  func elsewhere() throws {
    let trial = try Trial(Self.tcp)
    for action in ["connect", "syn_ack", "close"] { try trial.play(action) }
    try trial.host.undo(2)
    #expect(try trial.host.machine("tcp") == "opening.syn_sent")
    #expect(try trial.play("syn") == "syn passed (#2)")
    try trial.host.undo()
    try trial.host.redo()
    #expect(try trial.host.machine("tcp") == "opening.syn_received")
    #expect(try trial.play("ack") == "ack passed (#3)")
  }

  // MARK: Regions

  private static let player = """
    state { clicks = 0 }
    for _, name in ipairs { "power", "play", "stop", "pause", "faster", "slower", "mute", "all" } do
      action[name] {}
    end
    action.pick { loud = boolean }
    machine.player {
      initial = "off",
      off = { power = "on" },
      on = {
        power = "off", parallel = { "transport", "sound" },
        transport = {
          initial = "stopped",
          stopped = { play = "playing", all = "playing" },
          playing = { initial = "normal", stop = "stopped", pause = "paused",
            normal = { faster = "fast" }, fast = { slower = "normal" } },
          paused = { play = "playing", stop = "stopped" },
        },
        sound = {
          initial = "audible",
          audible = { mute = "muted", all = "muted",
            pick = { to = "muted", when = function(s, a) return not a.loud, "it is to be loud" end } },
          muted = { mute = { to = "audible", reduce = function(s) s.clicks = s.clicks + 1 end } },
        },
      },
    }
    """

  @Test("active regions have a field each, and one region is enough to take an action")
  func regions() throws {
    let trial = try Trial(Self.player)
    #expect(try trial.host.state() == ["clicks": 0, "player": "off"])
    try trial.play("power")
    #expect(
      try trial.host.state()
        == ["clicks": 0, "player": "on", "transport": "stopped", "sound": "audible"])
    try trial.play("play")
    try trial.play("faster")
    try trial.play("mute")
    #expect(
      try trial.host.machines
        == ["player": "on", "transport": "playing.fast", "sound": "muted"])
    try trial.play("mute")
    #expect(try trial.state("clicks") == 1)
    try trial.play("stop")
    let patch = try trial.host.dispatch("all").commit?.writes
    #expect(patch?.changes.count == 2)
    #expect(try trial.state("transport") == "playing.normal")
    #expect(try trial.state("sound") == "muted")
    try trial.play("power")
    #expect(try trial.host.state() == ["clicks": 1, "player": "off"])
    try trial.host.undo()
    #expect(try trial.state("sound") == "muted")
    #expect(try trial.play("mute").contains("passed"))
  }

  @Test("an action that no region takes is refused with the reasons, or with each region's state")
  func refusedRegions() throws {
    let trial = try Trial(Self.player)
    #expect(
      try trial.play("mute").hasPrefix("refused by machine player: mute is not possible in off"))
    try trial.play("power")
    #expect(
      try trial.play("faster")
        == "refused by machine player: faster is not possible in on (transport: stopped, "
        + "sound: audible) (possible in: on.transport.playing.normal)")
    #expect(
      try trial.play("pick", ["loud": true]) == "refused by machine player: it is to be loud")
    #expect(try trial.play("pick", ["loud": false]).contains("passed"))
  }

  @Test("a failed transition leaves every region unchanged")
  func fails() throws {
    let trial = try Trial(
      Self.player + "\nfunction invariant.quiet(s) return s.sound ~= 'muted' end")
    try trial.play("power")
    #expect(try trial.host.dispatch("all").failure?.kind == .invariant)
    #expect(
      try trial.host.machines == ["player": "on", "transport": "stopped", "sound": "audible"])
    #expect(try trial.play("play").contains("passed"))
  }
}
