import FlowHosting
import FlowKernel
import JournalRows
import Platform
import Testing

@testable import FlowJournal

/// Write-ahead logs of another journal, and truncated ones.
@Suite struct WriteAheadLogTests {
  private let folder = Folder()

  /// A journal with so many entries, of which no more than the first few are in the file itself.
  private func store(_ name: String, entries: Int) throws -> SQLiteJournal {
    let store = try SQLiteJournal(
      file: folder.file(name), durability: .full, pace: .init(pause: 60_000, idle: 60_000))
    _ = try store.keep(JournaledFlow.trial)
    #expect(store.add([.trial(1)], to: "a") == nil)
    try store.batchWriter.perform { (connection) throws(JournalError) in
      _ = try connection.checkpoint(truncating: true)
    }
    for seq in 2...entries { #expect(store.add([.trial(seq)], to: "a") == nil) }
    return store
  }

  /// Copies what a killed process would leave.
  private func copy(_ name: String, to other: String, _ suffixes: [String] = ["", "-wal", "-mark"])
    throws
  {
    for suffix in suffixes {
      let target = folder.file(other + suffix)
      try? FileManager.default.removeItem(at: target)
      try FileManager.default.copyItem(at: folder.file(name + suffix), to: target)
    }
  }

  private func opening(_ name: String) -> JournalError? {
    openingError(folder.file(name), .full)
  }

  private func contents(_ name: String) throws -> Data { try Data(contentsOf: folder.file(name)) }

  @Test("the log of a killed process is read, with all acknowledged entries")
  func own() throws {
    let store = try store("a", entries: 9)
    try copy("a", to: "b")
    #expect(opening("b") == nil)
    #expect(try JournalReader(file: folder.file("b")).summary(of: "a")?.seq == 9)
    try store.close()
  }

  @Test(
    "the log of another journal is refused by writers and readers, with both ids, and left unchanged"
  )
  func foreign() throws {
    let (one, two) = (try store("one", entries: 4), try store("two", entries: 5))
    let ids = try [one, two].map { try $0.identify(as: "order", adopting: false).id }
    try copy("one", to: "x")
    try copy("two", to: "y")
    try copy("y", to: "x", ["-wal"])
    let log = try contents("x-wal")
    let error = try #require(opening("x"))
    #expect(error.kind == .damaged)
    #expect(
      error.description.contains(
        "x-wal belongs to journal \(ids[1]), but the file is journal \(ids[0])")
    )
    #expect(
      kind { () throws(JournalError) in _ = try JournalReader(file: folder.file("x")) } == .damaged)
    #expect(try contents("x-wal") == log)
    try FileManager.default.removeItem(at: folder.file("x"))
    #expect(
      opening("x")?.description.contains("belongs to journal \(ids[1]), whose file is missing")
        ?? false)
    #expect(try contents("x-wal") == log)
    try one.close()
    try two.close()
  }

  @Test("an invalid log file beside an empty journal is refused and left unchanged")
  func beside() throws {
    try Data().write(to: folder.file("x"))
    try Data(repeating: 7, count: 5_000).write(to: folder.file("x-wal"))
    #expect(opening("x")?.description.contains("is beside an empty file") ?? false)
    #expect(
      kind { () throws(JournalError) in _ = try JournalReader(file: folder.file("x")) } == .damaged)
    #expect(try contents("x-wal").count == 5_000)
  }

  @Test("a backup that was copied over a file with a remaining log is refused")
  func backup() throws {
    let store = try store("a", entries: 9)
    try store.backup(to: folder.file("backup"))
    #expect(store.add([.trial(10)], to: "a") == nil)
    try copy("a", to: "b")
    try copy("backup", to: "b", [""])
    #expect(opening("b")?.description.contains("belongs to another copy of journal") ?? false)
    try store.close()
    try copy("backup", to: "b", [""])
    unlink(folder.file("b-wal").path)
    #expect(opening("b") == nil)
  }

  @Test("a log that starts after, or ends before, the last commit of the file is refused")
  func otherTimes() throws {
    let store = try store("a", entries: 5)
    try copy("a", to: "early")
    try store.batchWriter.perform { (connection) throws(JournalError) in
      _ = try connection.checkpoint(truncating: true)
    }
    for seq in 6...9 { #expect(store.add([.trial(seq)], to: "a") == nil) }
    try copy("a", to: "late")
    try copy("late", to: "early", ["-wal", "-mark"])
    #expect(opening("early")?.description.contains("continues after commit ") ?? false)
    // Now the file has all of the log, and more.
    try copy("a", to: "old", ["-wal"])
    #expect(store.add([.trial(10)], to: "a") == nil)
    try store.close()
    try copy("a", to: "old", [""])
    #expect(opening("old")?.description.contains("but the file already has commit ") ?? false)
    unlink(folder.file("old-wal").path)
    #expect(opening("old") == nil)
  }

  @Test("a truncated, damaged or removed log is reported with the number of lost commits")
  func lost() throws {
    let store = try store("a", entries: 9)
    try store.close()
    let more = try SQLiteJournal(
      file: folder.file("a"), durability: .full, pace: .init(pause: 60_000, idle: 60_000))
    let fence = try #require(try more.activate("a")).fence
    for seq in 10...12 { #expect(more.add([.trial(seq)], to: "a", fence: fence) == nil) }
    for change in ["cut", "damaged", "removed"] {
      try copy("a", to: "b")
      var log = try contents("b-wal")
      switch change {
      case "cut": log = log.prefix(log.count - 5_000)
      case "damaged": log[log.count - 3_000] ^= 1
      default: log = Data()
      }
      if change == "removed" {
        unlink(folder.file("b-wal").path)
      } else {
        try log.write(to: folder.file("b-wal"))
      }
      for _ in 1...2 {
        let error = try #require(opening("b"), "\(change)")
        #expect(error.kind == .damaged)
        #expect(error.description.contains("b has lost commits: it has "))
        #expect(error.description.contains("journal restore BACKUP"))
      }
      let reader = try JournalReader(file: folder.file("b"))
      let faults = try reader.verify().faults
      #expect(faults.count == 1 && faults.first?.description.contains("has lost commits") ?? false)
      #expect(try reader.summary(of: "a")?.seq ?? 0 < 12)
      unlink(folder.file("b-mark").path)
      #expect(opening("b") == nil)
    }
    try more.close()
    #expect(opening("a") == nil)
  }

  @Test("a journal whose data was all in a deleted log is not created anew")
  func all() throws {
    let store = try SQLiteJournal(
      file: folder.file("a"), durability: .full, pace: .init(pause: 60_000, idle: 60_000))
    _ = try store.keep(JournaledFlow.trial)
    try copy("a", to: "b", ["", "-mark"])
    #expect(opening("b")?.description.contains("b has lost commits: it has 0, and ") ?? false)
    try FileManager.default.removeItem(at: folder.file("b"))
    #expect(opening("b") == nil)
    try store.close()
  }

  @Test("the stamp of a journal stays on its own page, also after compaction")
  func page() throws {
    let store = try store("a", entries: 3)
    func check() throws {
      let root = try store.batchWriter.perform { (connection) throws(JournalError) in
        try connection.row("SELECT rootpage FROM sqlite_schema WHERE name = 'journal'") {
          $0.integer(0)
        }
      }
      #expect(root == JournalStamp.page)
    }
    try check()
    try store.compact(keeping: .zero)
    try check()
    #expect(store.add([.trial(4)], to: "a") == nil)
    let stamp = try #require(try WriteAheadLog.firstStamp(of: store.path))
    #expect(try stamp.id == store.identify(as: "order", adopting: false).id)
    let found = try #require(JournalStamp.find(in: ([1, 2] + stamp.text + [3])[...]))
    #expect(found == stamp)
    try store.close()
  }

  @Test("the mark is advanced by each synced commit, and by no other")
  func marks() throws {
    let store = try store("a", entries: 3)
    let mark = try #require(try CommitMark.read(of: store.path))
    #expect(store.add([.trial(4)], to: "a") == nil)
    #expect(try CommitMark.read(of: store.path)?.commits == mark.commits + 1)
    try store.close()
    let quick = try SQLiteJournal(file: folder.file("a"), durability: .process)
    _ = try quick.identify(as: "order", adopting: false)
    try quick.close()
    #expect(try CommitMark.read(of: store.path)?.commits == mark.commits + 1)
    try Data(repeating: 0, count: 90).write(to: folder.file("a-mark"))
    #expect(try CommitMark.read(of: store.path) == nil)
    #expect(opening("a") == nil)
  }
}
