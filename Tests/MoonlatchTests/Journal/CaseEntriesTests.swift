import Testing

@testable import FlowCases
@testable import FlowHosting
@testable import FlowKernel

/// The stream of a case's entries.
@Suite(.timeLimit(.minutes(5))) struct CaseEntriesTests {
  private let flow = """
    state { n = 0 }
    action.add {}
    action.finish {}
    machine.m { initial = "on", on = { add = true, finish = "off" }, off = { final = true } }
    function reduce.add(s) s.n = s.n + 1 end
    """

  private func cases() async throws -> Cases {
    try await Cases(
      of: LoadedFlow(source: flow, name: "counter.lua"), in: MemoryJournal(),
      options: HostOptions(clock: .virtual, report: { _ in }), maximumActive: 1)
  }

  @Test(
    "entries are streamed from a given one, then as they are stored, for loaded and unloaded cases")
  func recordThenLive() async throws {
    let counters = try await cases()
    for id in ["a", "b"] { try await counters.create(id) }
    for _ in 0..<150 { try await counters["a"].dispatch("add") }
    let told = Task {
      var told: [JournalEntry] = []
      for try await entry in counters["a"].entries(from: 20) {
        told.append(entry)
        if entry.seq == 155 { break }
      }
      return told
    }
    for _ in 152...155 {
      try await counters["b"].dispatch("add")
      try await counters["a"].dispatch("add")
    }
    let entries = try await told.value
    #expect(entries.map(\.seq) == Array(20...155))
    #expect(try entries.last?.contents().commits.map(\.action) == ["add"])
  }

  @Test("large and small entries are streamed in order, without gaps or duplicates")
  func sizes() async throws {
    let texts = try await Cases(
      of: LoadedFlow(
        source: """
          state { text = "" }
          action.put { size = integer }
          function reduce.put(s, a) s.text = ("x"):rep(a.size) end
          """, name: "text.lua"), in: MemoryJournal(),
      options: HostOptions(clock: .virtual, report: { _ in }))
    try await texts.create("a")
    let sizes = [1, 900_000, 2, 700_000, 800_000, 3, 4, 5, 6, 7, 900_000, 900_000, 8]
    for size in sizes { try await texts["a"].dispatch("put", ["size": .integer(size)]) }
    try await texts["a"].end()
    var told: [Int] = []
    for try await entry in texts["a"].entries() { told.append(entry.seq) }
    #expect(told == Array(1...sizes.count + 2))
  }

  @Test("the stream ends after the last entry of an ended case, and when the cases are closed")
  func ends() async throws {
    let counters = try await cases()
    for id in ["a", "b"] { try await counters.create(id) }
    try await counters["a"].dispatch("finish")
    var seqs: [Int] = []
    for try await entry in counters["a"].entries() { seqs.append(entry.seq) }
    #expect(seqs == [1, 2])
    let other = Task {
      var count = 0
      for try await _ in counters["b"].entries() { count += 1 }
      return count
    }
    while counters.watch.isIdle { try await Task.sleep(for: .milliseconds(1)) }
    try await counters.close()
    #expect(try await other.value == 1)
  }

  @Test("an unknown case, and a host without a journal, have no entries")
  func none() async throws {
    var entries = try await cases()["x"].entries().makeAsyncIterator()
    let error = await #expect(throws: JournalError.self) { try await entries.next() }
    #expect(error?.kind == .unknownCase)
    let host = try FlowHost(source: flow)
    #expect(throws: JournalError.self) { try host.entries() }
  }

  @Test("the entries of a host's own case end when the host is stopped")
  func host() async throws {
    let host = try FlowHost(
      LoadedFlow(source: flow), journal: MemoryJournal(),
      options: HostOptions(clock: .virtual, report: { _ in }))
    var entries = try host.entries(from: 2).makeAsyncIterator()
    try await host.dispatch("add")
    #expect(try await entries.next()?.seq == 2)
    try await host.stop()
    #expect(try await entries.next() == nil)
  }
}
