import FlowKernel
import FlowLanguage
import LuaRuntime
import Testing

/// Internal actions, which only effects and timers dispatch.
@Suite struct InternalActionsTests {
  private static let order = """
    state { seen = list {} }
    action.pay { late = boolean { default = false } } action.ask {}
    internal.paid { receipt = string } internal.expire {}
    machine.order {
      initial = "open",
      open = { pay = "paying", expire = "gone", after = { expire = 60 } },
      paying = { paid = "done" }, done = { final = true }, gone = { final = true },
    }
    function reduce.paid(s, a) s.seen[#s.seen + 1] = a.receipt end
    function effect.pay(self, a)
      if a.late then sleep(1) end
      print(may.paid { receipt = "r" })
      return { receipt = "from run" }
    end
    effect("hurry", { "pay" }, { run = function(self, a)
      if not a.late then dispatch.paid { receipt = "at once" } end
    end })
    """

  private let refused = "refused by internal: only effects and timers can dispatch paid"

  @Test("a host's dispatch of an internal action is refused, whatever the payload, and may says so")
  func outside() throws {
    let trial = try Trial(Self.order, keepsTranscript: true)
    #expect(try trial.play("paid", ["receipt": "mine"]) == refused)
    #expect(try trial.play("paid", ["wrong": 1]) == refused)
    #expect(try trial.play("paid") == refused)
    #expect(
      try trial.play("expire") == "refused by internal: only effects and timers can dispatch expire"
    )
    let refusal = try trial.host.dispatch("paid").refusal
    #expect(refusal?.rejectedBy == .internal)
    #expect(refusal?.rejectedBy.name == "internal")
    #expect(refusal?.place == SourcePlace(file: "flow.lua", line: 3))
    guard case .refused(let asked) = try trial.host.may("paid", ["receipt": "mine"]) else {
      Issue.record("it may")
      return
    }
    #expect(asked == refusal)
    #expect(try trial.host.dispatch(batch: [("paid", [:])]).map(\.description) == [refused])
    #expect(try trial.host.revision == 0)
  }

  @Test("effects and timers can dispatch internal actions, and may in an effect agrees")
  func inside() throws {
    let trial = try Trial(Self.order)
    try trial.play("pay")
    #expect(trial.printed.take() == ["true"])
    try trial.host.settle()
    #expect(try trial.state("order") == "done")
    #expect(try trial.state("seen") == ["at once"])
    let late = try Trial(Self.order)
    try late.advance(60)
    #expect(try late.state("order") == "gone")
  }

  @Test("on_done and on_error of an effect, and timers of effects, dispatch internal actions")
  func following() throws {
    let trial = try Trial(
      """
      state { seen = list {} }
      action.go { fails = boolean } internal.done { n = integer } internal.failed { error = string }
      internal.later {}
      function reduce.done(s, a) s.seen[#s.seen + 1] = a.n end
      function reduce.failed(s, a) s.seen[#s.seen + 1] = a.error end
      function reduce.later(s) s.seen[#s.seen + 1] = "later" end
      effect("work", { "go" }, { on_done = "done", on_error = "failed", run = function(self, a)
        after(5, "later")
        if a.fails then error("no", 0) end
        return { n = 7 }
      end })
      """)
    try trial.play("go", ["fails": false])
    try trial.play("go", ["fails": true])
    try trial.advance(5)
    #expect(try trial.state("seen") == [7, "no", "later", "later"])
  }

  @Test("a replay of a transcript has the same result with internal actions")
  func replayed() throws {
    let trial = try Trial(Self.order, keepsTranscript: true)
    try trial.play("paid", ["receipt": "mine"])
    try trial.play("pay", ["late": true])
    try trial.advance(2)
    let transcript = try #require(try trial.host.transcript)
    let fresh = try Trial(Self.order)
    #expect(try fresh.host.replay(transcript) == nil)
    #expect(try fresh.host.state() == trial.host.state())
  }

  @Test("an internal action that was dispatched by hand is replayed")
  func byHand() throws {
    let flow = try LoadedFlow(source: Self.order)
    let engine = try Engine(flow, limits: Limits(), log: ScriptLog { _ in })
    engine.observers.transcript = Transcript(flow: flow.name, hash: "", seed: 0)
    #expect(engine.dispatch("pay", ["late": true]).isPassed)
    #expect(engine.dispatch(fromInside: "paid", ["receipt": "hand"]).isPassed)
    #expect(engine.dispatch("paid", ["receipt": "hand"]).description == refused)
    #expect(
      engine.dispatch(fromInside: "paid", ["receipt": "again"]).description
        == "refused by machine order: paid is not possible in done (possible in: paying)")
    let transcript = try #require(engine.observers.transcript)
    let fresh = try Engine(flow, limits: Limits(), log: ScriptLog { _ in })
    #expect(fresh.replay(transcript) == nil)
    #expect(try fresh.state() == engine.state())
  }

  @Test("an explanation of an internal action names its declaration as the first to refuse")
  func explained() throws {
    let engine = try Engine(
      LoadedFlow(source: Self.order), limits: Limits(), log: ScriptLog { _ in })
    let first = try #require(engine.explain("paid", ["receipt": "x"]).decisions.first)
    #expect(first.refuser == .internal)
    #expect(first.verdict == .refuses("only effects and timers can dispatch paid"))
    #expect(engine.refusalOfAnyPayload("paid")?.rejectedBy == .internal)
    #expect(engine.refusalOfAnyPayload("pay") == nil)
  }

  @Test(
    "an internal action is declared once, like any other",
    arguments: [
      ("internal.go", "nothing"),
      ("internal.go = {}", "an action is declared by a call: internal.go { field = type }"),
      ("internal \"go\"", "an action is declared as internal.go { field = type }"),
      ("internal.go(1)", "internal.go takes the fields of its payload in a table: internal.go {}"),
      ("action.go {} internal.go {}", "action.go is declared twice: here and at flow.lua:1"),
      ("internal.go { a = 1 }", "action go.a: a number is not a type"),
    ])
  func mistakes(_ source: String, _ message: String) {
    let text = faults(of: source.hasSuffix("go") ? "local _ = \(source) action.x {}" : source)
    if message == "nothing" {
      #expect(text.isEmpty)
    } else {
      #expect(text.first?.hasPrefix("flow.lua:1: \(message)") == true, "\(text)")
    }
  }

  @Test("a flow's own function named internal takes precedence")
  func own() throws {
    let trial = try Trial(
      """
      state { n = 0 } action.go {}
      function internal(n) return n + 1 end
      function reduce.go(s) s.n = internal(s.n) end
      """)
    try trial.play("go")
    #expect(try trial.state("n") == 1)
  }
}
