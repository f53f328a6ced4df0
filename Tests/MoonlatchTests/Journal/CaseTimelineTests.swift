import FlowCases
import FlowHosting
import FlowKernel
import Testing

@Suite struct CaseTimelineTests {
  private let source = """
    state { count = 0, user = "" }
    action.add {}
    action.log_in { name = string }
    action.slow {}
    internal.rung {}
    scope.user { key = function(s) return s.user ~= "" and s.user or nil end }
    function reduce.add(s) s.count = s.count + 1 end
    function reduce.log_in(s, a) s.user = a.name end
    function effect.slow() sleep(1000) end
    function effect.add() after(60, "rung") end
    """

  private func cases(_ journal: MemoryJournal = MemoryJournal()) async throws -> Cases {
    var options = HostOptions()
    options.clock = .virtual
    options.report = { _ in }
    return try await Cases(of: LoadedFlow(source: source), in: journal, options: options)
  }

  @Test("the timeline has the state after each entry, in any order of access")
  func nearAndFar() async throws {
    let cases = try await cases()
    let one = try await cases.create("a")
    for _ in 1...1_300 { try await one.dispatch("add") }
    let film = CaseTimeline(of: "a", in: cases)
    for seq in [1_301, 1, 700, 699, 1_300, 2, 501, 1_001] {
      let count = try await film.look(at: seq) { try $0.state()["count"] }
      #expect(count == .integer(seq - 1), "entry \(seq)")
    }
    #expect(try await film.look(at: 1_301) { $0.pendingWork.count } == 1_300)
    #expect(try await film.look(at: 3) { $0.pendingWork.count } == 2)
  }

  @Test("reading a timeline writes nothing and loads no case")
  func writesNothing() async throws {
    let journal = MemoryJournal()
    let first = try await cases(journal)
    try await first.create("a").dispatch("add")
    try await first.close()
    let later = journal.restarted()
    let cases = try await cases(later)
    let before = try later.summary(of: "a")
    let film = CaseTimeline(of: "a", in: cases)
    #expect(try await film.look(at: 2) { $0.may("add", [:]).isGranted })
    #expect(try later.summary(of: "a") == before)
    #expect(cases.active == 0)
  }

  @Test("running effects and open scopes are shown with their start")
  func currentWork() async throws {
    let cases = try await cases()
    let one = try await cases.create("a")
    try await one.dispatch("slow")
    try await one.dispatch("log_in", ["name": "ann"])
    try await one.dispatch("add")
    let film = CaseTimeline(of: "a", in: cases)
    let now = try await film.currentWork(at: 4)
    #expect(now.effects.map(\.title) == ["effect.slow"])
    #expect(now.openSince["user"] == 0)
    #expect(try await film.currentWork(at: 2).openSince["user"] == nil)
  }

  @Test("a missing entry is an error")
  func missing() async throws {
    let cases = try await cases()
    try await cases.create("a")
    await #expect(throws: JournalError.self) {
      try await CaseTimeline(of: "a", in: cases).look(at: 2) { _ in }
    }
    await #expect(throws: JournalError.self) {
      try await CaseTimeline(of: "b", in: cases).look(at: 1) { _ in }
    }
  }
}
