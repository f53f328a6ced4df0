import LuaRuntime
import Testing

@testable import FlowKernel
@testable import FlowLanguage

/// Repeated timers, and timers after a replay.
extension StateTimersTests {
  @Test("a repeating timer does not drift, and stops when its state is left")
  func every() throws {
    let trial = try Trial(Self.clock)
    try trial.play("start")
    for _ in 0..<7 { try trial.advance(0.7) }
    #expect(try trial.state("at") == [1.5, 3.0, 4.5])
    #expect(try trial.state("turns") == 9)
    #expect(
      try trial.host.pendingWork.map(\.description) == [
        "every 0.5 s in m.on is due at 5 s", "tick is due at 6 s",
      ])
    try trial.play("stop")
    try trial.advance(100)
    #expect(try trial.state("ticks") == 3)
    #expect(try trial.host.pendingWork.isEmpty)
    #expect(trial.told() == [])
  }

  @Test("undo and redo restore repeating timers at their original times")
  func backAndForth() throws {
    let trial = try Trial(Self.clock)
    try trial.play("start")
    try trial.advance(4.6)
    let revision = try trial.host.revision
    #expect(revision == 13)
    try trial.play("stop")
    try trial.host.undo()
    #expect(
      try trial.host.pendingWork.map(\.description) == [
        "every 0.5 s in m.on is due at 5 s", "tick is due at 6 s",
      ])
    try trial.host.undo(revision - 1)
    #expect(
      try trial.host.pendingWork.map(\.description) == [
        "every 0.5 s in m.on is due at 0.5 s", "tick is due at 1.5 s",
      ])
    try trial.host.redo(revision - 1)
    #expect(try trial.host.pendingWork.count == 2)
    try trial.advance(1.5)
    #expect(try trial.state("ticks") == 4)
  }

  @Test("a repeating timer goes on after a refusal, which is reported")
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
    #expect(try trial.host.use { $0.refusedTimerSentences } == [])
    try trial.play("count")
    try trial.advance(1)
    #expect(try trial.state("m") == "b")
  }

  @Test("timers of states are the same after a replay, and continue after a reload")
  func elsewhere() throws {
    let trial = try Trial(Self.clock, keepsTranscript: true)
    try trial.play("start")
    try trial.advance(3.2)
    let transcript = try #require(try trial.host.transcript)
    let again = try Trial(Self.clock)
    #expect(try again.host.replay(transcript) == nil)
    #expect(try again.host.state() == trial.host.state())
    #expect(try again.host.pendingWork == trial.host.pendingWork)
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
    #expect(try trial.host.pendingWork.isEmpty)
  }

  @Test("with timers off, their commits are taken from the record, timed transitions by name")
  func recorded() throws {
    let trial = try Trial(Self.call)
    for action in ["let_in", "ring"] { try trial.play(action) }
    try trial.advance(40)
    let again = try Trial(Self.call)
    let commits = try trial.host.commits
    let outcomes = try again.host.use { engine in
      engine.turnOffEffectsAndTimers()
      return commits.map { commit in
        engine.setTime(commit.microseconds)
        return engine.dispatch(commit.action, commit.payload).description
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

  @Test("a timed transition is taken from a record by its duration, also one in seconds alone")
  func recordedDurations() throws {
    for title in ["after 14 days in m.a", "after 1209600 s in m.a"] {
      let trial = try Trial(
        """
        state {} action.go {}
        machine.m { initial = "a", a = { after = { { "14d", "b" } } }, b = {} }
        """)
      let outcomes = try trial.host.use { engine in
        engine.turnOffEffectsAndTimers()
        return ["after 1 day in m.a", title].map { engine.dispatch($0, [:]).isPassed }
      }
      #expect(outcomes == [false, true])
    }
  }

  @Test("timed transitions of records are taken from the record too, each by its record's keys")
  func recordedOfRecords() throws {
    let flow = """
      state { orders = map {} }
      action.put { order = string, item = integer }
      function reduce.put(s, a)
        s.orders[a.order] = s.orders[a.order] or { items = map {} }
        s.orders[a.order].items[a.item] = { wait = a.item }
      end
      machine.item { each = "orders.*.items", which = { "order", "item" },
        without = { put = true }, put = true, initial = "new state",
        ["new state"] = { initial = "x", x = {},
          after = { { function(s, a, it) return it.wait end, "old" } } },
        old = { every = { { 7, { reduce = function(s, a, it) it.wait = it.wait + 1 end } } } } }
      """
    let trial = try Trial(flow)
    for order in ["a", "b \"] c"] {
      try trial.play("put", ["order": .string(order), "item": .integer(order == "a" ? 5 : 3)])
    }
    try trial.advance(15)
    let commits = try trial.host.commits
    #expect(
      commits.dropFirst(2).map(\.action) == [
        "after 3 s in item[\"b \\\"] c\"][3].new state", "after 5 s in item[\"a\"][5].new state",
        "every 7 s in item[\"b \\\"] c\"][3].old", "every 7 s in item[\"a\"][5].old",
      ])
    let again = try Trial(flow)
    try again.host.use { engine in
      engine.turnOffEffectsAndTimers()
      for commit in commits {
        engine.setTime(commit.microseconds)
        let outcome = engine.dispatch(commit.action, commit.payload)
        #expect(outcome.isPassed, "\(outcome)")
      }
    }
    #expect(try again.host.state() == trial.host.state())
    let others = try again.host.use { engine in
      [
        "after 3 s in item[\"a\"][5].new state", "every 7 s in item[\"z\"][5].old",
        "every 7 s in item[\"a\"].old", "every 7 s in item.old", "every 7 s in item[].old",
      ].map { engine.dispatch($0, [:]).description }
    }
    for (outcome, words) in zip(
      others,
      [
        "item[\"a\"][5].new state is not possible in old", "there is no orders[\"z\"].items[5]",
        "there is no action", "there is no action", "there is no action",
      ])
    { #expect(outcome.contains(words), "\(outcome)") }
  }

  // MARK: Delays

  @Test(
    "a computed delay that is invalid fails the transition, and nothing changes",
    arguments: [
      ("0/0", "after", "after.tick takes 0 or more seconds"),
      ("-1", "after", "after.tick takes 0 or more seconds"),
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
    #expect(try trial.host.pendingWork.isEmpty)
  }

  @Test(
    "an invalid delay is an error when the flow is loaded",
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

  @Test("a repeating timer of any period ends its catching up, however far the clock jumps")
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
    #expect(try trial.state("n") == 300)
    #expect(
      trial.told() == [
        "every 1e-09 s in m.a, due 999999999999700 more times, was dropped: one advance of the clock "
          + "runs repeating timers at most 300 times (the limit chain)"
      ])
    try trial.advance(1e-6)
    #expect(try trial.state("n") == 301)
    try trial.advance(1e15)
    try trial.advance(1e15)
    try trial.play("stop")
    #expect(try trial.host.pendingWork.isEmpty)
  }

  @Test("a loop of zero-delay transitions ends at the chain limit")
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

  @Test("timers of states do not count against the limit of timers of effects")
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
    #expect(try trial.host.pendingWork.count == 21)
    #expect(trial.told() == [])
  }
}
