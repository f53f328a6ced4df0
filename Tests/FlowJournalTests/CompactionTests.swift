import FlowHosting
import FlowKernel
import JournalRows
import Platform
import Testing

@testable import FlowJournal

@Suite struct CompactionTests {
  private let folder = Folder()

  /// A store of which a case has so many entries, and snapshots after some.
  private func store(entries: Int, snapshots: [Int]) throws -> SQLiteJournal {
    let store = try SQLiteJournal(file: folder.file(), durability: .process)
    _ = try store.keep(JournaledFlow.trial)
    for seq in 1...entries {
      let answers = [KeyedAnswer(key: "k\(seq)", request: [1], revision: seq)]
      #expect(
        store.add([.trial(seq, answers: answers, body: Array("SECRET\(seq)".utf8))], to: "a") == nil
      )
      if snapshots.contains(seq) {
        let snapshot = StoredSnapshot(seq: seq, flow: 1, body: Array("SECRET STATE".utf8))
        try store.batchWriter.perform { (connection) throws(JournalError) in
          try connection.writing { () throws(JournalError) in
            _ = try CaseWrites(connection: connection).keep(snapshot, of: "a")
          }
        }
      }
    }
    return store
  }

  private func findings() throws -> JournalFindings {
    try JournalReader(file: folder.file()).verify()
  }

  @Test("entries before two snapshots and a time are deleted; the case and its chain stay valid")
  func entries() throws {
    let store = try store(entries: 9, snapshots: [4, 7])
    let done = try store.compact(before: 1_000_003)
    #expect(done == JournalCompaction(entries: 2, answers: 2, cases: 0))
    #expect(try store.entries(of: "a", from: 1, limit: 9).map(\.seq) == Array(3...9))
    #expect(try store.compact(before: .max).entries == 2)
    #expect(try store.entries(of: "a", from: 1, limit: 2).map(\.seq) == [5, 6])
    #expect(try store.answer(to: "k9", of: "a") == nil)
    let found = try #require(try store.activate("a"))
    #expect(found.snapshot?.seq == 7 && found.entries.map(\.seq) == [8, 9])
    #expect(store.add([.trial(10)], to: "a", fence: found.fence) == nil)
    #expect(try findings().isWhole && findings().entries == 6)
  }

  @Test("after compaction, a case can still be restored from the snapshot before the newest")
  func secondSnapshot() throws {
    let store = try store(entries: 9, snapshots: [4, 7])
    _ = try store.compact(before: .max)
    try store.batchWriter.perform { (connection) throws(JournalError) in
      try connection.run("UPDATE snapshot SET body = x'00' WHERE seq = 7")
    }
    let found = try #require(try store.activate("a"))
    #expect(found.snapshot?.seq == 4 && found.entries.map(\.seq) == Array(5...9))
    try store.batchWriter.perform { (connection) throws(JournalError) in
      try connection.run("UPDATE snapshot SET body = x'00'")
    }
    #expect(kind { () throws(JournalError) in _ = try store.activate("a") } == .damaged)
  }

  @Test("entries that a notification has still to send stay, unless it is dead")
  func unsent() throws {
    let store = try store(entries: 9, snapshots: [4, 7])
    var entry = JournalEntry.trial(10)
    entry.notified = [
      OpenTask(
        call: "j/erp/a/10", tryNumber: 1, effect: 0, position: "erp",
        scope: OpenTask.notificationScope, name: "erp",
        arguments: NotificationPosition(seq: 3, last: 10).arguments, kind: .notification,
        queue: "#notify.erp", isOnce: false, opened: 1_000_000, deadline: nil)
    ]
    #expect(store.add([entry], to: "a") == nil)
    #expect(try store.compact(before: .max).entries == 2)
    #expect(try findings().isWhole)
    let claim = TaskClaim(queues: ["#notify.erp"], most: 1, worker: "one")
    try store.withTasks(at: 2_000_000) { (table) throws(JournalError) in
      for row in try table.claim(claim) {
        _ = try table.postpone(
          row.task.key, token: row.token ?? "", at: row.position, because: "410", after: nil,
          giveUp: 0, spread: 1)
      }
    }
    #expect(try store.compact(before: .max).entries == 2)
  }

  @Test("without two snapshots, and for newer entries, nothing is deleted")
  func nothing() throws {
    let store = try store(entries: 5, snapshots: [3])
    #expect(try store.compact(before: .max).entries == 0)
    #expect(try store.compact(before: 0) == JournalCompaction())
    #expect(try store.compact(keeping: .seconds(Int64.max)).entries == 0)
    #expect(try findings().entries == 5)
  }

  @Test("compaction of a case that ended long ago keeps its id, so that it cannot be created again")
  func ended() throws {
    let store = try store(entries: 5, snapshots: [2, 4])
    #expect(store.add([.trial(6, ends: true)], to: "a") == nil)
    #expect(try store.compact(before: 1_000_006).cases == 0)
    #expect(try store.compact(keeping: .seconds(60)).cases == 1)
    #expect(try store.compact(keeping: .zero).cases == 0)
    #expect(
      store.add([.trial(1)], to: "a")
        == .init(.knownCase, "there is a case \"a\" already: each id names one case."))
    let found = try #require(try store.activate("a"))
    #expect(found.ended == 1_000_006 && found.entries.isEmpty && found.snapshot == nil)
    #expect(try findings().isWhole && findings().entries == 0)
  }

  @Test("every compaction deletes expired keys")
  func oldKeys() throws {
    let store = try store(entries: 5, snapshots: [3])
    // An answer written in 1970 is older than a week.
    #expect(try store.answer(to: "k2", of: "a") == nil)
    #expect(try store.compact(keeping: .seconds(1 << 40)).answers == 5)
  }

  @Test("cases are compacted in batches, without leaving any out")
  func many() throws {
    let store = try store(entries: 1, snapshots: [])
    for number in 0..<230 {
      store.append([.trial(1, ends: true)], to: "\(number)", fence: 1) { _ in }
    }
    #expect(try store.compact(before: .max).cases == 230)
  }

  @Test("erased data is in none of the files, the chain is valid, and the case has ended")
  func erases() throws {
    let store = try store(entries: 40, snapshots: [10, 20])
    #expect(store.add([.trial(1, body: Array("PUBLIC".utf8))], to: "b") == nil)
    try store.erase("a")
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let bytes = FileManager.default.contents(atPath: "\(folder.path)/\(name)") ?? Data()
      #expect(!String(decoding: bytes, as: UTF8.self).contains("SECRET"))
    }
    let found = try findings()
    #expect(found.isWhole && found.erased == 40 && found.entries == 41)
    #expect(try store.entries(of: "a", from: 1, limit: 2).map(\.body) == [[], []])
    #expect(try store.entries(of: "b", from: 1, limit: 2).map(\.body) == [Array("PUBLIC".utf8)])
    #expect(try store.summary(of: "a")?.ended != nil)
    #expect(try store.answer(to: "k3", of: "a") == nil)
    #expect(store.add([.trial(41)], to: "a")?.kind == .endedCase)
    let stored = try #require(try store.activate("a"))
    #expect(stored.entries.isEmpty && stored.snapshot == nil && stored.ended != nil)
  }

  @Test("an unknown case cannot be erased, and an erased one can be erased again")
  func erasesNothing() throws {
    let store = try store(entries: 2, snapshots: [])
    #expect(kind { () throws(JournalError) in try store.erase("b") } == .unknownCase)
    try store.erase("a", at: 7)
    try store.erase("a", at: 8)
    #expect(try store.summary(of: "a")?.ended == 7)
  }
}
