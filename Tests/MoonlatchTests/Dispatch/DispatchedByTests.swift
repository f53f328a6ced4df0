import Testing

@testable import FlowCases
@testable import FlowHosting
@testable import FlowKernel

/// Dispatches in somebody's name, and `by()`.
@Suite struct DispatchedByTests {
  private static let claim = """
    state { owner = "ann", approved = none, told = list {}, guests = 0 }
    action.approve {} action.tell { who = optional(string) } action.guest {} action.late {}
    function gate.approve(s)
      if by() ~= s.owner then return false, "only " .. s.owner .. ", not " .. (by() or "nobody") end
      return true
    end
    function reduce.approve(s) s.approved = by() end
    function reduce.tell(s, a) table.insert(s.told, (a.who or "-") .. "/" .. (by() or "-")) end
    effect.approve = { durable = true, on_error = "late", run = function(self)
      dispatch.tell { who = by() }
      sleep(5)
      dispatch.tell { who = by() }
    end }
    function effect.guest() dispatch.tell { who = by() } end
    view.v = function(s) return s.owner end
    """

  private func options(_ refusals: Bool = false) -> HostOptions {
    HostOptions(clock: .virtual, keepsRefusals: refusals, print: { _ in }, report: { _ in })
  }

  private func host(_ flow: String = claim) throws -> FlowHost {
    try FlowHost(LoadedFlow(source: flow), options: options())
  }

  @Test("gates, reducers and effects can read who dispatched an action, unless an effect did")
  func known() throws {
    let host = try host()
    #expect(try host.dispatch("approve").refusal?.reason == "only ann, not nobody")
    #expect(try host.dispatch("approve", by: "bob").refusal?.reason == "only ann, not bob")
    #expect(try host.may("approve").isGranted == false)
    #expect(try host.may("approve", by: "ann").isGranted)
    #expect(try host.dispatch("approve", by: "ann").commit?.dispatchedBy == "ann")
    try host.dispatch("guest", by: "")
    try host.dispatch("guest")
    try host.advance(5)
    let state = try host.state()
    #expect(state["approved"] == "ann")
    #expect(state["told"] == ["ann/-", "/-", "-/-", "ann/-"])
    #expect(try host.commits.map(\.dispatchedBy) == ["ann", nil, "", nil, nil, nil, nil])
  }

  @Test(
    "views and invariants cannot read who dispatched an action",
    arguments: [
      "view.w = function(s) return by() end", "invariant.w = function(s) return by() == none end",
    ])
  func notAsked(text: String) throws {
    do {
      let host = try host(DispatchedByTests.claim + "\n" + text)
      _ = try host.view("w")
      Issue.record("it was asked")
    } catch {
      #expect("\(error)".contains("no action whose by() it can read"), "\(error)")
    }
  }

  @Test("the journal stores who dispatched an action, and a resumed durable effect can read it")
  func kept() throws {
    let journal = MemoryJournal()
    let flow = try LoadedFlow(source: DispatchedByTests.claim)
    let first = try FlowHost(flow, journal: journal, options: options())
    try first.dispatch("approve", by: "ann")
    #expect(try first.dispatch("guest", key: "g", by: "bob").commit?.dispatchedBy == "bob")
    let later = journal.restarted()
    let second = try FlowHost(flow, journal: later, options: options())
    try second.advance(5)
    #expect(try second.state()["told"] == ["ann/-", "bob/-", "ann/-"])
    let told = try later.entries(of: "main", from: 1, limit: 10).flatMap {
      try $0.contents().commits
    }
    #expect(told.map(\.dispatchedBy) == ["ann", nil, "bob", nil, nil])
    #expect(told.map(\.cause) == [nil, 1, nil, 3, 1])
  }

  @Test("a transcript stores who dispatched an action, and replays it")
  func replayed() throws {
    var options = options()
    options.keepsTranscript = true
    let host = try FlowHost(LoadedFlow(source: DispatchedByTests.claim), options: options)
    try host.dispatch("approve", by: "ann")
    try host.dispatch("approve")
    let transcript = try #require(try host.transcript)
    #expect(transcript.text.contains("{\"by\":\"ann\"}"))
    let read = try Transcript(text: transcript.text)
    #expect(read.entries == transcript.entries)
    let difference = try FlowHost(LoadedFlow(source: DispatchedByTests.claim), options: options)
      .replay(read)
    #expect(difference == nil)
  }

  @Test("an action can be dispatched to a case in somebody's name")
  func cases() async throws {
    let cases = try await Cases(
      of: LoadedFlow(source: DispatchedByTests.claim), in: MemoryJournal(), options: options())
    let claim = try await cases.create("c-1")
    #expect(try await claim.may("approve", by: "bob").isGranted == false)
    #expect(try await claim.dispatch("approve", by: "ann").isPassed)
    #expect(try await claim.dispatch("guest", key: "k", by: "bob").commit?.dispatchedBy == "bob")
    #expect(try await claim.state()["told"] == ["ann/-", "bob/-"])
    try await cases.close()
  }

  // MARK: What did not pass

  @Test("a host that keeps refusals stores each in an entry: who, what, when and why")
  func refusals() throws {
    let journal = MemoryJournal()
    let flow = try LoadedFlow(source: DispatchedByTests.claim)
    let host = try FlowHost(flow, journal: journal, options: options(true))
    try host.dispatch("approve", by: "bob")
    try host.advance(2)
    try host.dispatch("tell", ["who": 3])
    try host.dispatch("nothing", ["x": .string(String(repeating: "x", count: 20_000))])
    try host.dispatch("guest")
    try host.dispatch("approve")
    let entries = try journal.entries(of: "main", from: 1, limit: 10).map { try $0.contents() }
    #expect(entries.map(\.refused.count) == [0, 1, 0, 1, 1, 0, 1])
    let refused = entries.flatMap(\.refused)
    #expect(refused.map(\.action) == ["approve", "tell", "nothing", "approve"])
    #expect(refused.map(\.by) == ["bob", nil, nil, nil])
    #expect(refused.map(\.time) == [0, 2_000_000, 2_000_000, 2_000_000])
    #expect(refused.map(\.hasFailed) == [false, true, true, false])
    #expect(refused.map(\.payload) == [[:], ["who": 3], nil, [:]])
    #expect(refused[0].reason.contains("only ann, not bob"))
    #expect(refused[2].reason.contains("there is no action nothing"))
    let later = try FlowHost(flow, journal: journal.restarted(), options: options(true))
    #expect(try later.state() == host.state())
  }

  @Test("a host without keepsRefusals stores no refusal")
  func unkept() throws {
    let journal = MemoryJournal()
    let host = try FlowHost(
      LoadedFlow(source: DispatchedByTests.claim), journal: journal, options: options())
    try host.dispatch("approve", by: "bob")
    try host.dispatch("guest")
    let entries = try journal.entries(of: "main", from: 1, limit: 10).map { try $0.contents() }
    #expect(entries.flatMap(\.refused).isEmpty)
  }
}
