import Testing

@testable import FlowHosting
@testable import FlowKernel

/// A rejected dispatch, as a journal stores it if the host was asked to.
@Suite struct RejectedDispatchRecordTests {
  private static let flow = """
    state { n = 0, big = none }
    action.add { by = integer { min = 1 } } action.never {} action.put { text = string } action.stop {}
    machine.m { initial = "on", on = { add = true, stop = "off" }, off = { final = true } }
    function reduce.add(s, a) s.n = s.n + a.by end
    function gate.never() return false, "it never may" end
    function gate.put(s, a) return false, "no " .. a.text end
    function gate.add(s, a) return s.n + a.by < 5, "no more" end
    """

  private func host(_ journal: any JournalStorage, keeps: Bool = true) throws -> FlowHost {
    try FlowHost(
      LoadedFlow(source: Self.flow), journal: journal,
      options: HostOptions(clock: .virtual, keepsRefusals: keeps, report: { _ in }))
  }

  private func contents(_ journal: any JournalStorage) throws -> [JournalEntry.Contents] {
    try JournalCalls.of(journal).wait {
      try await $0.entries(of: "main", from: 1, limit: 9_999).map { try $0.contents() }
    }
  }

  private func sentences(_ journal: any JournalStorage) throws -> [[String]] {
    try contents(journal).map { $0.refused.map { $0.action + ($0.hasFailed ? "!" : "") } }
  }

  @Test("a rejected dispatch is in the journal before it is answered")
  func kept() throws {
    let journal = MemoryJournal()
    let first = try host(journal)
    try first.dispatch("add", ["by": 1])
    #expect(try !first.dispatch("never", by: "ann").isPassed)
    // As a process finds it that comes after a kill.
    let later = journal.restarted()
    #expect(try sentences(later) == [[], [], ["never"]] || sentences(later) == [[], ["never"]])
    let refused = try #require(try contents(later).last?.refused.first)
    #expect(refused.by == "ann" && refused.reason == "refused by gate never: it never may")
    let second = try host(later)
    #expect(try !second.dispatch("add", ["by": 0]).isPassed)
    #expect(try !second.dispatch("add", ["by": 9]).isPassed)
    #expect(try sentences(later).flatMap(\.self) == ["never", "add!", "add"])
    #expect(try second.state()["n"] == 1 && second.revision == 1)
  }

  @Test("a rejected dispatch is stored with the creation of its case too")
  func first() throws {
    let journal = MemoryJournal()
    let host = try host(journal)
    #expect(try !host.dispatch("never").isPassed)
    #expect(try sentences(journal.restarted()).flatMap(\.self) == ["never"])
    #expect(try contents(journal).map(\.kind) == [.image, .turn])
    #expect(try self.host(journal.restarted()).dispatch("add", ["by": 1]).isPassed)
  }

  @Test("a rejected dispatch that could not be stored throws")
  func failed() throws {
    let journal = MemoryJournal()
    let host = try host(journal)
    try host.dispatch("add", ["by": 1])
    journal.fail(append: journal.appends + 1, .before(JournalError(.full, "the disk is full")))
    #expect(throws: JournalError.self) { try host.dispatch("never") }
    #expect(try host.dispatch("never").refusal != nil)
    #expect(try sentences(journal).flatMap(\.self) == ["never"])
  }

  @Test("a host without keepsRefusals makes no entry of a rejected dispatch")
  func unasked() async throws {
    let journal = MemoryJournal()
    let host = try host(journal, keeps: false)
    try await host.dispatch("add", ["by": 1])
    let count = try contents(journal).count
    try await host.dispatch("never")
    #expect(try contents(journal).count == count)
  }

  @Test("an entry has the first thousand rejected dispatches, and the number of the others")
  func many() throws {
    let journal = MemoryJournal()
    let host = try host(journal)
    let outcomes = try host.dispatch(
      batch: Array(repeating: (action: "never", payload: [:]), count: 1_500))
    #expect(outcomes.count == 1_500)
    let last = try #require(try contents(journal).last)
    #expect(last.refused.count == 1_000 && last.refusedDropped == 500)
    // The next turn begins anew.
    try host.dispatch("never")
    let next = try #require(try contents(journal).last)
    #expect(next.refused.count == 1 && next.refusedDropped == 0)
  }

  @Test("the size of rejected dispatches in an entry is bounded, and so is each text")
  func long() throws {
    let journal = MemoryJournal()
    let host = try host(journal)
    let (name, text) = (
      String(repeating: "é", count: 50_000), String(repeating: "x", count: 15_000)
    )
    try host.dispatch(name, ["text": .string(text)], by: name)
    let found = try #require(try contents(journal).last?.refused.first)
    #expect(found.action.count == 1_003 && found.by?.count == 1_003 && found.reason.count <= 1_003)
    #expect(found.payload?["text"] == .string(text))
    try host.dispatch("put", ["text": .string(text + text)])
    #expect(try contents(journal).last?.refused.map(\.payload) == [nil])
    _ = try host.dispatch(
      batch: Array(repeating: (action: "put", payload: ["text": .string(text)]), count: 40))
    let last = try #require(try contents(journal).last)
    #expect(last.refused.count + last.refusedDropped == 40 && last.refused.count > 10)
    #expect(
      try journal.entries(of: "main", from: 1, limit: 99).allSatisfy { $0.body.count < 300_000 })
  }

  @Test("a rejected dispatch to an ended case is answered and not stored")
  func ended() async throws {
    let journal = MemoryJournal()
    let host = try host(journal)
    try await host.dispatch("stop")
    let count = try contents(journal).count
    #expect(try await host.dispatch("add", ["by": 1]).refusal != nil)
    #expect(try await host.dispatch("never").refusal != nil)
    #expect(try contents(journal).count == count)
  }
}
