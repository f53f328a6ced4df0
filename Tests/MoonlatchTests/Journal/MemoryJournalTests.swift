import FlowHosting
import FlowKernel
import Platform
import Testing

@Suite struct MemoryJournalTests {
  private let flow = JournaledFlow(
    name: "order.lua", hash: "1", version: 1, texts: [.init(name: "order.lua", text: "state {}")])

  /// The results of appends, in order.
  private final class RecordedOutcomes: Sendable {
    private let outcomes = Mutex<[JournalError.Kind?]>([])
    func add(_ error: JournalError?) { outcomes.withLock { $0.append(error?.kind) } }
    func take() -> [JournalError.Kind?] {
      outcomes.withLock { outcomes in
        defer { outcomes = [] }
        return outcomes
      }
    }
  }

  private func entry(_ seq: Int, due: Int? = nil) -> JournalEntry {
    JournalEntry(
      seq: seq, flow: 1, wall: 1_000 + seq, body: [1, UInt8(seq)], revision: seq, due: due,
      machines: ["door": [seq % 2 == 0 ? "open" : "closed"]],
      birth: seq == 1 ? .init(time: 1_000, seed: 7) : nil)
  }

  private func journal(_ told: RecordedOutcomes, entries: Int) throws -> MemoryJournal {
    let journal = MemoryJournal()
    #expect(try journal.keep(flow) == 1)
    for seq in 1...entries { journal.append([entry(seq)], to: "a", fence: 1) { told.add($0) } }
    return journal
  }

  @Test("an append set to fail before it is stored leaves the case unchanged")
  func failsBefore() throws {
    let told = RecordedOutcomes()
    let journal = try journal(told, entries: 2)
    journal.fail(append: 3, .before(JournalError(.full, "no space")))
    journal.append([entry(3)], to: "a", fence: 1) { told.add($0) }
    #expect(told.take() == [nil, nil, .full])
    #expect(try journal.summary(of: "a")?.seq == 2)
    #expect(journal.appends == 3)
  }

  @Test("an append that is stored but not acknowledged may be visible to another process, or not")
  func failsAfter() throws {
    let told = RecordedOutcomes()
    let journal = try journal(told, entries: 2)
    journal.fail(append: 3, .after(JournalError(.failed, "no answer")))
    journal.append([entry(3, due: 9)], to: "a", fence: 1) { told.add($0) }
    #expect(told.take() == [nil, nil, .failed])
    let lost = try #require(try journal.restarted().summary(of: "a"))
    #expect(lost.seq == 2 && lost.due == nil && lost.machines == ["door": ["open"]])
    let kept = try #require(try journal.restarted(withAll: true).summary(of: "a"))
    #expect(kept.seq == 3 && kept.due == 9 && kept.machines == ["door": ["closed"]])
  }

  @Test("an entry appended after one whose answer was lost acknowledges both")
  func acknowledgesBoth() throws {
    let told = RecordedOutcomes()
    let journal = try journal(told, entries: 2)
    journal.fail(append: 3, .after(JournalError(.failed, "no answer")))
    journal.append([entry(3)], to: "a", fence: 1) { told.add($0) }
    let fence = try #require(try journal.activate("a")).fence
    journal.append([entry(4)], to: "a", fence: fence) { told.add($0) }
    #expect(told.take() == [nil, nil, .failed, nil])
    #expect(try journal.restarted().summary(of: "a")?.seq == 4)
  }

  @Test("after a failed append its writer is refused until it activates the case again")
  func writerIsRefused() throws {
    let told = RecordedOutcomes()
    let journal = try journal(told, entries: 1)
    journal.fail(append: 2, .before(JournalError(.failed, "the disk is gone")))
    for seq in 2...3 { journal.append([entry(seq)], to: "a", fence: 1) { told.add($0) } }
    journal.append([entry(2)], to: "a", fence: 1) { told.add($0) }
    let again = try #require(try journal.activate("a"))
    #expect(again.entries.map(\.seq) == [1])
    journal.append([entry(2)], to: "a", fence: again.fence) { told.add($0) }
    #expect(told.take() == [nil, .failed, .fenced, .fenced, nil])
  }

  @Test("held appends are neither stored nor answered until they are released, in order")
  func holds() throws {
    let told = RecordedOutcomes()
    let journal = try journal(told, entries: 1)
    journal.hold()
    for seq in 2...4 { journal.append([entry(seq)], to: "a", fence: 1) { told.add($0) } }
    #expect(told.take() == [nil] && journal.appends == 1)
    #expect(try journal.restarted(withAll: true).summary(of: "a")?.seq == 1)
    journal.release(1)
    #expect(told.take() == [nil])
    #expect(try journal.summary(of: "a")?.seq == 2)
    journal.append([entry(5)], to: "a", fence: 1) { told.add($0) }
    #expect(told.take() == [])
    journal.release()
    #expect(told.take() == [nil, nil, nil])
    journal.append([entry(6)], to: "a", fence: 1) { told.add($0) }
    #expect(told.take() == [nil])
  }

  @Test("a restarted journal is independent: neither sees what the other adds")
  func isACopy() throws {
    let told = RecordedOutcomes()
    let first = try journal(told, entries: 2)
    let second = first.restarted()
    first.append([entry(3)], to: "a", fence: 1) { told.add($0) }
    let stored = try #require(try second.activate("a"))
    #expect(stored.entries.map(\.body) == [[1, 1], [1, 2]] && stored.fence > 1)
    #expect(try first.summary(of: "a")?.seq == 3)
    #expect(try second.flow(1) == flow)
  }

  @Test("a case whose creation was not acknowledged may not exist for another process")
  func unacknowledgedBirth() throws {
    let journal = MemoryJournal()
    let told = RecordedOutcomes()
    _ = try journal.keep(flow)
    journal.fail(append: 1, .after(JournalError(.failed, "no answer")))
    journal.append([entry(1)], to: "a", fence: 1) { told.add($0) }
    #expect(told.take() == [.failed])
    #expect(try journal.restarted().summary(of: "a") == nil)
    #expect(try journal.restarted(withAll: true).summary(of: "a")?.seq == 1)
  }

  @Test("closing releases held appends, and every later call is refused")
  func closes() throws {
    let told = RecordedOutcomes()
    let journal = try journal(told, entries: 1)
    journal.hold()
    journal.append([entry(2)], to: "a", fence: 1) { told.add($0) }
    try journal.close()
    #expect(told.take() == [nil, nil])
    journal.append([entry(3)], to: "a", fence: 1) { told.add($0) }
    #expect(told.take() == [.closed])
    #expect(throws: JournalError.self) { try journal.summary(of: "a") }
    #expect(try journal.restarted().summary(of: "a")?.seq == 2)
  }
}
