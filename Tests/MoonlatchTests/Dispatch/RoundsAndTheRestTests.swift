import FlowHosting
import FlowKernel
import LuaRuntime
import Testing

/// Eventless transitions with timers, effects, reloads and limits.
extension RoundsTests {
  @Test("only states that are still active after the macrostep set their timers")
  func timers() throws {
    let trial = try Trial(
      """
      state {}
      action.go {} action.never {} action.tick {} action.back {}
      machine.m {
        initial = "a",
        a = { go = "b" },
        b = { after = { never = 1 }, never = "a", always = "c" },
        c = { after = { tick = function(s) assert(s.m == "c.in") return 2 end }, tick = "a", initial = "in", ["in"] = {} },
      }
      """)
    try trial.play("go")
    try trial.advance(1.5)
    #expect(try trial.state("m") == "c.in")
    try trial.advance(1)
    #expect(try trial.state("m") == "a")
  }

  // MARK: What goes wrong

  static let pingPong = """
    state { on = false, n = 0 }
    action.go {} action.stop {}
    machine.ping {
      initial = "rest",
      rest = { go = "a" },
      a = { stop = "rest", always = { to = "b", when = function(s) return s.on end } },
      b = { always = { to = "a", when = function(s) return s.on end } },
    }
    function reduce.go(s) s.on = true end
    """

  @Test("endless eventless transitions exceed a limit that names the states, and are rolled back")
  func endless() throws {
    let trial = try Trial(Self.pingPong)
    let failure = try #require(try trial.host.failure(of: "go"))
    #expect(failure.kind == .limit)
    #expect(
      failure.message
        == "endless eventless transitions (always, on_done; 10000 microsteps): ping: b -> a -> b"
        + "; one of these conditions must become false once its transition is taken")
    #expect(try trial.state("ping") == "rest")
    #expect(try trial.state("on") == false)
    let few = try Trial(Self.pingPong, limits: Limits(microsteps: 3))
    #expect(
      try few.host.failure(of: "go")?.message.contains("3 microsteps): ping: a -> b -> a;") == true
    )
  }

  @Test("an eventless internal transition repeats until its guard is false or a limit ends it")
  func staying() throws {
    let flow = """
      state { n = 0 }
      action.go { n = integer }
      machine.m {
        initial = "a",
        a = { go = true, always = { when = function(s) return s.n > 0 end, reduce = function(s) s.n = s.n - 1 end } },
      }
      function reduce.go(s, a) s.n = a.n end
      """
    let trial = try Trial(flow)
    #expect(try trial.play("go", ["n": 100]) == "go passed (#1)")
    #expect(try trial.state("n") == 0)
    #expect(try trial.play("go", ["n": 10_001]).contains("10000 microsteps): m: a -> a;"))
    #expect(try trial.state("n") == 0)
  }

  @Test(
    "a guard can read the state, and nothing else",
    arguments: [
      (
        "s.n = 1 return true",
        "a condition of always or on_done cannot change the state; only a reducer can"
      ),
      (
        "return now() > 0",
        "a condition of always or on_done has no clock; let the action store now() in the state"
      ),
      (
        "return random() > 0",
        "a condition of always or on_done has no random(); only reducers and effects have it"
      ),
      ("return s.nothing", "state has no field nothing"),
      ("return a.n", "attempt to index a nil value"),
      ("error('so what')", "so what"),
      ("while true do end", "the instruction limit is reached"),
      (
        "if s.n then return end",
        "machine m: b: the when of always returned nothing; end it with \"return\" and a condition"
      ),
    ])
  func conditions(body: String, message: String) throws {
    let trial = try Trial(
      """
      state { n = 0 }
      action.go {}
      machine.m {
        initial = "a",
        a = { go = "b" },
        b = { always = { to = "c",
          when = function(s, a) \(body) end } },
        c = {},
      }
      function reduce.go(s) s.n = 5 end
      """, limits: Limits(instructionsPerDispatch: 100_000))
    let failure = try #require(try trial.host.failure(of: "go"))
    #expect(failure.message.contains(message), "\(failure)")
    #expect(failure.script?.place == "flow.lua:7")
    #expect(try trial.state("n") == 0)
    #expect(try trial.state("m") == "a")
  }

  @Test("an error in an eventless transition rolls everything back")
  func failing() throws {
    let trial = try Trial(
      """
      state { n = 0, deep = 0 }
      action.go {}
      machine.m {
        initial = "a",
        a = { go = "b" },
        b = { always = { to = "c", reduce = function(s) s.n = s.n + 1 end } },
        c = { on_enter = function(s)
          error("not here") end },
      }
      """)
    let failure = try #require(try trial.host.failure(of: "go"))
    #expect(failure.message.contains("not here"))
    #expect(failure.script?.place == "flow.lua:8")
    #expect(try trial.state("n") == 0)
    #expect(try trial.state("m") == "a")
  }

  @Test("eventless transitions that affect each other's guards repeat until both are disabled")
  func settling() throws {
    let trial = try Trial(
      """
      state { a = 0, b = 0 }
      action.go { n = integer }
      machine.m {
        parallel = { "left", "right" },
        left = { initial = "idle", idle = { go = true, always = { when = function(s) return s.b < s.a end, reduce = function(s) s.b = s.b + 2 end } } },
        right = { initial = "idle", idle = { always = { when = function(s) return s.a < s.b end, reduce = function(s) s.a = s.a + 1 end } } },
      }
      function reduce.go(s, a) s.a = a.n end
      """)
    #expect(try trial.play("go", ["n": 9]) == "go passed (#1)")
    #expect(try trial.state("a") == 10)
    #expect(try trial.state("b") == 10)
  }

  @Test("thousands of regions take eventless transitions together")
  func many() throws {
    let trial = try Trial(
      """
      state { go = false }
      action.go {} action.look {}
      local lamps = { parallel = {} }
      for i = 1, 4000 do
        lamps.parallel[i] = "r" .. i
        lamps["r" .. i] = { initial = "off", off = { always = { to = "on", when = function(s) return s.go end } }, on = {} }
      end
      lamps.go, lamps.look = true, true
      machine.lamps(lamps)
      function reduce.go(s) s.go = true end
      """, limits: Limits(instructionsPerLoad: 100_000_000, memory: 256 << 20))
    #expect(try trial.play("go") == "go passed (#1)")
    #expect(try trial.state("r1") == "on")
    #expect(try trial.state("r4000") == "on")
    #expect(try trial.play("look") == "look passed (#2)")
  }

  @Test("an eventless transition can change the action's results, and undo and redo restore them")
  func tables() throws {
    let trial = try Trial(
      """
      state { items = list {}, seen = map {}, at = none, n = 0 }
      action.go {}
      machine.m {
        initial = "a",
        a = { go = "b" },
        b = { always = { to = "c", when = function(s) return #s.items > 0 end, reduce = function(s)
          table.insert(s.items, { id = 2, tags = list {} })
          table.insert(s.items[1].tags, "x")
          s.seen.one = { list = { 1 } }
        end } },
        c = { always = { to = "d", when = function(s) return s.seen.one ~= nil end, reduce = function(s)
          table.insert(s.seen.one.list, 2)
          table.remove(s.items, 1)
          table.insert(s.items, 1, s.seen.one)
          s.items[2].tags[1] = "y"
          s.seen.one.list[1] = 7
          s.n = s.n + 1
        end } },
        d = { always = { to = "a", when = function(s) return s.n == 2 end, reduce = function(s) s.n = 5 end } },
      }
      function reduce.go(s) s.n = s.n + 1 table.insert(s.items, { id = 1, tags = list {} }) s.at = { 1, 2 } end
      """)
    let before = try trial.host.state()
    #expect(try trial.play("go") == "go passed (#1)")
    let after = try trial.host.state()
    #expect(after["seen"]?.description == "{ one = { list = { 7, 2 } } }")
    #expect(after["n"] == 5)
    for _ in 1...2 {
      try trial.host.undo()
      #expect(try trial.host.state() == before)
      try trial.host.redo()
      #expect(try trial.host.state() == after)
    }
  }

  // MARK: From elsewhere

  @Test("a guard that reads a gatekeeper is evaluated again when the gatekeeper changes")
  func gatekeepers() throws {
    let trial = try Trial(
      """
      state {}
      action.load {} action.loaded {}
      gatekeeper.loading { load = "attempt", loaded = "reset" }
      machine.lamp {
        initial = "dark",
        dark = { always = { to = "lit", when = function(s) return not gatekeeper.loading:may_pass() end } },
        lit = { always = { to = "dark", when = function(s) return gatekeeper.loading:may_pass() end } },
      }
      """)
    #expect(try trial.state("lamp") == "dark")
    try trial.play("load")
    #expect(try trial.state("lamp") == "lit")
    try trial.play("loaded")
    #expect(try trial.state("lamp") == "dark")
    try trial.host.undo()
    #expect(try trial.state("lamp") == "lit")
    try trial.play("loaded")
    #expect(try trial.state("lamp") == "dark")
  }

  @Test("eventless transitions run after reducers in Swift")
  func natives() throws {
    var options = HostOptions(clock: .virtual)
    options.addReducer(for: "go") { state, _ in try state.set("n", to: 5) }
    let host = try FlowHost(
      source: """
        state { n = 0 }
        action.go {}
        machine.m { initial = "a", a = { go = "b" },
          b = { on_enter = function(s) s.n = s.n + 1 end, always = { to = "c", when = function(s) return s.n == 6 end } }, c = {} }
        """, options: options)
    #expect(try host.dispatch("go").description == "go passed (#1)")
    #expect(try host.state()["m"] == "c")
  }

  func reload(_ trial: Trial, _ source: String) throws {
    _ = try trial.host.reload(to: LoadedFlow(source: source))
  }

  @Test("a reload runs eventless transitions, and enters new initial substates of the kept state")
  func reload() throws {
    let flow = { (b: String) in
      """
      state { n = 0 }
      action.go {} action.tick {} action.more {}
      machine.m { initial = "a", a = { go = "b", tick = true }, b = { go = "a", after = { tick = 9 }, tick = "a", \(b) }, c = {} }
      function reduce.more(s) s.n = s.n + 1 end
      """
    }
    let trial = try Trial(flow(""))
    try trial.play("go")
    try trial.play("more")
    try trial.advance(4)
    try reload(trial, flow(#"initial = "x", x = { after = { more = 1 }, more = true }"#))
    #expect(try trial.state("m") == "b.x")
    try trial.advance(1)
    #expect(try trial.state("n") == 2)
    try trial.advance(4)
    #expect(try trial.state("m") == "a")
    try trial.play("go")
    try reload(
      trial,
      flow(
        #"initial = "x", x = { always = { to = "y", when = function(s) return s.n > 1 end } }, y = { on_enter = function(s) s.n = 0 end }"#
      ))
    #expect(try trial.state("m") == "b.y")
    #expect(try trial.state("n") == 0)
  }

  @Test("may stops before eventless transitions, and effects get all moves of a macrostep")
  func asking() throws {
    let trial = try Trial(
      ExampleMachines.crossing + """

        effect("told", "push", function(self, a, commit)
          for _, move in ipairs(commit.moves) do print(move.machine, move.from, move.to) end
        end)
        """)
    try trial.advance(31)
    guard case .granted = try trial.host.may("push") else {
      Issue.record("push may not pass")
      return
    }
    #expect(try trial.state("cars") == "green.ripe")
    try trial.play("push")
    #expect(
      trial.printed.take().sorted() == ["cars\tgreen.ripe\tyellow", "walkers\tstop\twaiting"])
  }
}
