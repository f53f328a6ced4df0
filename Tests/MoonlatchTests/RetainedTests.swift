import FlowHosting
import FlowKernel
import LuaRuntime
import Platform
import Testing

/// Memory that the host uses for a flow outside of Lua, and its limits.
@Suite struct RetainedTests {
  /// A host, and what it has reported.
  private struct Kept {
    let host: FlowHost
    private let reports = Trial.Lines()

    init(_ flow: String, _ limits: Limits, keepsTranscript: Bool = false) throws {
      let reports = reports
      host = try FlowHost(
        source: flow,
        options: HostOptions(
          limits: limits, clock: .virtual, keepsTranscript: keepsTranscript,
          report: { reports.add("\($0)") }))
    }

    /// The reports since the last call.
    var told: [String] { reports.take() }
  }

  private let keeping = """
    state { text = "" } action.keep { text = string }
    function reduce.keep(s, a) s.text = a.text end
    """

  private func text(_ number: Int) -> Value {
    .string("\(number) " + String(repeating: "x", count: 10_000))
  }

  @Test("the history discards its oldest commits if they take too much memory")
  func history() throws {
    let kept = try Kept(keeping, Limits(retained: 400_000))
    for number in 1...100 {
      #expect(try kept.host.dispatch("keep", ["text": text(number)]).isPassed)
    }
    let commits = try kept.host.commits
    #expect((5...20).contains(commits.count))
    #expect(commits.last?.revision == 100)
    try kept.host.undo(4)
    #expect(try kept.host.state()["text"] == text(96))
    #expect {
      try kept.host.undo(90)
    } throws: {
      "\($0)".contains("cannot undo 90: at most")
    }
    try kept.host.redo(4)
    #expect(try kept.host.state()["text"] == text(100))
    #expect(try kept.host.dispatch("keep", ["text": text(101)]).isPassed)
    #expect(kept.told == [])
  }

  @Test("a long history of small commits holds no copy of a large state")
  func longHistory() throws {
    let kept = try Kept(
      """
      local rows = {}
      for i = 1, 1000 do rows[i] = ("x"):rep(1000) end
      state { n = 0, rows = rows } action.add {}
      function reduce.add(s) s.n = s.n + 1 end
      """, Limits(history: 4_000, retained: 600_000))
    for _ in 1...1_100 { #expect(try kept.host.dispatch("add").isPassed) }
    #expect(try kept.host.commits.count == 1_100)
    try kept.host.go(to: 0)
    #expect(try kept.host.state()["n"] == 0)
  }

  @Test("a transcript that reaches its size limit ends there, reports it once, and can be replayed")
  func transcript() throws {
    let kept = try Kept(keeping, Limits(retained: 200_000), keepsTranscript: true)
    for number in 1...100 {
      #expect(try kept.host.dispatch("keep", ["text": text(number)]).isPassed)
    }
    let told = kept.told
    #expect(told.count == 1)
    #expect(told.first?.hasPrefix("the transcript ends at #") == true)
    #expect(told.first?.contains("200000 bytes") == true)
    let transcript = try #require(try kept.host.transcript)
    #expect(transcript.isCutOff)
    #expect((10...60).contains(transcript.entries.count))
    let other = try Kept(keeping, Limits())
    #expect(try other.host.replay(transcript) == nil)
    #expect {
      try kept.host.reload(.replay)
    } throws: {
      "\($0)".contains("the transcript is incomplete")
    }
    #expect(try kept.host.state()["text"] == text(100))
  }

  @Test(
    "an effect that queues or schedules too much gets an error, and the host stays usable",
    arguments: ["dispatch.keep { text = text }", "after(60, \"keep\", { text = text })"])
  func queued(path: String) throws {
    let kept = try Kept(
      keeping + """
         action.go {}
        function effect.go()
          local text = ("x"):rep(10000)
          for _ = 1, 1000 do \(path) end
        end
        """, Limits(retained: 1_000_000))
    #expect(try kept.host.dispatch("go").isPassed)
    let told = kept.told
    #expect(told.count == 1)
    #expect(told.first?.contains("keep cannot be stored") == true, "\(told)")
    #expect(told.first?.contains("1000000 bytes") == true)
    try kept.host.advance(60)
    #expect(try kept.host.dispatch("keep", ["text": "end"]).isPassed)
  }

  @Test("no outcome depends on observers: a full transcript and watched views cost nothing")
  func observers() throws {
    let flow =
      keeping + """
         action.go { text = string }
        function effect.go(self, a) for i = 1, 8 do after(i, "keep", { text = a.text .. i }) end end
        function view.text(s) return s.text end
        function view.again(s) return s.text end
        """
    func outcomes(keepsTranscript: Bool, watches: Bool) throws -> [String] {
      let kept = try Kept(
        flow, Limits(history: 2, retained: 200_000), keepsTranscript: keepsTranscript)
      if watches {
        for view in ["text", "again"] { _ = try kept.host.subscribe(view) { _ in } }
      }
      var outcomes: [String] = []
      for number in 1...40 {
        outcomes.append("\(try kept.host.dispatch("go", ["text": text(number)]))")
        try kept.host.advance(number.isMultiple(of: 4) ? 60 : 0)
        outcomes.append("\(try kept.host.state()["text"]?.stringValue?.count ?? 0)")
      }
      return outcomes + kept.told.filter { !$0.contains("the transcript ends") }
    }
    let alone = try outcomes(keepsTranscript: false, watches: false)
    #expect(alone.contains { $0.contains("keep cannot be stored") })
    for (keepsTranscript, watches) in [(true, false), (false, true), (true, true)] {
      #expect(try outcomes(keepsTranscript: keepsTranscript, watches: watches) == alone)
    }
  }

  @Test("a chain of queued actions ends if its commits take too much memory together")
  func chain() throws {
    let kept = try Kept(
      """
      state { n = 0, text = "" }
      action.go { text = string }
      function reduce.go(s, a) s.n = s.n + 1 s.text = a.text .. s.n end
      function effect.go(self, a) dispatch.go { text = a.text } end
      """, Limits(retained: 1_000_000))
    #expect(
      try kept.host.dispatch("go", ["text": .string(String(repeating: "x", count: 10_000))])
        .isPassed)
    let told = kept.told
    #expect(told.count == 1)
    #expect(
      told.first?.contains(
        "actions from the queue made commits of more than 1000000 bytes together") == true,
      "\(told)")
    #expect(try (20...100).contains(kept.host.state()["n"]?.integerValue ?? 0))
  }

  @Test("waiting effects keep the commits that started them, up to the limit")
  func waiting() throws {
    let kept = try Kept(
      keeping + "\nfunction effect.keep() sleep(1) end", Limits(retained: 300_000))
    for number in 1...100 {
      #expect(try kept.host.dispatch("keep", ["text": text(number)]).isPassed)
    }
    let told = kept.told
    #expect(told.count > 50)
    #expect(told.first?.contains("effect.keep did not finish") == true)
    try kept.host.advance(1)
    #expect(try kept.host.dispatch("keep", ["text": text(1)]).isPassed)
    #expect(kept.told == [], "there is room again")
  }

  @Test("a view whose value takes too much memory has none, and the error names the limit")
  func views() throws {
    let kept = try Kept(
      """
      state { n = 0 } action.go {}
      function reduce.go(s) s.n = s.n + 1 end
      function view.doubled(s)
        local t = {}
        for _ = 1, s.n do t = { t, t } end
        return t
      end
      """, Limits(state: 1_000_000))
    for _ in 1...10 { try kept.host.dispatch("go") }
    _ = try kept.host.view("doubled")
    for _ in 1...10 { try kept.host.dispatch("go") }
    #expect {
      try kept.host.view("doubled")
    } throws: {
      "\($0)".contains("more than 1000000 bytes outside of Lua")
    }
  }

  @Test("the values of all watched views together take no more than the limit")
  func watched() throws {
    let views = (1...20).map { "function view.v\($0)(s) return { s.text, \($0) } end" }
    let kept = try Kept(
      ([keeping] + views).joined(separator: "\n"), Limits(retained: 100_000))
    let failed = Failed()
    var subscriptions: [ViewSubscription] = []
    for number in 1...20 {
      subscriptions.append(
        try kept.host.subscribe("v\(number)") { failed.note($0, of: number) })
    }
    #expect(failed.views.isEmpty)
    try kept.host.dispatch("keep", ["text": text(1)])
    #expect((8...16).contains(failed.views.count), "\(failed.views)")
    try kept.host.dispatch("keep", ["text": "short"])
    #expect(failed.views.isEmpty)
  }

  /// The views that have no value.
  private final class Failed: Sendable {
    private let numbers = Mutex<Set<Int>>([])
    var views: Set<Int> { numbers.withLock { $0 } }

    func note(_ result: Result<Value, ViewError>, of view: Int) {
      numbers.withLock {
        if case .failure = result { $0.insert(view) } else { $0.remove(view) }
      }
    }
  }

  @Test("the arguments of a capability may take no more memory than Lua's limit")
  func arguments() throws {
    let kept = try FlowHost(
      source: """
        state {} action.go { n = integer } action.failed { error = string }
        effect.go = { on_error = { action = "failed", faults = true }, run = function(self, a)
          local t = {}
          for _ = 1, a.n do t = { t, t } end
          self:take(t)
        end }
        """,
      options: HostOptions(limits: Limits(memory: 8 << 20), clock: .virtual, report: { _ in }),
      scopes: { (scopes: inout HostScopes) in
        scopes.root.provide("take") { (_: Value) -> Bool in true }
      })
    #expect(try kept.dispatch("go", ["n": 10]).isPassed)
    #expect(try kept.commits.last?.action == "go")
    #expect(try kept.dispatch("go", ["n": 18]).isPassed)
    let last = try #require(try kept.commits.last)
    #expect(last.action == "failed")
    #expect(last.payload["error"]?.stringValue?.contains("bytes outside of Lua") == true)
  }
}
