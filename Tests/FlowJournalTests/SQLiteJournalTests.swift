import FlowHosting
import FlowKernel
import JournalRows
import Platform
import Testing

@testable import FlowJournal

@Suite struct SQLiteJournalTests {
  private let folder = Folder()

  private func store() throws -> SQLiteJournal {
    let store = try SQLiteJournal(file: folder.file(), durability: .process)
    _ = try store.keep(JournaledFlow.trial)
    return store
  }

  @Test(
    "a second store of one file is refused at once, by any path, with the process that holds it")
  func secondStore() throws {
    let store = try store()
    let other = folder.file("link.journal")
    try FileManager.default.createSymbolicLink(
      atPath: other.path, withDestinationPath: folder.file().path)
    for file in [folder.file(), other, URL(fileURLWithPath: "\(folder.path)/./a.journal")] {
      let error = try #require(openingError(file))
      #expect(error.kind == .locked(by: Int(getpid())))
      #expect(
        error.description.contains(
          "a.journal is open for writing by this process: only one process can"))
    }
    try store.close()
    #expect(openingError(other) == nil)
    #expect(openingError(folder.file()) == nil)
  }

  @Test("a store that is released closes after all appended entries are stored")
  func dropped() throws {
    do {
      let store = try store()
      for seq in 1...20 { store.append([.trial(seq)], to: "a", fence: 1) { _ in } }
    }
    #expect(try self.store().summary(of: "a")?.seq == 20)
  }

  @Test(
    "a callback may release the last reference to the store, and a blocking call in it is refused")
  func droppedByTold() throws {
    let told = Monitor<[JournalError.Kind?]>([])
    let held = Monitor<SQLiteJournal?>(try store())
    held.with { $0 }?.append([.trial(1)], to: "a", fence: 1) { _ in
      let store = held.with { $0 }
      let other = JournaledFlow(name: "b.lua", hash: "1", version: 1, texts: [])
      let refused = kind { () throws(JournalError) in _ = try store?.keep(other) }
      held.with { $0 = nil }
      told.with(waking: true) { $0.append(refused) }
    }
    #expect(told.wait { $0.isEmpty ? nil : $0 } == [.failed])
    while case .locked? = openingError(folder.file())?.kind { sched_yield() }
    #expect(try store().summary(of: "a")?.seq == 1)
  }

  @Test("a file that is no journal is refused with a message and left unchanged")
  func noJournal() throws {
    let text = folder.file("notes.txt")
    try Data("What is to be done, and by whom: a text of some length.\n".utf8).write(to: text)
    #expect(openingError(text)?.kind == .unreadable)
    #expect(openingError(text)?.description.contains("notes.txt is not a journal") ?? false)
    #expect(try Data(contentsOf: text).count == 56)

    let database = folder.file("other.db")
    let connection = try Connection(path: database.path, flags: 6)
    try connection.run("CREATE TABLE t(x)")
    connection.close()
    let before = try Data(contentsOf: database)
    #expect(openingError(database)?.description.contains("a database of another program") ?? false)
    #expect(try Data(contentsOf: database) == before)
    #expect(throws: JournalError.self) { try JournalReader(file: database) }
  }

  @Test("a journal of a later version is refused with both versions")
  func laterVersion() throws {
    try store().close()
    let connection = try Connection(path: folder.file().path, flags: 6)
    try connection.run("PRAGMA user_version = 6")
    connection.close()
    let error = try #require(openingError(folder.file()))
    #expect(error.kind == .unreadable)
    #expect(
      error.description.contains("later Moonlatch (version 6 of its tables; this one knows 5)"))
    #expect(throws: JournalError.self) { try JournalReader(file: folder.file()) }
  }

  @Test("an empty file becomes a journal; a folder, or a file in a missing folder, is refused")
  func places() throws {
    try Data().write(to: folder.file())
    #expect(openingError(folder.file()) == nil)
    #expect(openingError(URL(fileURLWithPath: folder.path))?.kind == .unsafe)
    let nowhere = folder.file("nowhere/a.journal")
    #expect(openingError(nowhere)?.kind == .failed)
    #expect(openingError(nowhere)?.description.contains("nowhere") ?? false)
  }

  @Test("the settings of SQLite are read back: full durability syncs each commit, process does not")
  func settings() throws {
    for (durability, level) in [(SQLiteJournal.Durability.full, 2), (.process, 1)] {
      let connection = try Schema.open(folder.file("\(level)").path, durability)
      func setting(_ name: String) throws -> String? {
        try connection.row("PRAGMA \(name)") { $0.text(0) }
      }
      #expect(try setting("synchronous") == "\(level)" && setting("journal_mode") == "wal")
      #expect(try setting("application_id") == "1296845361" && setting("user_version") == "5")
      #expect(try setting("cell_size_check") == "1" && setting("trusted_schema") == "0")
      #expect(try setting("page_size") == "4096" && setting("wal_autocheckpoint") == "0")
    }
  }

  @Test("network file systems are refused by name, and local ones are not")
  func disks() {
    #expect(JournalLocation.network(magic: 0x6969) == "NFS")
    #expect(JournalLocation.network(magic: 0x6573_5546) == "FUSE")
    #expect(JournalLocation.network(magic: 0xff53_4d42) == "SMB")
    for local in [0xef53, 0x5846_5342, 0x9123_683e, 0x0102_1994] as [UInt32] {
      #expect(JournalLocation.network(magic: local) == nil)
    }
    #expect(JournalLocation.isNetwork(name: "macfuse") && !JournalLocation.isNetwork(name: "apfs"))
  }

  @Test("a read beside a writer sees all acknowledged entries")
  func readsWhatWasAcknowledged() throws {
    let store = try store()
    for seq in 1...200 {
      #expect(store.add([.trial(seq)], to: "a") == nil)
      #expect(try store.summary(of: "a")?.seq == seq)
    }
    let reader = try JournalReader(file: folder.file())
    #expect(try reader.summary(of: "a")?.seq == 200)
    #expect(store.add([.trial(201)], to: "a") == nil)
    #expect(try reader.entries(of: "a", from: 201, limit: 1) == [JournalEntry.trial(201).asRead])
  }

  @Test("concurrent appends are each answered in order, and none is lost")
  func manyWriters() throws {
    let store = try store()
    let count = Monitor(0)
    for writer in 0..<8 {
      SystemThread.start {
        for seq in 1...50 { if store.add([.trial(seq)], to: "\(writer)") != nil { return } }
        count.with(waking: true) { $0 += 1 }
      }
    }
    count.wait { $0 == 8 ? () : nil }
    #expect(
      try store.cases(whose: nil, after: nil, limit: 99).map(\.seq)
        == Array(repeating: 50, count: 8))
    #expect(try JournalReader(file: folder.file()).verify().entries == 400)
  }

  @Test("the write-ahead log is checkpointed during continuous writes, so that it stays small")
  func shortLog() throws {
    let store = try SQLiteJournal(
      file: folder.file(), durability: .process, pace: .init(pause: 60_000, pages: 40))
    _ = try store.keep(JournaledFlow.trial)
    for seq in 1...400 { #expect(store.add([.trial(seq)], to: "a") == nil) }
    let size = try FileManager.default.attributesOfItem(atPath: "\(store.path)-wal")[.size] as? Int
    #expect(try #require(size) < 80 * 4_200)
  }

  @Test("a journal whose file is removed or replaced refuses appends and says why")
  func removed() throws {
    let store = try store()
    #expect(store.add([.trial(1)], to: "a") == nil)
    try FileManager.default.removeItem(at: folder.file())
    #expect(
      store.add([.trial(2)], to: "a")?.description.contains("was removed or replaced") ?? false)
    try Data().write(to: folder.file())
    #expect(store.add([.trial(1)], to: "b")?.kind == .failed)
    try store.close()
  }

  @Test("appends beyond the limit of waiting bytes are refused, and those that wait are stored")
  func tooMuch() throws {
    var line = Line()
    let body = [UInt8](repeating: 1, count: 300 << 20)
    func add(_ seq: Int) {
      let append = Line.Append([.trial(seq, body: body)], to: "a", fence: 1) { _ in }
      let isAdded = line.add(append, to: "a.journal")
      #expect(isAdded)
    }
    func take() -> [Line.Append] {
      guard case .writeBatch(let appends)? = line.next(takesSnapshots: false) else { return [] }
      return appends
    }
    for seq in 1...3 { add(seq) }
    #expect(take().map(\.refusal?.kind) == [nil])
    let refused = take().map(\.refusal)
    #expect(refused.map(\.?.kind) == [.failed, .failed])
    #expect(
      refused.first??.description
        == "a.journal: 300 MiB wait to be written: dispatch more slowly.")
    add(2)
    #expect(take().map(\.refusal?.kind) == [nil])
    line.isClosing = true
    add(3)
    #expect(take().map(\.refusal?.kind) == [.closed])
    #expect(take().isEmpty)
  }

  @Test("a case whose creation was refused can be created again, whatever was appended after it")
  func afterRefusedBirth() throws {
    var line = Line()
    let id = ExactText("a")
    func add(_ seq: Int) -> Line.Append? {
      let append = Line.Append([.trial(seq)], to: "a", fence: 1) { _ in }
      _ = line.add(append, to: "a.journal")
      guard case .writeBatch(let appends)? = line.next(takesSnapshots: false) else { return nil }
      return appends.last
    }
    let birth = try #require(add(1))
    let behind = try #require(add(2))
    line.refuseBirth(birth)
    let again = try #require(add(1))
    #expect((try? line.isWriters(behind).get()) == false)
    #expect((try? line.isWriters(again).get()) == true)
    line.finish(birth, isKept: false, isBroken: false)
    line.finish(behind, isKept: false, isBroken: false)
    #expect(line.settled(id) == nil)
    line.finish(again, isKept: true, isBroken: false)
    let last = try #require(line.settled(id))
    let fences = (
      line.activate(id, since: last, fence: 1), line.activate(id, since: last, fence: 1)
    )
    #expect(fences == (2, nil))
  }
}
