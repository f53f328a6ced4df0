import LuaRuntime
import Testing

@testable import Moonlatch

/// Timers that last while a state does, ways that need no action, and what comes again and again.
@Suite struct StateTimersTests {
  // MARK: Where an action is offered

  private static let review = """
    state { asked = list {} }
    for _, name in ipairs { "submit", "remind", "agree" } do action[name] {} end
    machine.document {
      initial = "draft",
      draft = { submit = "review" },
      review = {
        parallel = { "legal", "finance" },
        legal = { initial = "asked", asked = { remind = "warned", agree = "agreed" }, warned = {},
          agreed = {} },
        finance = { initial = "asked",
          asked = { after = { remind = 10 }, remind = "warned", agree = "agreed" }, warned = {},
          agreed = {} },
      },
    }
    """

  @Test("a timer of a region's state moves that region alone, and the action by hand moves both")
  func below() throws {
    let trial = try Trial(Self.review)
    try trial.play("submit")
    try trial.advance(10)
    #expect(try trial.state("finance") == "warned")
    #expect(try trial.state("legal") == "asked")
    try trial.host.undo(2)
    for action in ["submit", "remind"] { try trial.play(action) }
    #expect(try trial.state("finance") == "warned")
    #expect(try trial.state("legal") == "warned")
    try trial.advance(100)
    #expect(try trial.host.upcoming.isEmpty)
    #expect(trial.told() == [])
  }

  @Test("a timer of the state around regions moves all that list its action")
  func around() throws {
    let trial = try Trial(
      """
      action.go {}
      machine.m {
        parallel = { "one", "two" },
        one = { initial = "a", after = { go = 5 }, a = { go = "b" }, b = {} },
        two = { initial = "a", a = { go = "b" }, b = {} },
      }
      machine.n {
        initial = "s", s = { after = { go = 7 }, parallel = { "p", "q" },
          p = { initial = "x", x = { go = "y" }, y = {} },
          q = { initial = "x", x = { go = "y" }, y = {} } },
      }
      """)
    try trial.advance(5)
    // Machines side by side are asked as by any other action.
    #expect(try trial.state("one") == "b")
    #expect(try trial.state("two") == "a")
    #expect(try trial.state("p") == "y")
    #expect(try trial.state("q") == "y")
  }

  @Test("the action of a state's timer in a state inside it is a fault at load")
  func twice() {
    for word in ["after", "every"] {
      #expect {
        try LoadedFlow(
          source: """
            action.go {}
            machine.m { initial = "a", a = { initial = "b", after = { go = 5 },
              b = { \(word) = { go = 7 }, go = "c" }, c = {} } }
            """)
      } throws: {
        "\($0)".contains("a.b.\(word).go is a timer of a already, which is around it")
      }
    }
  }

  @Test("a timer whose action a gate refuses is spent, and that is told")
  func spent() throws {
    let trial = try Trial(
      """
      state { ready = false }
      action.expire {}
      action.reset {}
      machine.m { initial = "open", open = { after = { expire = 5 }, expire = "closed", reset = { to = "open", reenter = true } },
        closed = {} }
      function gate.expire(s) return s.ready, "not yet" end
      """)
    try trial.advance(5)
    #expect(
      trial.told() == [
        "expire from the queue was refused by gate expire: not yet; expire is spent: m stays in open"
      ])
    #expect(try trial.host.upcoming.isEmpty)
    #expect(try trial.host.use { $0.refusedTimers } == ["expire is spent: m stays in open"])
    try trial.play("reset")
    #expect(try trial.host.use { $0.refusedTimers } == [])
    #expect(try trial.host.upcoming.map(\.description) == ["expire is due at 10.0"])
    try trial.advance(5)
    #expect(trial.told().count == 1)
    try trial.host.undo()
    #expect(try trial.host.use { $0.refusedTimers } == [])
  }

  @Test("cancel stops timers of effects alone, also one for at once")
  func cancelling() throws {
    let trial = try Trial(
      """
      state { cancelled = -1 }
      action.start {}
      action.expire {}
      action.say { n = integer }
      function reduce.say(s, a) s.cancelled = a.n end
      machine.m { initial = "off", off = { start = "on" },
        on = { after = { expire = 0 }, every = { expire = 4 }, expire = { reduce = function() end } } }
      function effect.start() dispatch.say { n = cancel("expire") } end
      """)
    try trial.play("start")
    #expect(try trial.host.upcoming.map(\.description).last == "expire is due at 4.0")
    try trial.advance(4)
    #expect(try trial.state("cancelled") == 0)
    #expect(try trial.host.revision == 4)
  }

  // MARK: Timed ways

  private static let call = """
    state { log = list {}, patience = 20, open = false }
    for _, name in ipairs { "ring", "answer", "back", "let_in" } do action[name] {} end
    function reduce.let_in(s) s.open = true end
    machine.call {
      initial = "idle",
      idle = { ring = "ringing" },
      ringing = {
        answer = "talking", back = "idle",
        after = {
          { 20, { to = "voicemail", when = function(s) return s.open, "nobody is let in" end,
            reduce = function(s, a) table.insert(s.log, next(a) == nil and "waited" or "?") end } },
          { function(s) return s.patience * 2 end, "idle" },
        },
        on_exit = function(s) table.insert(s.log, "exit") end,
      },
      voicemail = { on_enter = function(s) table.insert(s.log, "beep") end },
      talking = {},
    }
    """

  @Test("a timed way is a transition of its own, caused by the one that entered its state")
  func timedWay() throws {
    let trial = try Trial(Self.call)
    for action in ["let_in", "ring"] { try trial.play(action) }
    #expect(
      try trial.host.upcoming.map(\.description) == [
        "after 20 s in call.ringing is due at 20.0", "after 40 s in call.ringing is due at 40.0",
      ])
    try trial.advance(20)
    #expect(try trial.state("call") == "voicemail")
    #expect(try trial.state("log") == ["exit", "waited", "beep"])
    let transition = try #require(try trial.host.transitions.last)
    #expect(transition.action == "after 20 s in call.ringing")
    #expect(transition.cause == 2)
    #expect(transition.time == 20)
    #expect(transition.payload == [:])
    #expect(try trial.host.upcoming.isEmpty)
    try trial.host.undo()
    #expect(try trial.host.upcoming.count == 2)
    try trial.host.redo()
    #expect(try trial.state("call") == "voicemail")
    #expect(try trial.host.upcoming.isEmpty)
    #expect(trial.told() == [])
  }

  @Test("a timed way whose condition refuses is spent, and the next one is due all the same")
  func refusedWay() throws {
    let trial = try Trial(Self.call)
    try trial.play("ring")
    try trial.advance(39)
    #expect(
      trial.told() == [
        "after 20 s in call.ringing from the queue was refused by machine call: nobody is let in; "
          + "after 20 s in call.ringing is spent: call stays in ringing"
      ])
    #expect(try trial.state("call") == "ringing")
    try trial.advance(1)
    #expect(try trial.state("call") == "idle")
  }

  @Test("a timed way asks no gate rule and no other machine, and ends as its state is left")
  func nobodyElse() throws {
    let trial = try Trial(
      """
      action.go {}
      action.stop {}
      machine.m { initial = "a", a = { after = { { "1m", "b" } }, stop = "c" }, b = { go = "a" }, c = {} }
      machine.n { initial = "x", x = { go = "x" } }
      gate("never", "*", function(s, a, name) return name == "go" or name == "stop", "no" end)
      """)
    try trial.advance(60)
    #expect(try trial.state("m") == "b")
    for action in ["go", "stop"] { try trial.play(action) }
    try trial.advance(600)
    #expect(try trial.state("m") == "c")
    #expect(trial.told() == [])
  }

  @Test("a timed way whose reducer fails, or breaks an invariant, changes nothing and is reported")
  func failingWay() throws {
    let trial = try Trial(
      """
      state { n = 0 }
      action.go {}
      machine.m { initial = "a", a = { go = "a", after = {
        { 1, { to = "b", reduce = function(s) s.n = -1 end } },
        { 2, { to = "b", reduce = function(s) error("broken") end } },
        { 3, { to = "b", when = function(s) end } } } }, b = {} }
      function invariant.positive(s) return s.n >= 0, "n fell below 0" end
      """)
    try trial.advance(10)
    let told = trial.told()
    #expect(told.count == 3)
    #expect(told.first?.contains("after 1 s in m.a from the queue failed") == true)
    #expect(told[1].contains("broken"))
    #expect(told.last?.contains("returned nothing") == true)
    #expect(try trial.state("m") == "a")
    #expect(try trial.state("n") == 0)
    #expect(try trial.host.revision == 0)
  }

  // MARK: Again and again

  private static let clock = """
    state { ticks = 0, turns = 0, at = list {} }
    for _, name in ipairs { "start", "stop", "tick" } do action[name] {} end
    machine.m {
      initial = "off",
      off = { start = "on", tick = false },
      on = { stop = "off", every = { tick = 1.5, { "500ms", { reduce = function(s) s.turns = s.turns + 1 end } } },
        tick = { reduce = function(s) s.ticks = s.ticks + 1 table.insert(s.at, now()) end } },
    }
    """

  @Test("what is due again and again comes without drift, until its state is left")
  func every() throws {
    let trial = try Trial(Self.clock)
    try trial.play("start")
    for _ in 0..<7 { try trial.advance(0.7) }
    #expect(try trial.state("at") == [1.5, 3.0, 4.5])
    #expect(try trial.state("turns") == 9)
    #expect(
      try trial.host.upcoming.map(\.description) == [
        "every 0.5 s in m.on is due at 5.0", "tick is due at 6.0",
      ])
    try trial.play("stop")
    try trial.advance(100)
    #expect(try trial.state("ticks") == 3)
    #expect(try trial.host.upcoming.isEmpty)
    #expect(trial.told() == [])
  }

  @Test("undo and redo bring back what comes again and again, at the times when it was due")
  func backAndForth() throws {
    let trial = try Trial(Self.clock)
    try trial.play("start")
    try trial.advance(4.6)
    let revision = try trial.host.revision
    #expect(revision == 13)
    try trial.play("stop")
    try trial.host.undo()
    #expect(
      try trial.host.upcoming.map(\.description) == [
        "every 0.5 s in m.on is due at 5.0", "tick is due at 6.0",
      ])
    try trial.host.undo(revision - 1)
    #expect(
      try trial.host.upcoming.map(\.description) == [
        "every 0.5 s in m.on is due at 0.5", "tick is due at 1.5",
      ])
    try trial.host.redo(revision - 1)
    #expect(try trial.host.upcoming.count == 2)
    try trial.advance(1.5)
    #expect(try trial.state("ticks") == 4)
  }

  @Test("a refused turn is told and the next one comes; it is not spent")
  func refusedTurns() throws {
    let trial = try Trial(
      """
      state { n = 0 }
      action.count {}
      function reduce.count(s) s.n = s.n + 1 end
      machine.m { initial = "a", a = { count = true,
        every = { { 1, { to = "b", when = function(s) return s.n > 0, "not yet" end } } } }, b = {} }
      """)
    try trial.advance(2)
    let refused = "every 1 s in m.a from the queue was refused by machine m: not yet"
    #expect(trial.told() == [refused, refused])
    #expect(try trial.host.use { $0.refusedTimers } == [])
    try trial.play("count")
    try trial.advance(1)
    #expect(try trial.state("m") == "b")
  }

  @Test("timers of states are the same after a replay, and go on after a reload")
  func elsewhere() throws {
    let trial = try Trial(Self.clock, keepsTranscript: true)
    try trial.play("start")
    try trial.advance(3.2)
    let transcript = try #require(try trial.host.transcript)
    let again = try Trial(Self.clock)
    #expect(try again.host.replay(transcript) == nil)
    #expect(try again.host.state() == trial.host.state())
    #expect(try again.host.upcoming == trial.host.upcoming)
    try trial.host.reload(
      to: LoadedFlow(source: Self.clock.replacing("s.ticks + 1", with: "s.ticks + 10")))
    try trial.advance(1.3)
    #expect(try trial.state("ticks") == 12)
    #expect(trial.told() == [])
    try trial.host.reload(
      to: LoadedFlow(
        source: Self.clock.replacing("tick = 1.5, ", with: "").replacing("every", with: "after")))
    #expect(
      trial.told() == [
        "every 0.5 s in m.on, set by #1, was dropped: the reloaded flow has no such timer",
        "tick, set by #1, was dropped: the reloaded flow has no such timer",
      ])
    #expect(try trial.host.upcoming.isEmpty)
  }

  @Test(
    "where timers are off, what they did is taken from the record, timed ways by what they are called"
  )
  func recorded() throws {
    let trial = try Trial(Self.call)
    for action in ["let_in", "ring"] { try trial.play(action) }
    try trial.advance(40)
    let again = try Trial(Self.call)
    let transitions = try trial.host.transitions
    let outcomes = try again.host.use { engine in
      engine.turnOffEffectsAndTimers()
      return transitions.map { transition in
        engine.setTime(transition.microseconds)
        return engine.dispatch(transition.action, transition.payload).description
      }
    }
    #expect(
      outcomes == [
        "let_in passed (#1)", "ring passed (#2)", "after 20 s in call.ringing passed (#3)",
      ])
    #expect(try again.host.state() == trial.host.state())
    #expect(
      try again.host.use { $0.dispatch("after 20 s in call.ringing", [:]).failure?.kind }
        == .undeclared)
    #expect(try trial.host.dispatch("after 20 s in call.ringing").failure?.kind == .undeclared)
  }

  // MARK: Delays

  @Test(
    "a delay that is worked out to be none ends the transition, and nothing has happened",
    arguments: [
      ("0/0", "after", "after.tick takes seconds"), ("-1", "after", "after.tick takes seconds"),
      ("1/0", "after", "after.tick takes seconds"), ("1/0", "every", "every.tick takes seconds"),
      ("0", "every", "every.tick takes more than 0 seconds, not 0"),
      ("'soon'", "every", "every.tick takes"), ("error('no')", "after", "no"),
      ("(function() while true do end end)()", "after", "100000"),
    ])
  func badDelays(_ value: String, _ word: String, _ message: String) throws {
    let trial = try Trial(
      """
      action.go {}
      action.tick {}
      machine.m { initial = "a", a = { go = "b" },
        b = { \(word) = { tick = function(s) return \(value) end }, tick = "a" } }
      """, limits: Limits(instructionsPerDispatch: 100_000))
    let outcome = try trial.host.dispatch("go")
    #expect(outcome.failure?.description.contains(message) == true, "\(outcome)")
    #expect(try trial.state("m") == "a")
    #expect(try trial.host.upcoming.isEmpty)
  }

  @Test(
    "a delay that is none is a fault at load",
    arguments: [
      ("after", "0/0"), ("after", "-1"), ("after", "1/0"), ("after", "'soon'"), ("every", "0"),
      ("every", "-2"), ("every", "'0s'"),
    ])
  func wrongDelays(_ word: String, _ value: String) {
    for timer in ["tick = \(value)", "{ \(value), \"b\" }"] {
      #expect(throws: FlowError.self) {
        try LoadedFlow(
          source: """
            action.tick {}
            machine.m { initial = "a", a = { \(word) = { \(timer) }, tick = "b" }, b = { tick = "a" } }
            """)
      }
    }
  }

  @Test("however short it is and however far the clock leaps, what comes again and again ends")
  func leaps() throws {
    let trial = try Trial(
      """
      state { n = 0 }
      action.stop {}
      machine.m { initial = "a", a = { stop = "b",
        every = { { 1e-9, { reduce = function(s) s.n = s.n + 1 end } } } }, b = {} }
      """, limits: Limits(chain: 300))
    try trial.advance(1e9)
    // Once it is late, it comes once more and is passed over then.
    #expect(try trial.state("n") == 301)
    #expect(
      trial.told() == [
        "every 1e-09 s in m.a, which was due 999999999999699 times more, was dropped: while time "
          + "passes at once no more than 300 run of what is due again and again (the limit chain)"
      ])
    try trial.advance(1e-6)
    #expect(try trial.state("n") == 302)
    try trial.advance(1e15)
    try trial.advance(1e15)
    try trial.play("stop")
    #expect(try trial.host.upcoming.isEmpty)
  }

  @Test("a way for at once that leads back and forth ends with its chain")
  func atOnce() throws {
    let trial = try Trial(
      """
      action.go {}
      machine.m { initial = "a", a = { go = "b" }, b = { after = { { 0, "c" } } }, c = { after = { { 0, "b" } } } }
      """, limits: Limits(chain: 50))
    try trial.play("go")
    try trial.host.settle()
    #expect(trial.told().first?.contains("50 actions ran from the queue") == true)
    #expect(try trial.host.revision <= 52)
  }

  @Test("timers of states are not counted among those that effects may set")
  func limits() throws {
    let states = (1...20).map { "after_\($0) = { after = { tick = 5 }, tick = true }" }
    let trial = try Trial(
      """
      state { n = 0 }
      action.go {}
      action.tick {}
      machine.m { parallel = { \((1...20).map { "\"after_\($0)\"" }.joined(separator: ", ")) },
        \(states.joined(separator: ", ")) }
      function effect.go() after(1, "go") end
      """, limits: Limits(timers: 3))
    try trial.play("go")
    #expect(try trial.host.upcoming.count == 21)
    #expect(trial.told() == [])
  }
}
