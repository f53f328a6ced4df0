import Testing

@testable import FlowKernel

/// Timers of states, timed transitions, and repeating timers.
@Suite struct StateTimersTests {
  // MARK: Where an action is offered

  static let review = """
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

  @Test(
    "a timer of a region's state affects that region only, and the dispatched action affects both")
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
    #expect(try trial.host.pendingWork.isEmpty)
    #expect(trial.told() == [])
  }

  @Test("a timer of a state around regions affects all that list its action")
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

  @Test("a timer of a substate for the action of an outer state's timer is an error")
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
        "\($0)".contains("a.b.\(word).go repeats a timer of a, which contains it")
      }
    }
  }

  @Test("a timer whose action a gate refuses is not repeated, and the refusal is reported")
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
        "expire from the queue was refused by gate expire: not yet; expire is not tried again: m stays in open"
      ])
    #expect(try trial.host.pendingWork.isEmpty)
    #expect(
      try trial.host.use { $0.refusedTimerSentences }
        == ["expire is not tried again: m stays in open"])
    try trial.play("reset")
    #expect(try trial.host.use { $0.refusedTimerSentences } == [])
    #expect(try trial.host.pendingWork.map(\.description) == ["expire is due at 10 s"])
    try trial.advance(5)
    #expect(trial.told().count == 1)
    try trial.host.undo()
    #expect(try trial.host.use { $0.refusedTimerSentences } == [])
  }

  @Test("cancel stops timers of effects only, and not even a zero-delay timer of a state")
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
    #expect(try trial.host.pendingWork.map(\.description).last == "expire is due at 4 s")
    try trial.advance(4)
    #expect(try trial.state("cancelled") == 0)
    #expect(try trial.host.revision == 4)
  }

  // MARK: Timed ways

  static let call = """
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

  @Test("a timed transition is a commit of its own, caused by the one that entered its state")
  func timedTransition() throws {
    let trial = try Trial(Self.call)
    for action in ["let_in", "ring"] { try trial.play(action) }
    #expect(
      try trial.host.pendingWork.map(\.description) == [
        "after 20 s in call.ringing is due at 20 s", "after 40 s in call.ringing is due at 40 s",
      ])
    try trial.advance(20)
    #expect(try trial.state("call") == "voicemail")
    #expect(try trial.state("log") == ["exit", "waited", "beep"])
    let commit = try #require(try trial.host.commits.last)
    #expect(commit.action == "after 20 s in call.ringing")
    #expect(commit.cause == 2)
    #expect(commit.time == 20)
    #expect(commit.payload == [:])
    #expect(try trial.host.pendingWork.isEmpty)
    try trial.host.undo()
    #expect(try trial.host.pendingWork.count == 2)
    try trial.host.redo()
    #expect(try trial.state("call") == "voicemail")
    #expect(try trial.host.pendingWork.isEmpty)
    #expect(trial.told() == [])
  }

  @Test("a timed transition whose guard refuses is used up, and the next one still fires")
  func refusedTransition() throws {
    let trial = try Trial(Self.call)
    try trial.play("ring")
    try trial.advance(39)
    #expect(
      trial.told() == [
        "after 20 s in call.ringing from the queue was refused by machine call: nobody is let in; "
          + "after 20 s in call.ringing is not tried again: call stays in ringing"
      ])
    #expect(try trial.state("call") == "ringing")
    try trial.advance(1)
    #expect(try trial.state("call") == "idle")
  }

  @Test("a timed transition involves no gate and no other machine, and ends when its state is left")
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

  @Test("a timed transition whose reducer fails, or violates an invariant, changes nothing")
  func failingTransition() throws {
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

  static let clock = """
    state { ticks = 0, turns = 0, at = list {} }
    for _, name in ipairs { "start", "stop", "tick" } do action[name] {} end
    machine.m {
      initial = "off",
      off = { start = "on", tick = false },
      on = { stop = "off", every = { tick = 1.5, { "500ms", { reduce = function(s) s.turns = s.turns + 1 end } } },
        tick = { reduce = function(s) s.ticks = s.ticks + 1 table.insert(s.at, now()) end } },
    }
    """
}
