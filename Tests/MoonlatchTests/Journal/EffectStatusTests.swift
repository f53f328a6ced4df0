import Platform
import Testing

@testable import FlowCases
@testable import FlowHosting
@testable import FlowKernel

/// The status of an effect: its failure, its attempts, and what it waits for since when.
@Suite struct EffectStatusTests {
  private struct Declined: Error, CustomStringConvertible {
    let description = "declined (pin 4711)"
  }

  private static let flow = """
    state { pin = optional(string { secret = true }), problem = none }
    action.go {} action.plain {} action.both {} action.wrong {} action.tell { pin = string { secret = true } }
    action.lost { error = string } action.slow {} action.nap {} action.odd {}
    local function pay(self)
      sleep(5)
      retry({ times = 3, wait = 2, factor = 2 }, function() return self:charge() end)
    end
    effect.go = { durable = true, on_error = "lost", run = pay }
    effect.plain = { on_error = "lost", run = pay }
    effect.both = { durable = true, run = function(self)
      all { one = function() sleep(7) end, two = function() sleep(3) sleep(9) end }
    end }
    effect.slow = { durable = true, run = function(self) self:answer_later() end }
    effect.odd = { durable = true, run = function(self)
      retry({ times = 2, wait = 1 }, function() error({ message = "from a table" }) end)
    end }
    function effect.wrong() local none = nil; return none.field end
    function effect.nap() sleep(100) end
    function reduce.tell(s, a) s.pin = a.pin end
    function reduce.lost(s, a) s.problem = a.error end
    """

  private func cases(_ journal: MemoryJournal, fails: Int = 99) async throws -> Cases {
    let left = Mutex(fails)
    return try await Cases(
      of: LoadedFlow(source: Self.flow, name: "pay.lua"), in: journal,
      options: HostOptions(clock: .virtual, print: { _ in }, report: { _ in })
    ) { scopes in
      scopes.root.provide("charge") { () throws in
        let fails = left.withLock { left in
          left -= 1
          return left >= 0
        }
        if fails { throw Declined() }
      }
      scopes.root.provide("answer_later") { () async throws in
        try await Task.sleep(for: .seconds(3_600))
      }
    }
  }

  private func advance(_ one: Case, _ seconds: Double) async throws {
    try await one.cases.use(one.id) { try $0.advance(seconds) }
  }

  @Test("an effect is recorded in the case's state while it runs")
  func records() throws {
    let host = try FlowHost(
      source: Self.flow, options: HostOptions(clock: .virtual, report: { _ in }))
    func records() throws -> [EffectRecord] {
      try host.use { $0.caseState.effects.values.sorted { $0.number < $1.number } }
    }
    try host.dispatch("nap")
    try host.dispatch("both")
    #expect(try records().map(\.title) == ["effect.nap", "effect.both"])
    #expect(try records()[0].waits.map(\.text) == ["sleeps until 1 min 40 s"])
    #expect(try records()[1].waits.map(\.since) == [0, 0])
    try host.advance(3)
    #expect(try records()[1].waits.map(\.since).sorted() == [0, 3_000_000])
    let image = try CaseImage(image: host.use { engine in Result { try engine.image() } }.get())
    #expect(image.caseState.effects.count == 2)
    try host.undo()
    #expect(try records().map(\.title) == ["effect.nap"])
    try host.advance(100)
    #expect(try records().isEmpty)
  }

  /// A line for each effect.
  private func lines(_ effects: [EffectStatus]) -> [String] {
    effects.map { effect in
      "\(effect.title) \(effect.activity) since \(effect.since / 1_000_000): "
        + effect.waits.map(\.text).joined(separator: "; ")
        + effect.attempts.map { " [\($0.text) at \($0.time / 1_000_000)]" }.joined()
    }.map { $0.replacing(#/pay\.lua:[0-9]+: /#, with: "") }
  }

  @Test("an effect's status has what it waits for, since when, and its failed attempts")
  func attempts() async throws {
    let one = try await cases(MemoryJournal()).create("a")
    try await one.dispatch("go")
    #expect(
      try await lines(one.effects().underWay)
        == ["effect.go sleeping since 0: sleeps until 5 s"])
    try await advance(one, 5)
    let first = "[attempt 1 of 3 failed: charge: declined (pin 4711) at 5]"
    #expect(
      try await lines(one.effects().underWay)
        == ["effect.go retrying since 5: tries again at 7 s \(first)"])
    try await advance(one, 2)
    #expect(
      try await lines(one.effects().underWay) == [
        "effect.go retrying since 7: tries again at 11 s \(first) "
          + "[attempt 2 of 3 failed: charge: declined (pin 4711) at 7]"
      ])
  }

  @Test(
    "a failed effect has its reason, its attempts and the entry of the failure",
    arguments: ["go", "plain"])
  func failure(action: String) async throws {
    let one = try await cases(MemoryJournal()).create("a")
    try await one.dispatch(action)
    for seconds in [5.0, 2, 4] { try await advance(one, seconds) }
    let effects = try await one.effects()
    #expect(effects.underWay.isEmpty)
    let failed = try #require(effects.failed.first)
    #expect(effects.failed.count == 1)
    #expect(failed.failure.title == "effect.\(action)")
    #expect(failed.failure.action == action)
    #expect(failed.failure.cause == 1)
    #expect(failed.failure.reason.contains("charge: declined"))
    #expect(failed.failure.handler == "lost")
    #expect(failed.failure.isFault == false)
    #expect(failed.failure.attempts.map(\.attempt) == [1, 2])
    #expect(failed.failure.elapsed == .seconds(11))
    #expect(try await failed.seq == #require(one.summary()).seq)
    #expect(try await one.state()["problem"] != .nil)
  }

  @Test("an unhandled script error is a failure with its place")
  func fault() async throws {
    let one = try await cases(MemoryJournal()).create("a")
    try await one.dispatch("wrong")
    let failed = try #require(try await one.effects().failed.first?.failure)
    #expect(failed.isFault)
    #expect(failed.handler == nil)
    #expect(failed.number > 0)
    #expect(failed.reason.contains("pay.lua:"))
  }

  @Test("an error that is a table is shown by its message")
  func table() async throws {
    let one = try await cases(MemoryJournal()).create("a")
    try await one.dispatch("odd")
    #expect(try await one.effects().underWay.first?.attempts.map(\.error) == ["from a table"])
  }

  @Test("concurrent functions are shown one by one while they run")
  func functions() async throws {
    let one = try await cases(MemoryJournal()).create("a")
    try await one.dispatch("both")
    func told() async throws -> [String] { try await lines(one.effects().underWay) }
    #expect(
      try await told() == [
        "effect.both sleeping since 0: sleeps until 7 s (all1.1); sleeps until 3 s (all1.2)"
      ])
    try await advance(one, 3)
    #expect(
      try await told() == [
        "effect.both sleeping since 0: sleeps until 7 s (all1.1); sleeps until 12 s (all1.2)"
      ])
    try await advance(one, 4)
    #expect(
      try await told() == ["effect.both sleeping since 3: sleeps until 12 s (all1.2)"])
  }

  @Test("a call without an answer is shown by its capability, also after a restart")
  func call() async throws {
    let journal = MemoryJournal()
    let cases = try await cases(journal)
    let one = try await cases.create("a")
    try await one.dispatch("nap")
    try await advance(one, 2)
    try await one.dispatch("slow")
    let expected = "effect.slow waiting since 2: waits for answer_later"
    #expect(try await lines(one.effects().underWay).last == expected)
    let later = try await self.cases(journal.restarted())
    #expect(try await lines(later["a"].effects().underWay).last == expected)
    #expect(later.active == 0)
    // Awake, it waits since then all the same, though the call was made again.
    _ = try await later["a"].state()
    #expect(try await lines(later["a"].effects().underWay) == [expected])
    let failed = try await later["a"].effects().failed
    #expect(failed.map(\.failure.title) == ["effect.nap"])
    #expect(failed.first?.failure.reason.contains("was cut off by a restart") == true)
  }

  @Test("the journal shows the same status of durable effects as the loaded case", arguments: 0...3)
  func journalAndLive(fails: Int) async throws {
    let journal = MemoryJournal()
    let cases = try await cases(journal, fails: fails)
    let one = try await cases.create("a")
    for action in ["go", "both", "odd"] { try await one.dispatch(action) }
    for _ in 0...14 {
      let live = try await one.effects()
      let last = try await #require(try one.summary()).seq
      let read = try await CaseTimeline(of: "a", in: cases).currentWork(at: last).effects
      #expect(live.underWay == read)
      let restarted = try await self.cases(journal.restarted(), fails: 0)["a"]
      _ = try await restarted.state()
      #expect(try await restarted.effects().underWay == read)
      try await advance(one, 1)
    }
    #expect(try await one.effects().underWay.isEmpty)
  }

  @Test("the status of an effect contains no secret")
  func secrets() async throws {
    let journal = MemoryJournal()
    let one = try await cases(journal).create("a")
    try await one.dispatch("tell", ["pin": "pin-of-ann"])
    try await one.dispatch("go")
    for seconds in [5.0, 2, 4] { try await advance(one, seconds) }
    let told = "\(try await one.effects())"
    #expect(told.contains("declined"))
    #expect(!told.contains("pin-of-ann"))
    for entry in try journal.entries(of: "a", from: 3, limit: 100) {
      #expect(!"\(try entry.contents().attemptsFailed)".contains("pin-of-ann"))
    }
  }

  @Test("a snapshot contains attempts and waits")
  func snapshot() async throws {
    let cases = try await cases(MemoryJournal())
    let one = try await cases.create("a")
    try await one.dispatch("go")
    try await advance(one, 5)
    let body = try await cases.use("a") { host in
      try host.examine { try $0.image() }
    }
    let effects = try CaseImage(image: body).caseState.effects.values.map(EffectStatus.init)
    #expect(try await effects == one.effects().underWay)
    #expect(effects.first?.attempts.count == 1)
  }

  @Test("an ended case has no running effects, and one that was never created is unknown")
  func others() async throws {
    let cases = try await cases(MemoryJournal())
    let one = try await cases.create("a")
    try await one.dispatch("nap")
    try await one.end()
    #expect(try await one.effects().underWay.isEmpty)
    await #expect(throws: JournalError.self) { try await cases["b"].effects() }
  }
}
